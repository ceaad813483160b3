-- The transcript view: a read-only buffer `mewcode://session/<id>`, filled by the server and grown by events
-- while a run goes on; when the run ends the server's own words replace what was grown. Opens no window unless
-- asked, and moves no cursor but one that follows the end.

local clients = require('mewcode.client')
local config = require('mewcode.config')
local folds = require('mewcode.folds')
local output = require('mewcode.output')

local M = {}

--- Rest between two fetches of a turn that began before the view was opened.
local PAUSE_MILLISECONDS = 100

local SCHEME = 'mewcode://session/'
local MARKS = vim.api.nvim_create_namespace('mewcode.transcript')

--- @class mewcode.View
--- @field bufnr integer
--- @field client_id integer
--- @field calls table<string, mewcode.RunningCall>
--- @field sequence integer of the last event that was in the fetched text
--- @field fetching? boolean the text will be fetched soon
--- @field titles table<string, string> of the calls that run
--- @field turn? integer mark of the place where the model's present turn began

--- @class mewcode.RunningCall
--- @field mark integer of its line
--- @field title string

--- @type table<string, mewcode.View> by session
local views = {}

--- @param bufnr integer
--- @param change fun()
local function write(bufnr, change)
  -- Windows whose cursor is on the last line follow the end; the others stay where they are.
  local count = vim.api.nvim_buf_line_count(bufnr)
  local following = vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_cursor(window)[1] >= count
  end, vim.fn.win_findbuf(bufnr))
  vim.bo[bufnr].modifiable = true
  local ok, err = pcall(change)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].modified = false
  local last = vim.api.nvim_buf_line_count(bufnr)
  for _, window in ipairs(following) do
    vim.api.nvim_win_set_cursor(window, { last, 0 })
  end
  if not ok then
    error(err, 0)
  end
end

--- @param bufnr integer
--- @param text string
local function append(bufnr, text)
  write(bufnr, function()
    vim.api.nvim_buf_set_text(bufnr, -1, -1, -1, -1, vim.split(text, '\n', { plain = true }))
  end)
end

