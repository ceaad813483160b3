-- From text edits of the protocol to changes of one buffer. A plan is checked as a whole before the
-- first byte changes. Knows nothing of clients, hashes or undo steps.

local M = {}

--- A replacement in buffer terms: 0-based rows, byte columns, the end outside.
--- @class mewcode.Splice
--- @field start_row integer
--- @field start_column integer
--- @field end_row integer
--- @field end_column integer
--- @field lines string[]

--- @param bufnr integer
--- @param row integer
--- @return string
local function line_at(bufnr, row)
  return vim.api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
end

--- @param position lsp.Position
--- @return string
local function shown(position)
  return ('%s:%s'):format(position.line, position.character)
end

--- @param bufnr integer
--- @param position lsp.Position
--- @param encoding 'utf-8'|'utf-16'|'utf-32'
--- @param count integer lines in the buffer
--- @return integer? row may be `count`: behind the last line break
--- @return integer column
local function resolve(bufnr, position, encoding, count)
  if position.line < 0 or position.character < 0 or position.line > count then
    return nil, 0
  end
  if position.line == count then
    return count, 0
  end
  -- Not strict: a column behind the end means the end, as the protocol says.
  local line = line_at(bufnr, position.line)
  local column = vim.str_byteindex(line, encoding, position.character, false)
  if column < #line then
    -- Inside a character means its start; a byte offset is not checked by Neovim.
    column = column + vim.str_utf_start(line, column + 1)
  end
  return position.line, column
end

--- The lines of new text. In a dos buffer a CRLF is a line break; elsewhere its CR is part of the line,
--- which is how a file of mixed endings keeps them.
--- @param text string
--- @param dos boolean
--- @return string[]
local function split(text, dos)
  if dos then
    text = text:gsub('\r\n', '\n')
  end
  return vim.split(text, '\n', { plain = true })
end

--- A splice that touches the place behind the last line break, which the buffer does not have: turned into
--- one that ends on the last line and leaves the last line break out.
--- @param bufnr integer
--- @param splice mewcode.Splice
--- @param count integer
local function fold_phantom_line(bufnr, splice, count)
  if splice.end_row < count then
    return
  end
  local lines = splice.lines
  local last = count - 1
  splice.end_row, splice.end_column = last, #line_at(bufnr, last)
  local starts_behind = splice.start_row == count
  if starts_behind then
    splice.start_row, splice.start_column = last, splice.end_column
  end
  if #lines > 1 and lines[#lines] == '' then
    table.remove(lines)
  elseif not starts_behind and #lines == 1 and lines[1] == '' and splice.start_column == 0 then
    -- Whole lines go at the end of the buffer: the line break before them goes too.
    if splice.start_row > 0 then
      splice.start_row = splice.start_row - 1
      splice.start_column = #line_at(bufnr, splice.start_row)
    end
    return
  elseif #lines == 1 and lines[1] == '' then
    return
  end
  if starts_behind then
    table.insert(lines, 1, '')
  end
end

--- @param a mewcode.Splice
--- @param b mewcode.Splice
--- @return boolean
local function starts_before(a, b)
  if a.start_row ~= b.start_row then
    return a.start_row < b.start_row
  end
  if a.start_column ~= b.start_column then
    return a.start_column < b.start_column
  end
  -- An insertion at the start of a replacement comes first; two insertions keep their order.
  if a.end_row ~= b.end_row then
    return a.end_row < b.end_row
  end
  return a.end_column < b.end_column
end

--- Sorted without moving equal elements, which table.sort does not promise.
--- @param splices mewcode.Splice[]
--- @return mewcode.Splice[]
local function sorted(splices)
  local order = {} --- @type table<mewcode.Splice, integer>
  for index, splice in ipairs(splices) do
    order[splice] = index
  end
  table.sort(splices, function(a, b)
    if starts_before(a, b) then
      return true
    end
    return not starts_before(b, a) and order[a] < order[b]
  end)
  return splices
end

--- @param bufnr integer
--- @param edits lsp.TextEdit[]
--- @param encoding 'utf-8'|'utf-16'|'utf-32'
--- @return mewcode.Splice[]? ascending and disjoint
--- @return string? problem
function M.plan(bufnr, edits, encoding)
  local count = vim.api.nvim_buf_line_count(bufnr)
  local dos = vim.bo[bufnr].fileformat == 'dos'
  local splices = {} --- @type mewcode.Splice[]
  for _, edit in ipairs(edits) do
    local first, last = edit.range.start, edit.range['end']
    local start_row, start_column = resolve(bufnr, first, encoding, count)
    local end_row, end_column = resolve(bufnr, last, encoding, count)
    if not start_row or not end_row then
      local outside = start_row and last or first
      return nil,
        ('position %s is outside the %d lines of the buffer'):format(shown(outside), count)
    end
    if end_row < start_row or (end_row == start_row and end_column < start_column) then
      return nil, ('the range %s-%s ends before it starts'):format(shown(first), shown(last))
    end
    if edit.newText:find('\0', 1, true) then
      return nil, ('the new text at %s holds a NUL byte'):format(shown(first))
    end
    local splice = {
      start_row = start_row,
      start_column = start_column,
      end_row = end_row,
      end_column = end_column,
      lines = split(edit.newText, dos),
    }
    fold_phantom_line(bufnr, splice, count)
    splices[#splices + 1] = splice
  end
  sorted(splices)
  for index = 2, #splices do
    local before, after = splices[index - 1], splices[index]
    if
      after.start_row < before.end_row
      or (after.start_row == before.end_row and after.start_column < before.end_column)
    then
      return nil, ('two edits overlap in line %d'):format(after.start_row + 1)
    end
  end
  return splices
end

--- @param bufnr integer
--- @param splice mewcode.Splice
--- @return mewcode.Splice inverse
local function replace(bufnr, splice)
  local from_row, from_column = splice.start_row, splice.start_column
  local to_row, to_column = splice.end_row, splice.end_column
  local old = vim.api.nvim_buf_get_text(bufnr, from_row, from_column, to_row, to_column, {})
  vim.api.nvim_buf_set_text(bufnr, from_row, from_column, to_row, to_column, splice.lines)
  local last = #splice.lines
  return {
    start_row = from_row,
    start_column = from_column,
    end_row = from_row + last - 1,
    end_column = #splice.lines[last] + (last == 1 and from_column or 0),
    lines = old,
  }
end

--- Applies a plan, from the bottom up so that the places above stay valid.
--- @param bufnr integer
--- @param splices mewcode.Splice[]
--- @return fun() take_back restores the text as it was, unless something changed it since
function M.apply(bufnr, splices)
  local inverses = {} --- @type mewcode.Splice[]
  local function take_back()
    for index = #inverses, 1, -1 do
      replace(bufnr, inverses[index])
    end
  end
  for index = #splices, 1, -1 do
    local ok, result = pcall(replace, bufnr, splices[index])
    if not ok then
      take_back()
      error(result, 0)
    end
    inverses[#inverses + 1] = result
  end
  return take_back
end

return M
