-- Reads a scenario of tests/e2e/editors and refuses what its README does not tell of: an unknown key, a missing one, a
-- value of another kind. Knows nothing of Neovim's windows and buffers.

local M = {}

--- What an object may have, by the names of its kinds; a `?` says that it may be missing.
local OBJECTS = {
  scenario = {
    promise = 'string',
    files = 'files',
    turns = 'list',
    mode = 'string?',
    settings = 'settings?',
    steps = 'steps',
  },
  settings = { formatOnSave = 'boolean?', autoSave = 'boolean?' },
  step = {
    open = 'string?',
    type = 'typing?',
    prompt = 'string?',
    accept = 'decision?',
    reject = 'decision?',
    answer = 'answer?',
    undo = 'string?',
    save = 'string?',
    write = 'files?',
    stop = 'run?',
    kill = 'server?',
    restart = 'server?',
    wait = 'state?',
    expect = 'state?',
    only = 'only?',
  },
  typing = { text = 'string', before = 'string?', after = 'string?', over = 'string?' },
  decision = {
    hunk = 'string?',
    file = 'string?',
    all = 'boolean?',
    take = 'string?',
    word = 'string?',
  },
  answer = { question = 'string', with = 'string', word = 'string?' },
  state = {
    hunks = 'numbers?',
    questions = 'number?',
    calls = 'number?',
    ended = 'string?',
    server = 'string?',
    buffer = 'files?',
    disk = 'files?',
    dirty = 'booleans?',
    active = 'string?',
    inStep = 'list?',
  },
  only = { editor = 'string', because = 'string', steps = 'steps' },
  lines = { lines = 'number', line = 'string', except = 'strings?' },
}

--- Kinds whose keys are free, with the kind of their values.
local MAPS = { files = 'text', numbers = 'number', booleans = 'boolean', strings = 'string' }

--- Words of which a kind is one.
local WORDS = { run = { run = true }, server = { server = true } }

--- Of these an object has exactly one.
local ONE_OF = {
  step = vim.tbl_keys(OBJECTS.step),
  typing = { 'before', 'after', 'over' },
  decision = { 'hunk', 'file', 'all' },
}

local check

--- @param value any
--- @param kind string
--- @param place string
local function check_object(value, kind, place)
  local fields = OBJECTS[kind]
  if type(value) ~= 'table' then
    error(('%s is no %s'):format(place, kind))
  end
  for key in pairs(value) do
    if not fields[key] then
      error(('%s: a %s has no "%s"'):format(place, kind, key))
    end
  end
  for key, wanted in pairs(fields) do
    if value[key] ~= nil then
      check(value[key], (wanted:gsub('?$', '')), ('%s.%s'):format(place, key))
    elseif not vim.endswith(wanted, '?') then
      error(('%s: a %s needs "%s"'):format(place, kind, key))
    end
  end
  local given = vim.tbl_filter(function(key)
    return value[key] ~= nil
  end, ONE_OF[kind] or {})
  if ONE_OF[kind] and #given ~= 1 then
    error(
      ('%s: a %s needs exactly one of %s'):format(place, kind, table.concat(ONE_OF[kind], ', '))
    )
  end
end

--- @param value any
--- @param kind string
--- @param place string
function check(value, kind, place)
  if OBJECTS[kind] then
    check_object(value, kind, place)
  elseif kind == 'text' then
    -- No text: no such file.
    if value ~= vim.NIL and type(value) ~= 'string' then
      check_object(value, 'lines', place)
    end
  elseif kind == 'steps' then
    check(value, 'list', place)
    for index, step in ipairs(value) do
      check_object(step, 'step', ('%s[%d]'):format(place, index))
    end
  elseif MAPS[kind] then
    check(value, 'table', place)
    for key, one in pairs(value) do
      check(one, MAPS[kind], ('%s.%s'):format(place, key))
    end
  elseif WORDS[kind] then
    if not WORDS[kind][value] then
      error(('%s is not "%s"'):format(place, kind))
    end
  elseif kind == 'list' then
    if not vim.islist(value) then
      error(place .. ' is no list')
    end
  elseif type(value) ~= kind then
    error(('%s is no %s'):format(place, kind))
  end
end

--- @param path string
--- @return table scenario
function M.read(path)
  local handle = assert(io.open(path, 'rb'))
  local scenario = vim.json.decode(handle:read('*a'))
  handle:close()
  check(scenario, 'scenario', 'scenario')
  return scenario
end

--- A text as it stands in a scenario, written out.
--- @param text string|table
--- @return string
function M.text(text)
  if type(text) == 'string' then
    return text
  end
  local lines = {}
  for number = 1, text.lines do
    local other = (text.except or {})[tostring(number)]
    lines[number] = other or (text.line:gsub('{n}', tostring(number)))
  end
  return table.concat(lines, '\n') .. '\n'
end

return M
