-- The lines of a question as :MewApprove shows it, with the keys of its answers. Pure: knows no window and no server.

local literal = require('mewcode.literal')

local M = {}

--- @class mewcode.Choice an answer and its key
--- @field key string
--- @field title string
--- @field answer? string what is sent; without it the words that are asked for
--- @field prompt? string to ask for words first
--- @field row integer 1-based

--- @class mewcode.ApprovePage
--- @field lines string[]
--- @field marks { row: integer, first: integer, last: integer, highlight: string }[] row 0-based, columns in bytes
--- @field choices mewcode.Choice[] none where nothing can be answered

--- Keys of the answers that every question of a kind has. What allows for longer needs a shifted one.
local KEYS = { deny = 'd', once = 'o', session = 's', always = 'A' }

local INDENT = '  '

--- @param approval mewcode.Approval
--- @return mewcode.Choice[]
local function choices_of(approval)
  local choices, number = {}, 0
  for index, answer in ipairs(approval.answers) do
    local key = KEYS[answer.answer]
    -- An option of the model may be called as an answer of ours is.
    if not key or (approval.kind == 'choice' and index > 1) then
      number = number + 1
      key = number <= 9 and tostring(number) or number == 10 and '0' or nil
    end
    choices[#choices + 1] = { key = key, answer = answer.answer, title = answer.title }
    if index == 1 and answer.answer == 'deny' and approval.kind ~= 'trust' then
      choices[#choices + 1] = {
        key = 'D',
        answer = 'deny',
        title = answer.title .. ', with a word to the model…',
        prompt = 'Why not: ',
      }
    end
  end
  if approval.kind == 'choice' then
    choices[#choices + 1] =
      { key = 'i', title = 'Answer in your own words…', prompt = 'Your answer: ' }
  end
  return vim.tbl_filter(function(choice)
    return choice.key ~= nil
  end, choices)
end

--- @class mewcode.PageBuilder
--- @field lines string[]
--- @field marks table[]
local Builder = {}
Builder.__index = Builder

--- Adds a line that is literal already; what is unseen in it stands out.
--- @param line string
--- @param highlight? string
function Builder:add(line, highlight)
  local row = #self.lines
  self.lines[row + 1] = line
  if highlight and line ~= '' then
    self.marks[#self.marks + 1] = { row = row, first = 0, last = #line, highlight = highlight }
  end
  local from = 1
  while true do
    local first, last = line:find(literal.OPEN .. '[Ub].-' .. literal.CLOSE, from)
    if not first then
      return
    end
    local mark = { row = row, first = first - 1, last = last, highlight = 'MewUnseen' }
    self.marks[#self.marks + 1] = mark
    from = last + 1
  end
end

--- @param heading string
--- @param texts string[]
--- @param highlight? string
function Builder:section(heading, texts, highlight)
  if #texts == 0 then
    return
  end
  self:add('')
  self:add(heading, 'MewHeading')
  for _, text in ipairs(texts) do
    for _, line in ipairs(literal.lines(text)) do
      self:add(INDENT .. line, highlight)
    end
  end
end

--- @param choices mewcode.Choice[]
function Builder:answers(choices)
  for _, choice in ipairs(choices) do
    self:add(('%s%s  %s'):format(INDENT, choice.key, literal.line(choice.title)))
    choice.row = #self.lines
    local first = #INDENT
    self.marks[#self.marks + 1] =
      { row = #self.lines - 1, first = first, last = first + #choice.key, highlight = 'MewKey' }
  end
end

local WHAT = {
  permission = 'What will happen',
  choice = 'More of it',
  trust = 'What the project would be granted',
}

--- @param approval mewcode.Approval
--- @param gone? string why it cannot be answered any more
--- @param others mewcode.Waiting[] what else waits, the next one first
--- @return mewcode.ApprovePage
function M.build(approval, gone, others)
  local builder = setmetatable({ lines = {}, marks = {} }, Builder)
  local title = literal.lines(approval.title)
  builder:add(#title == 1 and title[1] or title[1] .. ' …', 'MewTitle')
  builder:add('')
  local choices = gone and {} or choices_of(approval)
  if gone then
    builder:add(INDENT .. literal.line(gone), 'MewUnseen')
  end
  builder:answers(choices)
  builder:section('The whole of it', #title > 1 and { approval.title } or {})
  builder:section(WHAT[approval.kind] or WHAT.permission, approval.details)
  builder:section('Why you are asked', approval.because)
  if approval.reason ~= '' then
    builder:section('The model says, in words of its own', { approval.reason }, 'MewWords')
  end
  if #others > 0 then
    builder:section(
      ('%d more, <Tab> shows the next'):format(#others),
      vim.tbl_map(function(waiting)
        return literal.line(waiting.approval.title)
      end, others)
    )
  end
  builder:add('')
  local words = gone and 'q closes this' or 'q closes this; the question goes on waiting'
  builder:add(words, 'MewWords')
  return { lines = builder.lines, marks = builder.marks, choices = choices }
end

return M
