local harness = require('harness')

--- @return string
local function report()
  vim.cmd('silent checkhealth mewcode')
  local text = table.concat(harness.lines(vim.api.nvim_get_current_buf()), '\n')
  vim.cmd('bwipeout!')
  return text
end

--- @param text string
--- @param parts string[]
local function contains(text, parts)
  for _, part in ipairs(parts) do
    harness.contains(text, part)
  end
end

return {
  {
    'a healthy set-up',
    function()
      local server = harness.serve({ encoding = 'utf-16' })
      harness.open(server, 'file.txt', 'a\n')
      server:notify('mewcode/status', {
        mode = 'plan',
        running = 0,
        pendingHunks = 0,
        provider = 'scripted',
      })
      contains(report(), {
        'OK Neovim 0.11',
        'OK enabled',
        'started by a function',
        'fake 1 in ',
        'positions in utf-16, incremental sync',
        'OK the server speaks the methods of this plugin',
        'mode plan, scripted',
        'server and buffer hold the same text (' .. vim.fn.sha256('a\n'):sub(1, 12),
      })
    end,
  },
  {
    'before the first prompt no model is known',
    function()
      local server = harness.serve()
      harness.open(server, 'file.txt', 'a\n')
      local status = { mode = 'plan', running = 0, pendingHunks = 0, provider = 'none' }
      server:notify('mewcode/status', status)
      contains(report(), { 'mode plan, no session yet' })
    end,
  },
  {
    'a drifted copy is found and healed',
    function()
      local server = harness.serve()
      local _, uri = harness.open(server, 'file.txt', 'a\n')
      server.documents[uri].text = 'drifted'
      contains(report(), { 'ERROR', 'the server holds another text' })
      contains(report(), { 'server and buffer hold the same text' })
    end,
  },
  {
    'a buffer that is no text is named',
    function()
      local server = harness.serve()
      harness.open(server, 'file.txt', 'a\0b\n')
      contains(report(), { 'WARNING', 'NUL' })
    end,
  },
  {
    'a missing binary, no server, wrong settings',
    function()
      vim.g.mewcode = { signs = 'none', sings = {} }
      vim.lsp.config('mewcode', { cmd = { '/no/such/mewcode', 'lsp' } })
      contains(report(), {
        'ERROR `/no/such/mewcode` is not executable',
        'not enabled',
        "Add vim.lsp.enable('mewcode')",
        'vim.g.mewcode.signs is a string, it must be a table',
        'vim.g.mewcode.sings is no setting',
        'no server runs',
      })
    end,
  },
  {
    'the version of the binary, and a binary that fails',
    function()
      local good = harness.file('good', '#!/bin/sh\necho mewcode 1.2.3\n')
      local bad = harness.file('bad', '#!/bin/sh\necho broken >&2\nexit 3\n')
      for _, path in ipairs({ good, bad }) do
        vim.uv.fs_chmod(path, 493)
      end
      vim.lsp.config('mewcode', { cmd = { good, 'lsp' } })
      contains(report(), { 'OK ' .. good .. ': mewcode 1.2.3' })
      vim.lsp.config('mewcode', { cmd = { bad, 'lsp' } })
      contains(report(), { '--version` failed: broken' })
    end,
  },
  {
    'a server without our methods',
    function()
      local server = harness.serve({ plain = true })
      harness.open(server, 'file.txt', 'a\n')
      contains(report(), { 'WARNING the server offers no methods beyond LSP' })
    end,
  },
}
