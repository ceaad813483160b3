-- One patch in a real Neovim with the plugin: two open files are changed and one of them moves, an open file goes, a
-- new one comes. Before review by one decision, after review at once and taken back.

local harness = require('harness')

local mode = vim.env.MEWCODE_TEST_MODE

--- @param name string
--- @return boolean
local function exists(name)
  return vim.uv.fs_lstat(harness.root .. '/' .. name) ~= nil
end

--- @param client vim.lsp.Client
--- @param bufnr integer
--- @return table<string, any[]> hunks by file name
local function pending(client, bufnr)
  local answer = harness.request(client, bufnr, 'mewcode/pending', vim.empty_dict())
  local found = {}
  for _, hunk in ipairs(answer.hunks) do
    local name = vim.uri_to_fname(hunk.uri):sub(#harness.root + 2)
    found[name] = found[name] or {}
    table.insert(found[name], hunk)
  end
  return found
end

--- How many hunks each document has, as the plugin hears of it.
local heard = {} --- @type table<string, integer>

--- @param documents integer
local function await_hunks(documents)
  harness.await(('hunks in %d documents'):format(documents), function()
    return #vim.tbl_keys(heard) == documents
  end)
end

local TEXTS = {
  ['keep.txt'] = 'one\nTWO\nthree\n',
  ['deep/to.txt'] = 'alpha\nBETA\ngamma\n',
  ['new.txt'] = 'fresh\n',
}

local function check_landed()
  for name, text in pairs(TEXTS) do
    harness.equal(harness.disk(name), text, name)
  end
  harness.equal({ exists('gone.txt'), exists('from.txt') }, { false, false })
end

harness.run(function()
  vim.api.nvim_create_autocmd('User', {
    pattern = 'MewcodeReview',
    callback = function(event)
      heard[event.data.uri] = event.data.hunks > 0 and event.data.hunks or nil
    end,
  })
  local client, keep = harness.open('keep.txt')
  vim.cmd.edit('gone.txt')
  local gone = vim.api.nvim_get_current_buf()
  vim.cmd.vsplit('from.txt')
  local from = vim.api.nvim_get_current_buf()
  local window = vim.api.nvim_get_current_win()
  vim.cmd.wincmd('p')
  harness.await('the other files', function()
    return client.attached_buffers[gone] and client.attached_buffers[from]
  end)
  harness.prompt(client, keep, 'tidy up')
  if mode == 'default' then
    await_hunks(4)
    harness.equal(pending(client, keep)['from.txt'][1].title, 'Move to deep/to.txt (+1 −1)')
    harness.equal(exists('new.txt'), false)
    vim.cmd('MewAccept all')
  end
  harness.await('the end of the run', function()
    return harness.event('run_ended')
  end)
  harness.equal(harness.event('run_ended').outcome, 'done', vim.inspect(harness.event('run_ended')))
  check_landed()
  harness.equal(vim.api.nvim_buf_is_valid(gone), false)
  harness.equal(vim.api.nvim_win_get_buf(window), from, 'the moved buffer stays in its window')
  harness.equal(vim.api.nvim_buf_get_name(from), harness.root .. '/deep/to.txt')
  harness.equal({ vim.bo[from].modified, vim.bo[keep].modified }, { false, false })
  harness.check_hash(client, from)
  harness.check_hash(client, keep)
  if mode == 'default' then
    return
  end
  harness.equal(harness.applies, 1, 'one request for all open files')
  await_hunks(4)
  local hunks = pending(client, keep)
  harness.equal(hunks['gone.txt'][1].title, 'Removed this file (−2)')
  harness.equal(hunks['deep/to.txt'][1].title, 'Moved from from.txt (+1 −1)')
  vim.cmd('MewReject all')
  await_hunks(0)
  harness.equal(harness.disk('keep.txt'), 'one\ntwo\nthree\n')
  harness.equal(harness.disk('gone.txt'), 'first\nsecond\n')
  harness.equal(harness.disk('from.txt'), 'alpha\nbeta\ngamma\n')
  harness.equal({ exists('new.txt'), exists('deep/to.txt') }, { false, false })
  harness.equal(vim.api.nvim_buf_get_name(from), harness.root .. '/from.txt')
  harness.check_hash(client, from)
  vim.api.nvim_set_current_buf(from)
  vim.cmd('silent undo')
  harness.equal(harness.logical(from), 'alpha\nBETA\ngamma\n', 'one step back')
  vim.cmd('silent undo')
  harness.equal(harness.logical(from), 'alpha\nbeta\ngamma\n', 'and another')
  vim.cmd('silent write')
end)
