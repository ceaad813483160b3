local harness = require('harness')
local equal = harness.equal

--- Damages the server's copy, as a drift of the incremental sync does.
--- @param server mewcode.FakeServer
--- @param uri string
local function drift(server, uri)
  server.documents[uri].text = 'drifted\n'
end

--- @param server mewcode.FakeServer
--- @return table[]
local function checksums(server)
  local found = {}
  for _, message in ipairs(server.received) do
    if message.method == 'mewcode/checksum' then
      found[#found + 1] = message.params
    end
  end
  return found
end

--- @param server mewcode.FakeServer
local function prompted(server)
  harness.wait('the prompt', function()
    return #server:commands('mewcode.prompt') == 1
  end)
end

return {
  {
    'before a prompt a drifted copy is found and given the text',
    function()
      local server = harness.serve()
      local bufnr, uri = harness.open(server, 'file.txt', 'a\r\nb\r\n')
      drift(server, uri)
      vim.cmd('Mew do it')
      prompted(server)
      local sent = checksums(server)
      equal(#sent, 2)
      equal({ sent[1].text, sent[2].text }, { nil, 'a\r\nb\r\n' })
      equal(sent[1].sha256, vim.fn.sha256('a\nb\n'))
      equal(sent[1].version, vim.lsp.util.buf_versions[bufnr])
      equal(server:logical(uri), 'a\nb\n')
      local methods = server:methods()
      equal(methods[#methods], 'workspace/executeCommand')
    end,
  },
  {
    'a text that both hold is not compared again',
    function()
      local server = harness.serve()
      local bufnr = harness.open(server, 'file.txt', 'a\n')
      for count, change in ipairs({ false, false, true }) do
        if change then
          vim.api.nvim_buf_set_text(bufnr, 0, 0, 0, 0, { 'x' })
        end
        vim.cmd('Mew do it')
        harness.wait('the prompt', function()
          return #server:commands('mewcode.prompt') == count
        end)
      end
      equal(#checksums(server), 2)
    end,
  },
  {
    'all buffers are compared before a prompt, changes first',
    function()
      local server = harness.serve()
      local one = harness.open(server, 'one.txt', 'a\n')
      harness.open(server, 'two.txt', 'b\n')
      vim.api.nvim_buf_set_text(one, 0, 0, 0, 0, { 'typed ' })
      server.received = {}
      vim.cmd('Mew do it')
      prompted(server)
      local methods = server:methods()
      equal(#checksums(server), 2)
      equal(methods[#methods], 'workspace/executeCommand')
      for index, method in ipairs(methods) do
        local message = server.received[index]
        if method == 'mewcode/checksum' and message.params.uri:find('one.txt', 1, true) then
          equal(methods[index - 1], 'textDocument/didChange')
        end
      end
    end,
  },
  {
    'after a change and a rest a drifted copy heals by itself',
    function()
      vim.g.mewcode = { idle_milliseconds = 10 }
      local server = harness.serve()
      local bufnr, uri = harness.open(server, 'file.txt', 'a\n')
      vim.api.nvim_buf_set_text(bufnr, 0, 0, 0, 0, { 'x' })
      require('mewcode.client').flush(vim.lsp.get_clients()[1])
      drift(server, uri)
      harness.wait('healing', function()
        return server.documents[uri].text == 'xa\n'
      end)
    end,
  },
  {
    'a large buffer is not compared at rest',
    function()
      vim.g.mewcode = { idle_milliseconds = 1, max_idle_bytes = 10 }
      local server = harness.serve()
      local small = harness.open(server, 'small.txt', 'a\n')
      local large = harness.open(server, 'large.txt', ('x'):rep(20) .. '\n')
      vim.api.nvim_buf_set_text(large, 0, 0, 0, 0, { 'x' })
      require('mewcode.client').flush(vim.lsp.get_clients()[1])
      -- Changed later, so its rest ends later.
      vim.api.nvim_buf_set_text(small, 0, 0, 0, 0, { 'x' })
      require('mewcode.client').flush(vim.lsp.get_clients()[1])
      harness.wait('the checksum of the small one', function()
        return checksums(server)[1]
      end)
      harness.contains(checksums(server)[1].uri, 'small.txt')
    end,
  },
  {
    'a server without the methods is not asked',
    function()
      local server = harness.serve({ plain = true })
      harness.open(server, 'file.txt', 'a\n')
      vim.cmd('Mew do it')
      prompted(server)
      equal(checksums(server), {})
    end,
  },
  {
    'a server that never answers does not hold up the prompt',
    function()
      local server = harness.serve()
      harness.open(server, 'file.txt', 'a\n')
      local client = vim.lsp.get_clients()[1]
      local real = client.rpc.request
      client.rpc.request = function(method, ...)
        if method == 'mewcode/checksum' then
          return true, 999
        end
        return real(method, ...)
      end
      vim.cmd('Mew do it')
      prompted(server)
    end,
  },
  {
    'a copy that stays wrong is told once',
    function()
      local server = harness.serve()
      harness.open(server, 'file.txt', 'a\n')
      server.answers['mewcode/checksum'] = function()
        return { match = false }
      end
      for count = 1, 2 do
        vim.cmd('Mew do it')
        harness.wait('the prompt', function()
          return #server:commands('mewcode.prompt') == count
        end)
      end
      equal(#harness.messages, 1)
      harness.contains(harness.messages[1], 'still holds another text')
    end,
  },
}
