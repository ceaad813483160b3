-- Commands, <Plug> maps and the hooks into Neovim's events; everything else is required on first use.
-- No key is mapped and nothing is started here: `vim.lsp.enable('mewcode')` is the user's word.

if vim.g.loaded_mewcode then
  return
end
vim.g.loaded_mewcode = true

--- @param name string
--- @param run string function of mewcode.commands
--- @param attributes table
local function command(name, run, attributes)
  vim.api.nvim_create_user_command(name, function(arguments)
    require('mewcode.commands')[run](arguments)
  end, attributes)
end

--- @param which string completion function of mewcode.complete
local function complete(which)
  return function(...)
    return require('mewcode.complete')[which](...)
  end
end

command('Mew', 'prompt', {
  nargs = '*',
  range = true,
  complete = complete('prompt'),
  desc = 'Ask MewCode; without words, in an input',
})
command('MewReview', 'review', { desc = 'List the pending hunks and go to the first' })
command('MewAccept', 'accept', {
  nargs = '?',
  range = true,
  bang = true,
  complete = complete('accept'),
  desc = 'Accept the hunk under the cursor, in the range, of the file (!) or all',
})
command('MewReject', 'reject', {
  nargs = '*',
  range = true,
  bang = true,
  complete = complete('reject'),
  desc = 'Reject the hunk under the cursor, in the range, of the file (!) or all',
})
command('MewDiff', 'diff', { bang = true, desc = 'Show the diff of the hunk, or of the file (!)' })
command('MewNext', 'next_hunk', { count = 1, desc = 'Go to the next hunk' })
command('MewPrevious', 'previous_hunk', { count = 1, desc = 'Go to the previous hunk' })
command('MewApprove', 'approve', { desc = 'Show the questions that wait for an answer' })
command('MewTrust', 'trust', { desc = 'Trust the workspace, after you have seen what that grants' })
command('MewStop', 'stop', { desc = 'Stop the run' })
command('MewBackground', 'background', { desc = 'Move the command to the background' })
command('MewMode', 'mode', {
  nargs = '?',
  complete = complete('mode'),
  desc = 'Set the permission mode; without a word, show it',
})
command('MewNew', 'new_session', { desc = 'Begin a new session' })
command('MewReload', 'reload', { desc = 'Read the configuration again' })
command('MewRestart', 'restart', { desc = 'End the server and start it again' })
command('MewLog', 'log', {
  nargs = '?',
  bang = true,
  complete = complete('session'),
  desc = 'Show the transcript; ! enters it',
})

local plugs = {
  accept = 'MewAccept',
  ['accept-file'] = 'MewAccept!',
  reject = 'MewReject',
  ['reject-file'] = 'MewReject!',
  diff = 'MewDiff',
  review = 'MewReview',
  approve = 'MewApprove',
  prompt = 'Mew',
  stop = 'MewStop',
  background = 'MewBackground',
  log = 'MewLog',
}
for plug, name in pairs(plugs) do
  local lhs = ('<Plug>(mewcode-%s)'):format(plug)
  vim.keymap.set('n', lhs, ('<Cmd>%s<CR>'):format(name), { desc = name })
  if plug == 'accept' or plug == 'reject' or plug == 'prompt' then
    vim.keymap.set('x', lhs, (':%s<CR>'):format(name), { silent = true, desc = name })
  end
end
for plug, direction in pairs({ ['next-hunk'] = 1, ['previous-hunk'] = -1 }) do
  vim.keymap.set({ 'n', 'x' }, ('<Plug>(mewcode-%s)'):format(plug), function()
    require('mewcode.jump').hunk(direction * vim.v.count1)
  end, { desc = 'MewCode: ' .. plug })
end

local group = vim.api.nvim_create_augroup('mewcode', {})

--- @param event string|string[]
--- @param run string function of mewcode.attach
--- @param pattern? string
local function on(event, run, pattern)
  vim.api.nvim_create_autocmd(event, {
    group = group,
    pattern = pattern,
    callback = function(arguments)
      -- Who has not enabled the server pays for no module.
      if vim.lsp.is_enabled('mewcode') or package.loaded['mewcode.attach'] then
        require('mewcode.attach')[run](arguments)
      end
    end,
  })
end

on({ 'BufReadPost', 'BufNewFile', 'BufWritePost' }, 'file')
on('LspAttach', 'attached')
on('LspDetach', 'detached')
on('BufReadCmd', 'transcript', 'mewcode://session/*')
