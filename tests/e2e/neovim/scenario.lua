-- Plays a scenario of tests/e2e/editors in a real Neovim with the plugin: each step by what a person
-- has for it, a command, keys or the float of a question. What the steps mean is told in tests/e2e/editors/README.md.

local format = require('scenario_format')
local harness = require('harness')

--- How many undecided hunks each document has, as the plugin hears of it, by the name of the file.
local hunks = {} --- @type table<string, integer>
--- How many events were there when the last prompt was sent.
local before_prompt = 0

--- @param uri string
--- @return string relative to the workspace
local function name_of(uri)
  return vim.uri_to_fname(uri):sub(#harness.root + 2)
end

--- @param file string
--- @return integer?
local function buffer_of(file)
  local path = harness.root .. '/' .. file
  return vim.iter(vim.api.nvim_list_bufs()):find(function(bufnr)
    return vim.api.nvim_buf_is_loaded(bufnr) and vim.api.nvim_buf_get_name(bufnr) == path
  end)
end

--- @param bufnr integer
--- @return vim.lsp.Client?
local function client_of(bufnr)
  local client = vim.lsp.get_clients({ bufnr = bufnr, name = 'mewcode' })[1]
  return client and client.initialized and not client:is_stopped() and client or nil
end

--- @param file string
--- @return string?
local function disk(file)
  local path = harness.root .. '/' .. file
  return vim.uv.fs_stat(path) and harness.disk(file) or nil
end

--- @param file string
--- @param text string|table|userdata
local function write(file, text)
  local path = harness.root .. '/' .. file
  if text == vim.NIL then
    assert(os.remove(path))
    return
  end
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local handle = assert(io.open(path, 'wb'))
  handle:write(format.text(text))
  handle:close()
end

--- The events since the last prompt that are of a kind.
--- @param kind string
--- @return table[]
local function events(kind)
  local found = {}
  for index = before_prompt + 1, #harness.events do
    if harness.events[index].kind == kind then
      found[#found + 1] = harness.events[index]
    end
  end
  return found
end

--- @param wanted table<string, any>
--- @param look fun(file: string): any
--- @return table<string, any>
local function each(wanted, look)
  local found = {}
  for file in pairs(wanted) do
    local value = look(file)
    found[file] = value == nil and vim.NIL or value
  end
  return found
end

--- @param texts table<string, any>
--- @return table<string, any>
local function written_out(texts)
  return vim.tbl_map(function(text)
    return text == vim.NIL and text or format.text(text)
  end, texts)
end

--- What a state says that the scenario asks for, and what is so.
local LOOKS = {
  hunks = function()
    return hunks
  end,
  questions = function()
    return #require('mewcode.approvals').all()
  end,
  calls = function()
    return #events('call_ended')
  end,
  ended = function()
    local event = events('run_ended')[1]
    return event and event.outcome
  end,
  server = function()
    return client_of(0) and 'running' or 'stopped'
  end,
  buffer = function(wanted)
    return each(wanted, function(file)
      local bufnr = buffer_of(file)
      return bufnr and harness.logical(bufnr)
    end)
  end,
  disk = function(wanted)
    return each(wanted, disk)
  end,
  dirty = function(wanted)
    return each(wanted, function(file)
      local bufnr = buffer_of(file)
      return bufnr and vim.bo[bufnr].modified
    end)
  end,
  active = function()
    return vim.api.nvim_buf_get_name(0):sub(#harness.root + 2)
  end,
}

--- @param state table
--- @return fun(): string? problem
local function judge_of(state)
  local wanted = {}
  for key, value in pairs(state) do
    wanted[key] = (key == 'buffer' or key == 'disk') and written_out(value) or value
  end
  wanted.inStep = nil
  return function()
    for key, value in pairs(wanted) do
      local found = LOOKS[key](value)
      if not vim.deep_equal(found, value) then
        local words = '%s: expected %s\n got %s'
        return words:format(key, vim.inspect(value):sub(1, 2000), vim.inspect(found):sub(1, 2000))
      end
    end
    return nil
  end
end

--- Puts the cursor where a text is that the current buffer has once.
--- @param text string
--- @param after? boolean
local function go(text, after)
  local found
  for index, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, true)) do
    local at = line:find(text, 1, true)
    if at then
      harness.equal({ found, line:find(text, at + 1, true) }, {}, ('"%s" stands once'):format(text))
      found = { index, after and at - 1 + #text or at - 1 }
    end
  end
  harness.equal(found ~= nil, true, ('"%s" stands in the buffer'):format(text))
  -- Behind the last character of a line the cursor stands in insert mode alone.
  vim.wo.virtualedit = 'onemore'
  vim.api.nvim_win_set_cursor(0, found)
end

local typed = 0

--- Types as a person does: each key comes on its own, and Neovim's loop runs on between them.
--- @param keys string[]
local function press(keys)
  typed = typed + 1
  keys[#keys + 1] = ('<Cmd>let g:scenario_typed = %d<CR>'):format(typed)
  for _, key in ipairs(keys) do
    vim.api.nvim_input(key)
    harness.pause(0)
  end
  harness.await('the keys to be typed', function()
    return vim.g.scenario_typed == typed
  end)
end

--- @param text string
--- @return string[]
local function keys_of(text)
  return vim.tbl_map(function(character)
    return character == '<' and '<lt>' or character == '\n' and '<CR>' or character
  end, vim.fn.split(text, '\\zs'))
end

--- @param command string
--- @param decision table
local function decide(command, decision)
  local words = decision.take or decision.word or ''
  if decision.all then
    vim.cmd(vim.trim(('%s all %s'):format(command, words)))
  elseif decision.file then
    harness.equal(LOOKS.active(), decision.file, 'a file is decided on where it is seen')
    vim.cmd(vim.trim(('%s! %s'):format(command, words)))
  else
    go(decision.hunk)
    vim.cmd(vim.trim(('%s %s'):format(command, words)))
  end
end

--- Answers the question that is shown first, by the key of its answer.
--- @param answer { question: string, with: string, word?: string }
local function answer_question(answer)
  local waiting = require('mewcode.approvals').all()[1]
  harness.equal(waiting ~= nil, true, 'a question waits')
  local title = waiting.approval.title
  harness.equal(title:find(answer.question, 1, true) ~= nil, true, 'asked: ' .. title)
  local keys = { deny = answer.word and 'D' or 'd', once = 'o', session = 's', always = 'A' }
  local key = keys[answer.with]
  for index, one in ipairs(waiting.approval.answers) do
    if waiting.approval.kind == 'choice' and one.answer == answer.with then
      -- The refusal comes before the options.
      key = tostring(index - 1)
    end
  end
  harness.equal(key ~= nil, true, ('"%s" is an answer'):format(answer.with))
  local input = vim.ui.input
  vim.ui.input = function(_, on_words)
    on_words(answer.word)
  end
  vim.cmd('MewApprove')
  press({ key })
  harness.await('the question to go', function()
    return not vim.iter(require('mewcode.approvals').all()):any(function(one)
      return one.approval.id == waiting.approval.id
    end)
  end)
  vim.ui.input = input
end

local PLAY = {}

--- @param file string
function PLAY.open(file)
  -- Read again it would be another document.
  if LOOKS.active() ~= file then
    vim.cmd.edit(file)
  end
  local bufnr = vim.api.nvim_get_current_buf()
  harness.await('the server to know the file', function()
    return client_of(bufnr)
  end)
end

--- @param typing table
function PLAY.type(typing)
  local place = typing.before or typing.after or typing.over
  go(place, typing.after ~= nil)
  local keys = keys_of(typing.text)
  table.insert(keys, 1, typing.over and ('c%dl'):format(vim.fn.strchars(place)) or 'i')
  keys[#keys + 1] = '<Esc>'
  press(keys)
end

--- @param text string
function PLAY.prompt(text)
  before_prompt = #harness.events
  vim.cmd('Mew ' .. text)
end

function PLAY.accept(decision)
  decide('MewAccept', decision)
end

function PLAY.reject(decision)
  decide('MewReject', decision)
end

PLAY.answer = answer_question

--- @param file string
function PLAY.undo(file)
  harness.equal(LOOKS.active(), file, 'undone where it is seen')
  vim.cmd('silent undo')
end

--- @param file string
function PLAY.save(file)
  harness.equal(LOOKS.active(), file, 'saved where it is seen')
  vim.cmd('silent write')
end

function PLAY.write(files)
  for file, text in pairs(files) do
    write(file, text)
  end
  -- A person comes back to Neovim's window after they changed files elsewhere.
  vim.cmd('silent checktime')
end

function PLAY.stop()
  vim.cmd('MewStop')
end

function PLAY.kill()
  local killed = 0
  for _, process in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
    if vim.api.nvim_get_proc(process).name == 'mewcode' then
      vim.uv.kill(process, 'sigkill')
      killed = killed + 1
    end
  end
  harness.equal(killed, 1, 'one server is killed')
  harness.await('its end', function()
    return not client_of(0)
  end)
  -- Nobody tells of hunks that went with their server.
  hunks = {}
end

function PLAY.restart()
  vim.cmd('MewRestart')
  harness.listen_to(harness.await('the server', function()
    return client_of(0)
  end))
end

function PLAY.wait(state)
  local judge = judge_of(state)
  local ok, problem = pcall(harness.await, 'the state', function()
    return judge() == nil
  end)
  if not ok then
    local ended = vim.inspect(events('run_ended'))
    error(('%s: %s; run: %s'):format(problem, judge() or 'it came too late', ended))
  end
end

function PLAY.expect(state)
  local problem = judge_of(state)()
  if problem then
    error(problem)
  end
  for _, file in ipairs(state.inStep or {}) do
    local bufnr = assert(buffer_of(file), file .. ' is open')
    harness.check_hash(assert(client_of(bufnr), 'the server runs'), bufnr)
  end
end

--- @param steps table[]
--- @param place string
local function play(steps, place)
  for index, step in ipairs(steps) do
    local verb, argument = next(step)
    local here = ('%s[%d] %s'):format(place, index, verb)
    if verb == 'only' then
      if argument.editor == 'neovim' then
        play(argument.steps, here)
      end
    else
      local ok, problem = pcall(PLAY[verb], argument)
      if not ok then
        error(('%s: %s'):format(here, problem), 0)
      end
    end
  end
end

--- Removes the blanks at the ends of lines before a write, as a formatter that is bound to it does.
local function format_on_save()
  vim.api.nvim_create_autocmd('BufWritePre', {
    callback = function(event)
      for row, line in ipairs(vim.api.nvim_buf_get_lines(event.buf, 0, -1, true)) do
        local kept = #line:gsub('[ \t]+$', '')
        if kept < #line then
          vim.api.nvim_buf_set_text(event.buf, row - 1, kept, row - 1, #line, {})
        end
      end
    end,
  })
end

local function auto_save()
  vim.api.nvim_create_autocmd({ 'InsertLeave', 'TextChanged' }, {
    nested = true,
    callback = function()
      vim.cmd('silent update')
    end,
  })
end

harness.run(function()
  local scenario = format.read(vim.env.MEWCODE_TEST_SCENARIO)
  for file, text in pairs(scenario.files) do
    write(file, text)
  end
  local settings = scenario.settings or {}
  if settings.formatOnSave then
    format_on_save()
  end
  if settings.autoSave then
    auto_save()
  end
  vim.o.autoread = true
  vim.api.nvim_create_autocmd('User', {
    pattern = 'MewcodeReview',
    callback = function(event)
      hunks[name_of(event.data.uri)] = event.data.hunks > 0 and event.data.hunks or nil
    end,
  })
  local first = scenario.steps[1]
  harness.equal(first and first.open ~= nil, true, 'a scenario begins with a file')
  harness.open(first.open)
  play(scenario.steps, 'step')
end)
