-- :MewApprove: a float with one question and its answers, opened by the user and never by itself. A key answers the
-- question that is shown and no other: when that one is gone, no key answers until the user goes on to the next.

local approvals = require('mewcode.approvals')
local page = require('mewcode.approve_page')
local report = require('mewcode.report')

local M = {}

--- @class mewcode.ApproveView
--- @field bufnr integer
--- @field window integer
--- @field shown mewcode.Waiting
--- @field gone? string why the question that is shown cannot be answered any more
--- @field choices table<integer, mewcode.Choice> by row, 1-based

--- @type mewcode.ApproveView?
local view

local MARKS = vim.api.nvim_create_namespace('mewcode.approve')

--- @return boolean
local function is_open()
  return view ~= nil
    and vim.api.nvim_win_is_valid(view.window)
    and vim.api.nvim_win_get_buf(view.window) == view.bufnr
end

local function close()
  if is_open() then
    vim.api.nvim_win_close(view.window, true)
  end
  view = nil
end

--- What waits besides the question that is shown, in the order in which it comes.
--- @return mewcode.Waiting[]
local function others()
  local all, before, after = approvals.all(), {}, {}
  local list = before
  for _, waiting in ipairs(all) do
    if
      waiting.client_id == view.shown.client_id and waiting.approval.id == view.shown.approval.id
    then
      list = after
    else
      list[#list + 1] = waiting
    end
  end
  return vim.list_extend(after, before)
end

--- @param text_height integer
--- @return vim.api.keyset.win_config
local function place(text_height)
  local width = math.max(math.min(vim.o.columns - 4, 100), 20)
  local height = math.max(math.min(text_height, math.floor(vim.o.lines * 0.8)), 1)
  return {
    relative = 'editor',
    width = width,
    height = height,
    col = math.max(math.floor((vim.o.columns - width) / 2) - 1, 0),
    row = math.max(math.floor((vim.o.lines - height) / 2) - 1, 0),
  }
end

local function scroll_to_top()
  vim.api.nvim_win_call(view.window, function()
    vim.fn.winrestview({ topline = 1 })
  end)
end

--- Makes the window as high as its text, and says so where that does not fit.
local function fit()
  -- The width first, on which the height depends.
  vim.api.nvim_win_set_config(view.window, place(vim.api.nvim_win_get_height(view.window)))
  local height = vim.api.nvim_win_text_height(view.window, {}).all
  local config = place(height)
  local hidden = height - config.height
  config.border = 'rounded'
  config.footer = hidden > 0 and (' %d lines do not fit: scroll to read all '):format(hidden) or ''
  vim.api.nvim_win_set_config(view.window, config)
  if hidden <= 0 then
    scroll_to_top()
  end
end

local render, show_next

--- @param waiting mewcode.Waiting
--- @param argument { answer: string, feedback?: string }
local function send(waiting, argument)
  approvals.answer(waiting, argument, function(answered, problem)
    if problem then
      report.error(problem)
    end
    if not is_open() or view.shown.approval.id ~= waiting.approval.id then
      return
    end
    if problem and approvals.find(waiting.client_id, waiting.approval.id) then
      view.gone = nil
      return render()
    end
    view.gone = problem or answered
    if #others() == 0 then
      close()
    else
      render()
    end
  end)
end

--- @param choice mewcode.Choice
local function choose(choice)
  local waiting = view.shown
  local function answer(argument)
    -- An input leaves time for the question to go, and for another one to be shown.
    if is_open() and view.shown.approval.id == waiting.approval.id and not view.gone then
      view.gone = 'being answered'
      render()
    end
    send(waiting, argument)
  end
  if not choice.prompt then
    return answer({ answer = choice.answer })
  end
  vim.ui.input({ prompt = choice.prompt }, function(words)
    words = words and vim.trim(words)
    if words and words ~= '' then
      local is_feedback = choice.answer ~= nil
      answer(is_feedback and { answer = choice.answer, feedback = words } or { answer = words })
    end
  end)
end

--- @param lhs string
--- @param run fun()
local function map(lhs, run)
  vim.keymap.set('n', lhs, run, { buffer = view.bufnr, nowait = true, silent = true })
end

--- Keys that answer one question or another. Where they answer none they do nothing, not even what they would do
--- elsewhere.
local ANSWERING = vim.split('d D o s A i 1 2 3 4 5 6 7 8 9 0', ' ')

--- Puts the answers on their keys, and takes those of an earlier page away.
--- @param choices mewcode.Choice[]
local function map_answers(choices)
  for _, key in ipairs(ANSWERING) do
    map(key, function() end)
  end
  for _, choice in ipairs(choices) do
    map(choice.key, function()
      choose(choice)
    end)
  end
  map('<CR>', function()
    local choice = view.choices[vim.api.nvim_win_get_cursor(view.window)[1]]
    if choice then
      choose(choice)
    end
  end)
  map('<Tab>', function()
    show_next()
  end)
  map('<S-Tab>', function()
    show_next(true)
  end)
  map('q', close)
  map('<Esc>', close)
end

--- The answer that the cursor is on, so that it stays there when lines come and go.
--- @return string?
local function key_under_cursor()
  local choice = view.choices[vim.api.nvim_win_get_cursor(view.window)[1]]
  return choice and choice.key
end

--- @param fresh? boolean another question than before: the cursor goes to the safe answer
function render(fresh)
  local key = not fresh and key_under_cursor() or nil
  local cursor = vim.api.nvim_win_get_cursor(view.window)
  local built = page.build(view.shown.approval, view.gone, others())
  vim.bo[view.bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(view.bufnr, 0, -1, true, built.lines)
  vim.bo[view.bufnr].modifiable = false
  vim.api.nvim_buf_clear_namespace(view.bufnr, MARKS, 0, -1)
  for _, mark in ipairs(built.marks) do
    vim.api.nvim_buf_set_extmark(view.bufnr, MARKS, mark.row, mark.first, {
      end_col = mark.last,
      hl_group = mark.highlight,
    })
  end
  view.choices = {}
  for _, choice in ipairs(built.choices) do
    view.choices[choice.row] = choice
    if choice.key == key or (not key and fresh and choice == built.choices[1]) then
      cursor = { choice.row, 0 }
    end
  end
  map_answers(built.choices)
  cursor[1] = math.min(cursor[1], #built.lines)
  vim.api.nvim_win_set_cursor(view.window, cursor)
  fit()
  if fresh then
    scroll_to_top()
  end
end

--- @param backwards? boolean
function show_next(backwards)
  local waiting = others()
  local next_one = backwards and waiting[#waiting] or waiting[1]
  if next_one then
    view.shown, view.gone = next_one, nil
    render(true)
  elseif view.gone then
    close()
  end
end

--- @param waiting mewcode.Waiting
local function open(waiting)
  local bufnr = vim.api.nvim_create_buf(false, true)
  local options = vim.bo[bufnr]
  options.bufhidden = 'wipe'
  options.undolevels = -1
  options.modifiable = false
  options.filetype = 'mewcode-approval'
  local config = place(1)
  config.style, config.border, config.title = 'minimal', 'rounded', ' MewCode asks '
  local window = vim.api.nvim_open_win(bufnr, true, config)
  local look = vim.wo[window][0]
  look.wrap, look.linebreak, look.breakindent = true, false, true
  look.cursorline, look.conceallevel, look.list, look.spell = true, 0, false, false
  -- A file that the user goes to (`gf`) is not to be shown in here.
  look.winfixbuf = true
  view = { bufnr = bufnr, window = window, shown = waiting, choices = {} }
  vim.api.nvim_create_autocmd('VimResized', {
    buffer = bufnr,
    callback = function()
      if is_open() then
        fit()
      end
    end,
  })
  render(true)
end

--- The questions changed, here or elsewhere.
local function changed()
  if not is_open() then
    return
  end
  local known = approvals.find(view.shown.client_id, view.shown.approval.id)
  if not known and not view.gone then
    view.gone = 'answered elsewhere, or no longer asked'
  end
  render()
end

approvals.watch(changed)

--- Shows what waits, and the question `id` first; without one the oldest.
--- @param id? string
local function show(id)
  local all = approvals.all()
  local wanted = id
    and vim.iter(all):find(function(waiting)
      return waiting.approval.id == id
    end)
  if id and not wanted then
    return report.info('this question does not wait any more')
  end
  wanted = wanted or all[1]
  if is_open() then
    vim.api.nvim_set_current_win(view.window)
    if id or (view.gone and wanted) then
      view.shown, view.gone = wanted, nil
      render(true)
    end
  elseif wanted then
    open(wanted)
  else
    report.info('no question waits for you')
  end
end

--- @param client vim.lsp.Client
--- @param id? string
function M.open(client, id)
  if #approvals.all() > 0 or is_open() then
    return show(id)
  end
  -- A question that Neovim has not heard of would wait for ever.
  approvals.fetch(client, function()
    show(id)
  end)
end

return M
