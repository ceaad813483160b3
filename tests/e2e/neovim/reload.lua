-- A command of the agent changes files that are open in a real Neovim with the plugin: a clean buffer gets the new text
-- as an edit and stays in step with its file, one with unsaved changes is left alone.

local harness = require('harness')

--- @param kind string
local function await_event(kind)
  return harness.await('the event ' .. kind, function()
    return harness.event(kind)
  end)
end

harness.run(function()
  local client, keep = harness.open('keep.txt')
  vim.cmd.edit('typed.txt')
  local typed = vim.api.nvim_get_current_buf()
  vim.cmd.buffer(keep)
  harness.await('the other file', function()
    return client.attached_buffers[typed]
  end)
  vim.api.nvim_buf_set_lines(typed, 0, 0, true, { 'typed' })
  vim.api.nvim_win_set_cursor(0, { 3, 2 })
  local mark = vim.api.nvim_buf_set_extmark(keep, vim.api.nvim_create_namespace('test'), 2, 0, {})
  local reloaded = 0
  vim.api.nvim_buf_attach(keep, false, {
    on_reload = function()
      reloaded = reloaded + 1
    end,
  })
  for _, bufnr in ipairs({ keep, typed }) do
    vim.bo[bufnr].autoread = false
  end
  harness.prompt(client, keep, 'change them')
  harness.equal(await_event('run_ended').outcome, 'done', vim.inspect(harness.events))

  -- The command, then an edit over what it wrote, which knows its text.
  harness.equal(harness.disk('keep.txt'), 'one\n2\nthree\nfour\n')
  harness.equal(harness.logical(keep), 'one\n2\nthree\nfour\n')
  harness.equal({ vim.bo[keep].modified, reloaded }, { false, 0 })
  harness.equal(vim.api.nvim_win_get_cursor(0), { 3, 2 })
  local place =
    vim.api.nvim_buf_get_extmark_by_id(keep, vim.api.nvim_create_namespace('test'), mark, {})
  harness.equal(place, { 2, 0 }, 'marks stay')
  harness.check_hash(client, keep)

  local asked = 0
  vim.api.nvim_create_autocmd('FileChangedShell', {
    callback = function(event)
      asked = asked + (event.buf == keep and 1 or 0)
      vim.v.fcs_choice = ''
    end,
  })
  vim.cmd.checktime()
  harness.equal(asked, 0, 'questions about a changed file')
  vim.api.nvim_buf_set_lines(keep, 0, 1, true, { 'ONE' })
  harness.equal(vim.fn.execute('write'):find('WARNING'), nil, 'the write asks')

  for _, text in ipairs({ 'one\n2\n', 'one\nTWO\n', 'one\ntwo\n' }) do
    vim.cmd('silent undo')
    harness.equal(harness.logical(keep):sub(1, #text), text, 'step by step back')
  end

  harness.equal(harness.disk('typed.txt'), 'alpha\nBETA\n')
  harness.equal(harness.logical(typed), 'typed\nalpha\nbeta\n', 'typing stays')
  harness.equal(vim.bo[typed].modified, true)
end)
