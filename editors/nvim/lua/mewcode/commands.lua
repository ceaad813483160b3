-- The user's commands: each finds its client, makes sure that the server sees the buffers as they are, and sends
-- one request. What follows comes back as reviews and events.

local checksum = require('mewcode.checksum')
local clients = require('mewcode.client')
local report = require('mewcode.report')
local review = require('mewcode.review')

local M = {}

--- @class mewcode.CommandArguments what nvim_create_user_command passes
--- @field args string
--- @field fargs string[]
--- @field bang boolean
--- @field range integer how many line numbers were given
--- @field line1 integer
--- @field line2 integer
--- @field count integer

--- The lines that a prompt is about, kept while its words are asked for and other edits arrive.
local PROMPTS = vim.api.nvim_create_namespace('mewcode.prompt')

--- @param bufnr integer
--- @param arguments mewcode.CommandArguments
--- @return integer mark
local function mark_range(bufnr, arguments)
  local last = vim.api.nvim_buf_get_lines(bufnr, arguments.line2 - 1, arguments.line2, true)[1]
  return vim.api.nvim_buf_set_extmark(bufnr, PROMPTS, arguments.line1 - 1, 0, {
    end_row = arguments.line2 - 1,
    end_col = #last,
  })
end

--- Whole lines, where they stand now. Takes the mark away.
--- @param bufnr integer
--- @param mark integer
--- @param client vim.lsp.Client
--- @return lsp.Range? range nothing if somebody took the mark away
local function range_of(bufnr, mark, client)
  local place = vim.api.nvim_buf_get_extmark_by_id(bufnr, PROMPTS, mark, { details = true })
  vim.api.nvim_buf_del_extmark(bufnr, PROMPTS, mark)
  if #place == 0 then
    return nil
  end
  local row = place[3].end_row
  local last = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
  return {
    start = { line = place[1], character = 0 },
    ['end'] = { line = row, character = vim.str_utfindex(last, client.offset_encoding) },
  }
end

--- @param arguments mewcode.CommandArguments
function M.prompt(arguments)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = clients.need(bufnr)
  if not client then
    return
  end
  local argument, mark = {}, nil --- @type table, integer?
  if client.attached_buffers[bufnr] then
    argument.uri = vim.uri_from_bufnr(bufnr)
    mark = arguments.range > 0 and mark_range(bufnr, arguments) or nil
  end
  local function send(text)
    argument.text = text
    -- Words take their time: the file may have been moved or closed.
    if mark and vim.api.nvim_buf_is_loaded(bufnr) then
      argument.range = range_of(bufnr, mark, client)
    end
    if client.attached_buffers[bufnr] then
      argument.uri = vim.uri_from_bufnr(bufnr)
    end
    clients.execute(client, 'mewcode.prompt', argument, bufnr)
  end
  local function ask(text)
    if text and vim.trim(text) ~= '' then
      checksum.verify(client, clients.buffers(client), function()
        send(text)
      end)
    elseif mark and vim.api.nvim_buf_is_loaded(bufnr) then
      vim.api.nvim_buf_del_extmark(bufnr, PROMPTS, mark)
    end
  end
  if arguments.args ~= '' then
    ask(arguments.args)
  else
    local completion = "customlist,v:lua.require'mewcode.complete'.prompt_line"
    vim.ui.input({ prompt = 'Mew: ', completion = completion }, ask)
  end
end

function M.review()
  local client = clients.need(vim.api.nvim_get_current_buf())
  if client then
    require('mewcode.list').open()
  end
end

function M.approve()
  local client = clients.need(vim.api.nvim_get_current_buf())
  if client then
    require('mewcode.approve').open(client)
  end
end

