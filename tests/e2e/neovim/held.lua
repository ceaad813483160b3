-- A file with unsaved changes in a folder with a server of its own: the server of the folder above, which does not get
-- its text, leaves it alone until it is saved.

local harness = require('harness')

harness.run(function()
  local client, bufnr = harness.open('plain.txt')
  vim.cmd.edit('inner/notes.txt')
  local inner = vim.api.nvim_get_current_buf()
  harness.await('a server of its own', function()
    local own = vim.lsp.get_clients({ bufnr = inner, name = 'mewcode' })[1]
    return own and own.initialized and own.id ~= client.id
  end)
  vim.api.nvim_feedkeys('Omine\27', 'nt', false)
  harness.await('the change', function()
    return vim.bo[inner].modified
  end)
  vim.cmd.buffer(bufnr)

  harness.prompt(client, bufnr, 'change the notes')
  harness.await('the end of the run', function()
    return harness.event('run_ended')
  end)
  harness.equal(harness.event('run_ended').outcome, 'done', vim.inspect(harness.event('run_ended')))
  harness.equal(harness.disk('inner/notes.txt'), 'first\n', 'nothing is written behind Neovim')
  harness.equal(harness.logical(inner), 'mine\nfirst\n')
end)
