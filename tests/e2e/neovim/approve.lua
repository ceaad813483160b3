-- Questions in a real Neovim with the plugin: they come without a window, are counted in the statusline, survive `:e`,
-- and are answered by keys in the float.

local harness = require('harness')

--- @return integer?
local function float()
  return vim.iter(vim.api.nvim_list_wins()):find(function(window)
    return vim.api.nvim_win_get_config(window).relative ~= ''
  end)
end

--- @param count integer
local function await_waiting(count)
  harness.await(('%d questions to wait'):format(count), function()
    local counted = require('mewcode').statusline():find('⏸ ' .. count, 1, true)
    return (counted or count == 0) and #require('mewcode.approvals').all() == count
  end)
end

--- @param part string
local function show(part)
  vim.cmd('MewApprove')
  local window = harness.await('the float', float)
  local text =
    table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, true), '\n')
  harness.equal(text:find(part, 1, true) ~= nil, true, ('%s in %s'):format(part, text))
  harness.equal(vim.trim(vim.api.nvim_get_current_line()):sub(1, 3), 'd  ', 'the safe answer first')
end

--- @param keys string
local function press(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'xt', false)
end

--- The answers so far, as the events have them.
--- @return string[]
local function answered()
  local answers = {}
  for _, event in ipairs(harness.events) do
    if event.kind == 'approval_answered' then
      answers[#answers + 1] = event.answer
    end
  end
  return answers
end

--- @param count integer
local function await_answers(count)
  harness.await(('%d answers'):format(count), function()
    return #answered() == count and not float()
  end)
end

harness.run(function()
  local client, bufnr = harness.open('plain.txt')
  local window = vim.api.nvim_get_current_win()
  harness.prompt(client, bufnr, 'look')

  await_waiting(1)
  harness.equal({ float(), vim.api.nvim_get_current_win() }, { nil, window }, 'nothing opens')
  vim.cmd('edit')
  await_waiting(1)
  show('.env')
  press('o')
  await_answers(1)
  harness.equal(vim.api.nvim_get_current_win(), window)

  await_waiting(1)
  show('b/.env')
  press('<CR>')
  await_answers(2)

  await_waiting(1)
  show('  2  the second')
  press('2')
  await_answers(3)

  harness.await('the end of the run', function()
    return harness.event('run_ended')
  end)
  harness.equal(harness.event('run_ended').outcome, 'done', vim.inspect(harness.event('run_ended')))
  harness.equal(answered(), { 'allowed once', 'denied', 'answered: the second' })
  await_waiting(0)
  harness.equal(vim.api.nvim_get_current_win(), window)
end)