--- @param command lsp.Command
--- @param context { client_id: integer }
function M.show_approval(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if client then
    require('mewcode.approve').open(client, vim.tbl_get(command, 'arguments', 1, 'id'))
  end
end

local ACCEPT = 'mewcode.review.accept'

local LEFT =
  '%d in conflict with your changes left alone; :MewAccept on each asks whose lines stand'

--- @param client vim.lsp.Client
--- @param command string
--- @param bufnr integer
--- @param arguments table[]
local function decide(client, command, bufnr, arguments)
  local affected = arguments[1].all and clients.buffers(client) or { bufnr }
  checksum.verify(client, affected, function()
    for _, argument in ipairs(arguments) do
      clients.execute(client, command, argument, bufnr, function(result)
        if (result.conflicts or 0) > 0 then
          report.warn(LEFT:format(result.conflicts))
        end
      end)
    end
  end)
end

--- @param arguments mewcode.CommandArguments
--- @param bufnr integer
--- @return mewcode.Hunk[]
local function hunks_meant(arguments, bufnr)
  if arguments.range > 0 then
    local met = vim.tbl_map(function(located)
      return located.hunk
    end, review.meeting(bufnr, arguments.line1 - 1, arguments.line2 - 1))
    local of_lines = vim.tbl_filter(function(hunk)
      return not hunk.file
    end, met)
    -- Who names lines means hunks of lines, as long as there are any.
    return #of_lines > 0 and of_lines or met
  end
  local located = review.at(bufnr, vim.api.nvim_win_get_cursor(0)[1] - 1)
  return located and { located.hunk } or {}
end

--- @param command string
--- @param arguments mewcode.CommandArguments
--- @param all boolean
--- @param extra table what the user added: feedback, or whose side of a conflict to take
local function decide_on(command, arguments, all, extra)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = clients.need(bufnr)
  if not client then
    return
  end
  local function with(subject)
    return vim.tbl_extend('error', subject, extra)
  end
  if all then
    return decide(client, command, bufnr, { with({ all = true }) })
  end
  if arguments.bang then
    return decide(client, command, bufnr, { with({ uri = vim.uri_from_bufnr(bufnr) }) })
  end
  local hunks = hunks_meant(arguments, bufnr)
  if #hunks == 0 then
    return report.warn('no hunk here; :MewNext goes on, :MewReview lists all')
  end
  if #hunks > 1 and command == ACCEPT and not extra.take then
    local clean = vim.tbl_filter(function(hunk)
      return hunk.state ~= 'conflicted'
    end, hunks)
    if #clean < #hunks then
      report.warn(LEFT:format(#hunks - #clean))
    end
    hunks = clean
  end
  if #hunks == 0 then
    return
  end
  decide(
    client,
    command,
    bufnr,
    vim.tbl_map(function(hunk)
      return with({ hunk = hunk.id })
    end, hunks)
  )
end

local SIDES = { mine = true, agent = true, both = true }

--- @param arguments mewcode.CommandArguments
function M.accept(arguments)
  local word = arguments.args
  if word ~= '' and word ~= 'all' and not SIDES[word] then
    return report.error((':MewAccept knows all, mine, agent and both, not "%s"'):format(word))
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local hunks = hunks_meant(arguments, bufnr)
  local conflict = #hunks == 1 and hunks[1].state == 'conflicted'
  if not arguments.bang and word ~= 'all' and word ~= 'mine' and conflict and hunks[1].file then
    local words = '%s: no longer, for you changed the text; undo your change, or :MewReject'
    return report.warn(words:format(hunks[1].title))
  end
  if word == '' and not arguments.bang and conflict then
    local client = clients.need(bufnr)
    local prompt = 'You and the agent changed these lines. Keep:'
    return client
      and vim.ui.select({ 'mine', 'agent', 'both' }, { prompt = prompt }, function(side)
        if side then
          -- The cursor may be elsewhere by now.
          decide(client, ACCEPT, bufnr, { { hunk = hunks[1].id, take = side } })
        end
      end)
  end
  decide_on(ACCEPT, arguments, word == 'all', { take = SIDES[word] and word or nil })
end

--- @param arguments mewcode.CommandArguments
function M.reject(arguments)
  local words = vim.list_slice(arguments.fargs)
  local all = words[1] == 'all'
  if all then
    table.remove(words, 1)
  end
  local feedback = #words > 0 and table.concat(words, ' ') or nil
  decide_on('mewcode.review.reject', arguments, all, { feedback = feedback })
end

--- @param arguments mewcode.CommandArguments
function M.diff(arguments)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = clients.need(bufnr)
  local located = review.at(bufnr, vim.api.nvim_win_get_cursor(0)[1] - 1)
  if client and arguments.bang then
    local argument = { uri = vim.uri_from_bufnr(bufnr) }
    clients.execute(client, 'mewcode.review.showDiff', argument, bufnr)
  elseif client and located then
    clients.execute(client, 'mewcode.review.showDiff', { hunk = located.hunk.id }, bufnr)
  elseif client then
    report.warn('no hunk here; :MewDiff! shows the diff of the whole file')
  end
end

--- @param arguments mewcode.CommandArguments
function M.next_hunk(arguments)
  require('mewcode.jump').hunk(arguments.count)
end

--- @param arguments mewcode.CommandArguments
function M.previous_hunk(arguments)
  require('mewcode.jump').hunk(-arguments.count)
end

--- @param command string
--- @param argument table
--- @param on_result? fun(result: any)
local function plain(command, argument, on_result)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = clients.need(bufnr)
  if client then
    clients.execute(client, command, argument, bufnr, on_result)
  end
end

function M.stop()
  plain('mewcode.cancel', {}, function(result)
    if result.stopped == false then
      report.info('nothing runs')
    end
  end)
end

function M.background()
  plain('mewcode.moveToBackground', {}, function(result)
    if #result.commands == 0 then
      report.info('no run waits for a command')
    else
      report.info(('%s goes on in the background'):format(table.concat(result.commands, ', ')))
    end
  end)
end

function M.trust()
  plain('mewcode.trustWorkspace', {})
end

function M.new_session()
  plain('mewcode.newSession', {}, function()
    report.info('a new session begins with the next prompt')
  end)
end

function M.reload()
  plain('mewcode.reloadConfig', {}, function()
    report.info('the configuration was read again')
  end)
end

function M.restart()
  require('mewcode.life').restart()
end

--- @param arguments mewcode.CommandArguments
function M.mode(arguments)
  local modes = require('mewcode.complete').MODES
  if arguments.args == '' then
    local client = clients.need(vim.api.nvim_get_current_buf())
    local status = client and require('mewcode.status').of(client.id)
    if client then
      report.info('the mode is ' .. (status and status.mode or 'not known yet'))
    end
  elseif not vim.list_contains(modes, arguments.args) then
    report.error(('"%s" is no mode; use %s'):format(arguments.args, table.concat(modes, ', ')))
  else
    plain('mewcode.setMode', { mode = arguments.args }, function()
      report.info('the mode is ' .. arguments.args)
    end)
  end
end

--- @param command lsp.Command
--- @param context { client_id: integer }
function M.open_transcript(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local session = vim.tbl_get(command, 'arguments', 1, 'session')
  if client then
    require('mewcode.transcript').open(client, session, true)
  end
end

--- @param arguments mewcode.CommandArguments
function M.log(arguments)
  local client = clients.need(vim.api.nvim_get_current_buf())
  if client then
    local session = arguments.args ~= '' and arguments.args or nil
    require('mewcode.transcript').open(client, session, arguments.bang)
  end
end

return M
