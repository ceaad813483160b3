local harness = require('harness')
local equal = harness.equal

return {
  {
    'a server is told of unsaved files that it does not get, and of their end',
    function()
      local child = harness.child()
      child.lua([[
        vim.cmd('filetype on')
        server = harness.serve({ config = { filetypes = { 'text' } } })
        harness.open(server, 'file.txt', 'a\n')
      ]])
      --- @param code string
      --- @param files string[] names of those that are held then
      local function after(code, files)
        child.lua(code)
        local list
        local ok = pcall(harness.wait, 'the list', function()
          list = child.lua("return (server:last('mewcode/held') or { files = 'none' }).files")
          return type(list) == 'table' and #list == #files
        end)
        assert(ok, code .. ' held ' .. vim.inspect(list))
        for index, file in ipairs(files) do
          equal(list[index].kind, 'unsynchronised')
          equal(vim.fs.basename(vim.uri_to_fname(list[index].uri)), file)
        end
      end
      local change = "vim.api.nvim_buf_set_lines(0, 0, 0, true, { '# mine' })"
      after("vim.cmd.edit(harness.file('other.py', 'x = 1\\n')) " .. change, { 'other.py' })
      after("vim.cmd('silent write')", {})
      after(change, { 'other.py' })
      after("vim.cmd('bwipeout!')", {})
      -- What the server gets, and what is no file, is not held from it.
      child.lua([[
        server.received = {}
        for _, command in ipairs({ 'buffer file.txt', 'new', 'edit other://thing' }) do
          vim.cmd(command)
          vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'words' })
        end
      ]])
      after("vim.cmd.edit(harness.file('third.py', 'x = 1\\n')) " .. change, { 'third.py' })
    end,
  },
}
