-- The agent asks another language server through a real Neovim with the plugin, over the wire: the answers come later
-- than the handlers of the questions are called. A renaming lands in the open buffer and in a file that is not open.

local harness = require('harness')
package.path = vim.env.MEWCODE_TEST_PLUGIN .. '/tests/?.lua;' .. package.path
local FakeServer = require('fake_server')

--- @param name string
--- @param first integer
--- @param last integer
--- @return string uri
--- @return lsp.TextEdit[]
local function edits(name, first, last)
  local range = {
    start = { line = 1, character = first },
    ['end'] = { line = 1, character = last },
  }
  local uri = vim.uri_from_fname(harness.root .. '/' .. name)
  return uri, { { range = range, newText = 'cost' } }
end

--- @param bufnr integer
local function start_other(bufnr)
  local capabilities = { hoverProvider = true, renameProvider = true }
  local other = FakeServer.new({ encoding = 'utf-16', plain = true, capabilities = capabilities })
  other.answers['textDocument/hover'] = function(params)
    return { contents = ('at column %d'):format(params.position.character) }
  end
  other.answers['textDocument/rename'] = function()
    local shop, in_shop = edits('shop.py', 8, 13)
    local uses, in_uses = edits('uses.py', 9, 14)
    return { changes = { [shop] = in_shop, [uses] = in_uses } }
  end
  vim.lsp.start({ name = 'other', cmd = other:command() }, { bufnr = bufnr })
  harness.await('the other server', function()
    return #vim.lsp.get_clients({ bufnr = bufnr, name = 'other' }) > 0
  end)
end

harness.run(function()
  local client, bufnr = harness.open('shop.py')
  start_other(bufnr)
  harness.prompt(client, bufnr, 'rename it')
  local ended = harness.await('the end of the run', function()
    return harness.event('run_ended')
  end)
  harness.equal(ended.outcome, 'done', vim.inspect(harness.events))
  harness.equal(harness.logical(bufnr), '# shop\né, def_ cost(self):\n')
  harness.equal(harness.disk('uses.py'), 'import shop\né = shop.cost()\n')
  harness.equal(vim.fn.bufloaded('uses.py'), 0, 'nothing was loaded')
end)
