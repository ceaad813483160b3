-- Many random edits typed into a buffer while the agent edits the same file: every typed token and every edit of the
-- agent stands at the end exactly once, in its line, and the server has the same text all along.
--
-- The person types as fast as they can, into any line but those that the agent is still going to change (they may do
-- so at once after). Editors skip an edit for a text that has changed since, and the server tries three times, so after
-- the second try the person rests until the call has ended.

local harness = require('harness')

local EDITS = tonumber(vim.env.MEWCODE_TEST_EDITS)
local CALLS = tonumber(vim.env.MEWCODE_TEST_CALLS)
local EACH = EDITS / CALLS

local bufnr = 0
local window = 0
--- The line's tag of each token that must stand.
local expected = {} --- @type table<string, string>
local gone = {} --- @type table<string, true>
local done = 0
local tries = 0
local ended = 0
local refused = {} --- @type table[]

--- @param first integer
--- @param last integer
--- @return integer
local function random(first, last)
  return math.random(first, last)
end

--- @return string
local function next_token()
  done = done + 1
  local decorations = { '', '', 'x', 'é', '😀', 'e\204\129' }
  return ('<u%05d%s>'):format(done, decorations[random(1, #decorations)])
end

--- @param line string
--- @return string
local function tag(line)
  return assert(line:match('^(%a+ %d+):'), 'a line without a tag: ' .. line)
end

--- A line into which may be typed.
--- @return integer row
--- @return string line
local function some_line()
  while true do
    local row = random(0, vim.api.nvim_buf_line_count(bufnr) - 1)
    local line = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
    if not line:find('anchor-', 1, true) then
      return row, line
    end
  end
end

--- Puts a token before a random space or at the end of a line.
local function insert_in_line()
  local row, line = some_line()
  local places = { #line }
  for at in line:gmatch('() ') do
    if at > #tag(line) + 1 then
      places[#places + 1] = at - 1
    end
  end
  local column = places[random(1, #places)]
  local token = next_token()
  vim.api.nvim_buf_set_text(bufnr, row, column, row, column, { ' ' .. token })
  expected[token] = tag(line)
end

--- Puts a new line before a random line.
local function insert_line()
  local row = some_line()
  local token = next_token()
  local line = ('user %05d: %s and words'):format(done, token)
  vim.api.nvim_buf_set_lines(bufnr, row, row, true, { line })
  expected[token] = tag(line)
end

--- Replaces a token that was typed before by another.
local function replace_token()
  local row, line = some_line()
  local first, last = line:find('<u%d+[^>]*>')
  if not first then
    return insert_in_line()
  end
  local old = line:sub(first, last)
  local token = next_token()
  vim.api.nvim_buf_set_text(bufnr, row, first - 1, row, last, { token })
  expected[old], gone[old] = nil, true
  expected[token] = tag(line)
end

--- Removes a line that was typed before.
local function delete_line()
  local row, line = some_line()
  if not vim.startswith(line, 'user ') then
    return replace_token()
  end
  vim.api.nvim_buf_set_lines(bufnr, row, row + 1, true, {})
  done = done + 1
  for token in line:gmatch('<u%d+[^>]*>') do
    expected[token], gone[token] = nil, true
  end
end

--- Types with keys, and stays in insert mode for a while in between: the agent's edits come meanwhile.
local function type_keys()
  local row, line = some_line()
  vim.api.nvim_win_set_cursor(window, { row + 1, 0 })
  if random(1, 2) == 1 then
    local token = next_token()
    vim.api.nvim_input('A ')
    harness.pause(random(0, 3))
    vim.api.nvim_input((token:gsub('<', '<lt>')))
    harness.pause(random(0, 3))
    expected[token] = tag(line)
  else
    local token = next_token()
    local new = ('user %05d: %s'):format(done, token)
    vim.api.nvim_input('o' .. (new:gsub('<', '<lt>')))
    harness.pause(random(0, 3))
    expected[token] = tag(new)
  end
  vim.api.nvim_input('<Esc>')
  harness.await('normal mode', function()
    return vim.api.nvim_get_mode().mode == 'n'
  end)
end

local function edit_once()
  local choice = random(1, 100)
  if choice <= 60 then
    insert_in_line()
  elseif choice <= 75 then
    replace_token()
  elseif choice <= 85 then
    insert_line()
  elseif choice <= 95 then
    delete_line()
  else
    type_keys()
  end
end

--- Everything stands where it must.
local function judge()
  local found = {} --- @type table<string, string>
  local landed = {} --- @type table<string, true>
  for _, line in ipairs(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)) do
    for token in line:gmatch('<u%d+[^>]*>') do
      harness.equal(found[token], nil, token .. ' stands twice')
      harness.equal(gone[token], nil, token .. ' was removed and is back')
      found[token] = tag(line)
    end
    for number in line:gmatch('agent%-(%d+)%.') do
      harness.equal(landed[number], nil, 'an edit of the agent stands twice')
      harness.equal(tag(line), 'line ' .. number, 'an edit of the agent stands in its line')
      landed[number] = true
    end
    harness.equal(line:find('anchor-', 1, true), nil, 'an edit of the agent is missing')
  end
  for token, line in pairs(expected) do
    harness.equal(found[token], line, token)
  end
  harness.equal(vim.tbl_count(landed), CALLS, 'edits of the agent')
end

harness.run(function()
  local seed = tonumber(vim.env.MEWCODE_TEST_SEED)
  math.randomseed(seed)
  local client
  client, bufnr = harness.open('lines.txt')
  window = vim.api.nvim_get_current_win()
  harness.on_apply = function()
    tries = tries + 1
  end
  harness.on_event = function(event)
    if event.kind == 'call_ended' and event.tool == 'edit_file' then
      ended, tries = ended + 1, 0
      if event.status ~= 'ok' then
        refused[#refused + 1] = event
      end
    end
  end
  harness.prompt(client, bufnr, 'all of them')

  local next_check = 0
  while done < EDITS do
    local behind = math.floor(ended * EACH) - done
    for _ = 1, math.max(behind, random(1, 30)) do
      if done < EDITS and tries < 2 then
        edit_once()
      end
    end
    if done >= next_check then
      harness.check_hash(client, bufnr)
      next_check = next_check + EDITS / 40
    end
    harness.pause(random(0, 20))
    -- Neither rests while the other works: the person waits for the agent, and the agent's next edit for nobody.
    harness.await('the agent', function()
      return harness.event('run_ended') or (tries < 2 and done < (ended + 4) * EACH)
    end)
  end
  harness.await('the end of the run', function()
    return harness.event('run_ended')
  end, 120000)

  harness.equal(refused, {}, 'calls that were refused')
  harness.equal(harness.event('run_ended').outcome, 'done', vim.inspect(harness.event('run_ended')))
  harness.check_hash(client, bufnr)
  judge()
  io.stdout:write(
    ('%d edits typed, %d edits of the agent, %d requests\n'):format(done, ended, harness.applies)
  )
end)
