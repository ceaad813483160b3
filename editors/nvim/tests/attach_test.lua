local harness = require('harness')
local equal = harness.equal

--- @param server mewcode.FakeServer
--- @param method string
--- @return any[] parameters of all messages of a method
local function all(server, method)
  local found = {}
  for _, message in ipairs(server.received) do
    if message.method == method then
      found[#found + 1] = message.params
    end
  end
  return found
end

return {
  {
    'the server is told what the plugin can do, and of its folder',
    function()
      local server = harness.serve({ config = { init_options = { model = 'x' } } })
      local _, uri = harness.open(server, 'sub/file.txt', 'a\n')
      local params = server:last('initialize')
      equal(params.capabilities.experimental.mewcode, {
        applyEdit = true,
        save = true,
        review = true,
        event = true,
        status = true,
        checksum = true,
        transcript = true,
        files = true,
        approvals = true,
        reload = true,
        query = true,
      })
      equal(params.initializationOptions, { model = 'x' })
      equal(params.rootUri, vim.fs.dirname(vim.fs.dirname(uri)))
      equal(type(params.capabilities.workspace.applyEdit), 'boolean')
    end,
  },
  {
    'the nearest marker is the root; .mewcode.yaml is one',
    function()
      local server = harness.serve()
      harness.file('inner/.mewcode.yaml', '')
      local _, uri = harness.open(server, 'inner/deep/file.txt', 'a\n')
      equal(server:last('initialize').rootUri, vim.fs.dirname(vim.fs.dirname(uri)))
      vim.fn.delete(vim.uri_to_fname(vim.fs.dirname(vim.fs.dirname(uri))), 'rf')
    end,
  },
  {
    'without a marker the current directory is the root',
    function()
      local server = harness.serve()
      local folder = assert(vim.uv.fs_realpath(vim.fs.dirname(vim.fn.tempname())))
      local path = vim.fs.joinpath(folder, 'lonely.txt')
      harness.write(path, 'a\n')
      vim.cmd.edit(path)
      harness.wait('didOpen', function()
        return server.documents[vim.uri_from_fname(path)]
      end)
      equal(server:last('initialize').rootUri, vim.uri_from_fname(vim.fn.getcwd()))
    end,
  },
  {
    'files without a filetype, with one, and new ones attach to one server',
    function()
      vim.cmd('filetype on')
      local server = harness.serve()
      harness.open(server, 'noname', 'a\n')
      harness.open(server, 'file.lua', 'a\n')
      harness.open(server, 'new')
      harness.open(server, 'new.lua')
      equal(#all(server, 'initialize'), 1)
      local languages = vim.tbl_map(function(params)
        return params.textDocument.languageId
      end, all(server, 'textDocument/didOpen'))
      equal(languages, { 'plaintext', 'lua', 'plaintext', 'lua' })
    end,
  },
  {
    'buffers that are no files do not attach',
    function()
      local server = harness.serve()
      harness.open(server, 'file.txt', 'a\n')
      vim.cmd.enew()
      vim.bo.filetype = 'lua'
      vim.cmd.edit('other://thing/file.lua')
      vim.bo.filetype = 'lua'
      vim.cmd.new()
      vim.bo.buftype = 'nofile'
      vim.bo.filetype = 'lua'
      -- The next real file shows that nothing else is on its way.
      harness.open(server, 'last.txt', 'a\n')
      equal(vim.tbl_count(server.documents), 2)
    end,
  },
  {
    'nothing starts unless it is enabled',
    function()
      vim.cmd.edit(harness.file('file.txt', 'a\n'))
      local ran = false
      vim.schedule(function()
        ran = true
      end)
      harness.wait('the event loop', function()
        return ran
      end)
      equal(vim.lsp.get_clients(), {})
    end,
  },
  {
    'a new name closes the old document and opens the new one',
    function()
      local server = harness.serve()
      local bufnr, old = harness.open(server, 'old.txt', 'a\n')
      local new = old:gsub('old.txt', 'renamed.txt')
      vim.cmd('silent file ' .. vim.uri_to_fname(new))
      equal({ server.documents[old], server.documents[new].text }, { nil, 'a\n' })
      vim.api.nvim_buf_set_text(bufnr, 0, 0, 0, 0, { 'x' })
      equal(harness.apply(server, new, {}).reason, 'stale')
      equal(server.documents[new].text, 'xa\n')
      equal(harness.apply(server, new, { harness.edit({ 0, 0 }, { 0, 1 }, '') }).applied, true)
    end,
  },
  {
    'a new name that Neovim refuses leaves the document open under the old one',
    function()
      local server = harness.serve()
      local _, taken = harness.open(server, 'taken.txt', 'taken\n')
      local bufnr, old = harness.open(server, 'old.txt', 'a\n')
      local ok, problem = pcall(vim.cmd.file, vim.uri_to_fname(taken))
      equal(ok, false)
      harness.contains(problem, 'E95')
      harness.wait('the document', function()
        return server.documents[old]
      end)
      equal(harness.apply(server, old, { harness.edit({ 0, 0 }, { 0, 1 }, 'b') }).applied, true)
      equal({ harness.lines(bufnr), server.documents[taken].text }, { { 'b' }, 'taken\n' })
      vim.cmd('silent file ' .. vim.fn.fnameescape(harness.file('free.txt')))
      equal(#all(server, 'textDocument/didOpen'), 4)
    end,
  },
  {
    'the statusline shows the status of the attached server',
    function()
      local server = harness.serve()
      harness.open(server, 'file.txt', 'a\n')
      local mewcode = require('mewcode')
      equal(mewcode.statusline(), '')
      local seen
      vim.api.nvim_create_autocmd('User', {
        pattern = 'MewcodeStatus',
        once = true,
        callback = function(arguments)
          seen = arguments.data.mode
        end,
      })
      local status = { mode = 'plan', session = vim.NIL, running = 0, pendingHunks = 0 }
      server:notify('mewcode/status', status)
      equal(mewcode.statusline(), 'mew plan')
      equal(seen, 'plan')
      status.running, status.pendingHunks = 2, 1
      server:notify('mewcode/status', status)
      equal(mewcode.statusline(), 'mew plan · running · 1 hunk')
      vim.cmd.enew()
      equal(mewcode.statusline(), '')
    end,
  },
}