--- Appends a block of its own, one empty line after what stands there.
--- @param bufnr integer
--- @param block string
local function append_block(bufnr, block)
  local tail = vim.api.nvim_buf_get_lines(bufnr, -3, -1, false)
  local last, before = tail[#tail], tail[#tail - 1] or ''
  local gap = '\n\n'
  if last == '' then
    gap = before == '' and '' or '\n'
  end
  append(bufnr, gap .. block .. '\n\n')
end

--- Leaves alone what is the same from the top, so that whoever reads there is not disturbed.
--- @param bufnr integer
--- @param markdown string
local function replace(bufnr, markdown)
  local old = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  local new = vim.split(markdown, '\n', { plain = true })
  local same = 0
  while same < #old and same < #new and old[same + 1] == new[same + 1] do
    same = same + 1
  end
  write(bufnr, function()
    vim.api.nvim_buf_set_lines(bufnr, same, -1, true, vim.list_slice(new, same + 1))
  end)
end

--- @param bufnr integer
local function prepare(bufnr)
  local options = vim.bo[bufnr]
  options.buftype = 'nofile'
  options.bufhidden = 'hide'
  options.swapfile = false
  options.undolevels = -1
  options.modifiable = false
  options.filetype = 'markdown'
end

--- @param session string
--- @param client_id integer
--- @return mewcode.View
local function view_of(session, client_id)
  local view = views[session]
  if not view or not vim.api.nvim_buf_is_loaded(view.bufnr) then
    local bufnr = vim.fn.bufadd(SCHEME .. session)
    -- The buffer is filled by the caller, so its BufReadCmd has nothing to do.
    vim.cmd(('noautocmd call bufload(%d)'):format(bufnr))
    prepare(bufnr)
    view = { bufnr = bufnr, client_id = client_id, calls = {}, titles = {}, sequence = 0 }
    views[session] = view
  end
  view.client_id = client_id
  return view
end

--- Remembers the end of the buffer as the place where a turn of the model begins.
--- @param view mewcode.View
local function begin_turn(view)
  local row = vim.api.nvim_buf_line_count(view.bufnr) - 1
  view.turn = vim.api.nvim_buf_set_extmark(view.bufnr, MARKS, row, 0, {
    id = view.turn,
    right_gravity = false,
  })
end

--- @param text string
--- @return string
local function code(text)
  return '`' .. text:gsub('[`\n]', ' ') .. '`'
end

--- @param view mewcode.View
--- @param event table
local function call_started(view, event)
  local purpose = event.purpose and (' (%s)'):format(event.purpose) or ''
  local title = code(event.title) .. purpose
  append_block(view.bufnr, '- … ' .. title)
  local row = vim.api.nvim_buf_line_count(view.bufnr) - 3
  local mark = vim.api.nvim_buf_set_extmark(view.bufnr, MARKS, row, 0, {})
  view.calls[event.call] = { mark = mark, title = title }
  begin_turn(view)
end

--- How a call ended, at the beginning of its line.
local OUTCOMES = {
  ok = '✓',
  failed = '✗ failed,',
  denied = '✗ denied,',
  interrupted = '✗ interrupted,',
  unknown_outcome = '? outcome unknown,',
}

--- A block of code that nothing in the text ends, with an empty line before it.
--- @param language string
--- @param text string
--- @return string[]
local function fenced(language, text)
  local longest = 2
  for run in text:gmatch('`+') do
    longest = math.max(longest, #run)
  end
  local fence = ('`'):rep(longest + 1)
  local lines = vim.split(text:gsub('\n+$', ''), '\n', { plain = true })
  return vim.iter({ '', fence .. language, lines, fence }):flatten():totable()
end

--- The outcome goes into the call's own line, also when more was written below it, and what a command printed under it.
--- @param view mewcode.View
--- @param event table
--- @return boolean? unknown the line is in fetched text
local function call_ended(view, event)
  local call = view.calls[event.call]
  if not call then
    return true
  end
  view.calls[event.call] = nil
  local words = (event.error_kind and event.error_kind .. ': ' or '') .. event.summary
  local outcome = OUTCOMES[event.status] or event.status
  local line = ('- %s %s: %s'):format(outcome, call.title, words)
  line = line:gsub('\n', ' ')
  local row = vim.api.nvim_buf_get_extmark_by_id(view.bufnr, MARKS, call.mark, {})[1]
  vim.api.nvim_buf_del_extmark(view.bufnr, MARKS, call.mark)
  write(view.bufnr, function()
    vim.api.nvim_buf_set_text(view.bufnr, row, 0, row, -1, { line })
    if event.output then
      local block = fenced('output', event.output)
      vim.api.nvim_buf_set_lines(view.bufnr, row + 1, row + 1, true, block)
    end
  end)
end

--- The model is asked again: what it said in this turn is void.
--- @param view mewcode.View
--- @param event table
--- @return boolean? unknown the turn began in fetched text
local function retrying(view, event)
  if not view.turn then
    return true
  end
  local place = vim.api.nvim_buf_get_extmark_by_id(view.bufnr, MARKS, view.turn, {})
  write(view.bufnr, function()
    vim.api.nvim_buf_set_text(view.bufnr, place[1], place[2], -1, -1, {})
  end)
  local note = ('*Retry %d of %d: %s*'):format(event.attempt, event.attempts, event.reason)
  append_block(view.bufnr, note)
  begin_turn(view)
end

--- What stands beside its call, or above other text: where, is for the server to say.
--- @return boolean
local function placed_by_server()
  return true
end

--- What each kind of event adds; kinds that are not here add nothing. True: what it changes was not grown here, and
--- must be fetched.
--- @type table<string, fun(view: mewcode.View, event: table): boolean?>
local additions = {
  run_started = function(view, event)
    append_block(view.bufnr, '## Prompt\n\n> ' .. event.prompt:gsub('\n', '\n> '))
    begin_turn(view)
  end,
  text = function(view, event)
    -- Fetched text ends in a line break, also where more of the same words follows.
    if not view.turn then
      return true
    end
    append(view.bufnr, event.delta)
  end,
  call_started = call_started,
  call_ended = call_ended,
  approval_asked = placed_by_server,
  approval_answered = placed_by_server,
  rule_added = placed_by_server,
  plan = placed_by_server,
  retrying = retrying,
}

--- What running commands print stands in no transcript: it is shown below the text as long as they run.
--- @param view mewcode.View
--- @param event table
local function show_output(view, event)
  if event.kind == 'call_started' then
    view.titles[event.call] = event.title
  elseif event.kind == 'output' then
    output.add(view.bufnr, event.call, view.titles[event.call], event.tail)
  elseif event.kind == 'call_ended' then
    view.titles[event.call] = nil
    output.remove(view.bufnr, event.call)
  elseif event.kind == 'run_ended' then
    view.titles = {}
    output.remove(view.bufnr)
  else
    output.draw(view.bufnr)
  end
end

--- @param view mewcode.View
--- @param envelope mewcode.Envelope
--- @return boolean? to_fetch
local function grow(view, envelope)
  local add = additions[envelope.event.kind]
  if not add or envelope.sequence <= view.sequence then
    return false
  end
  return add(view, envelope.event)
end

--- Events that came while a transcript was on its way: the answer may have been made before them. One list a
--- request, which goes with it.
--- @type table<mewcode.Envelope[], true>
local missed = setmetatable({}, { __mode = 'k' })

local fetch --- @type fun(client: vim.lsp.Client, session?: string, on_shown?: fun(view: mewcode.View))

--- Fetches when a burst of events is over, or goes on for too long.
--- @param client vim.lsp.Client
--- @param session string
--- @param view mewcode.View
local function fetch_soon(client, session, view)
  if view.fetching then
    return
  end
  view.fetching = true
  vim.defer_fn(function()
    view.fetching = false
    if not client:is_stopped() then
      fetch(client, session)
    end
  end, PAUSE_MILLISECONDS)
end

--- Asks the server for the whole transcript and shows it.
--- @param client vim.lsp.Client
--- @param session? string the client's present one when absent
--- @param on_shown? fun(view: mewcode.View)
function fetch(client, session, on_shown)
  local params = session and { session = session } or vim.empty_dict()
  local bufnr = vim.api.nvim_get_current_buf()
  local later = {} --- @type mewcode.Envelope[]
  missed[later] = true
  local function show(result)
    local view = view_of(result.session, client.id)
    view.calls, view.turn, view.sequence = {}, nil, result.sequence or math.huge
    vim.api.nvim_buf_clear_namespace(view.bufnr, MARKS, 0, -1)
    replace(view.bufnr, result.markdown)
    for _, envelope in ipairs(later) do
      if envelope.session == result.session and grow(view, envelope) then
        fetch_soon(client, result.session, view)
      end
    end
    view.sequence = result.sequence or 0
    output.draw(view.bufnr)
    if on_shown then
      on_shown(view)
    end
  end
  clients.request(client, 'mewcode/transcript', params, bufnr, function(result)
    missed[later] = nil
    show(result)
  end)
end

--- @param envelope mewcode.Envelope
--- @param client_id integer
function M.add(envelope, client_id)
  for later in pairs(missed) do
    later[#later + 1] = envelope
  end
  local view = views[envelope.session]
  if not view or not vim.api.nvim_buf_is_loaded(view.bufnr) then
    return
  end
  local to_fetch = grow(view, envelope)
  show_output(view, envelope.event)
  local client = vim.lsp.get_client_by_id(client_id)
  if client and envelope.event.kind == 'run_ended' then
    fetch(client, envelope.session)
  elseif client and to_fetch then
    fetch_soon(client, envelope.session, view)
  end
end

--- Whose transcript a buffer is.
--- @param bufnr integer
--- @return vim.lsp.Client?
function M.client(bufnr)
  local session = vim.api.nvim_buf_get_name(bufnr):sub(#SCHEME + 1)
  local view = views[session]
  return view and view.bufnr == bufnr and vim.lsp.get_client_by_id(view.client_id) or nil
end

--- A server has ended, and what it ran.
--- @param client_id integer
function M.forget(client_id)
  for _, view in pairs(views) do
    if view.client_id == client_id then
      view.titles = {}
      output.remove(view.bufnr)
    end
  end
end

--- Whether a window shows a session.
--- @param session string
--- @return boolean
function M.is_shown(session)
  local view = views[session]
  return view ~= nil and vim.fn.bufwinid(view.bufnr) ~= -1
end

--- For BufReadCmd: the user, or the server by window/showDocument, opens the buffer by its name.
--- @param bufnr integer
function M.read(bufnr)
  local session = vim.api.nvim_buf_get_name(bufnr):sub(#SCHEME + 1)
  local client = clients.need(bufnr)
  prepare(bufnr)
  if client then
    views[session] = { bufnr = bufnr, client_id = client.id, calls = {}, titles = {}, sequence = 0 }
    fetch(client, session)
  end
end

--- The window of this tab page that shows a transcript: its own, else that of another one, else a new one.
--- @param bufnr integer
--- @return integer
local function window_of(bufnr)
  local window = vim.fn.bufwinid(bufnr)
  if window ~= -1 then
    return window
  end
  window = vim.iter(vim.api.nvim_tabpage_list_wins(0)):find(function(other)
    local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(other))
    return vim.startswith(name, SCHEME) and not vim.wo[other].winfixbuf
  end)
  if window then
    vim.api.nvim_win_set_buf(window, bufnr)
  else
    local split = config.get().log_split
    window = vim.api.nvim_open_win(bufnr, false, { split = split, win = -1 })
  end
  vim.wo[window][0].wrap = true
  folds.show(window)
  vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(bufnr), 0 })
  return window
end

--- @param client vim.lsp.Client
--- @param session? string
--- @param enter boolean whether the cursor goes there
function M.open(client, session, enter)
  fetch(client, session, function(view)
    local window = window_of(view.bufnr)
    if enter then
      vim.api.nvim_set_current_win(window)
    end
  end)
end

return M
