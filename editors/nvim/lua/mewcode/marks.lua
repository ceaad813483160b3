-- Marks of the user across a change. Neovim drops or shifts a mark whose line is part of a replaced run of
-- lines; here it stays at its place in the new text. Knows nothing of where the change comes from.

local M = {}

--- @class mewcode.Mark
--- @field name string
--- @field row integer 0-based
--- @field column integer

--- @param bufnr integer
--- @return mewcode.Mark[]
local function marks_of(bufnr)
  local marks = {} --- @type mewcode.Mark[]
  for _, item in ipairs(vim.fn.getmarklist(bufnr)) do
    local name = item.mark:match("^'(%l)$")
    if name then
      marks[#marks + 1] = { name = name, row = item.pos[2] - 1, column = item.pos[3] - 1 }
    end
  end
  for _, item in ipairs(vim.fn.getmarklist()) do
    local name = item.mark:match("^'(%u)$")
    if name and item.pos[1] == bufnr then
      marks[#marks + 1] = { name = name, row = item.pos[2] - 1, column = item.pos[3] - 1 }
    end
  end
  return marks
end

--- Where a mark belongs after the splices, if one of them replaces its line together with others.
--- @param mark mewcode.Mark
--- @param splices mewcode.Splice[]
--- @return integer? row
local function moved(mark, splices)
  local shift = 0
  for _, splice in ipairs(splices) do
    local last = splice.start_row + #splice.lines - 1
    if mark.row < splice.start_row then
      return nil
    end
    if mark.row > splice.end_row then
      shift = shift + last - splice.end_row
    elseif splice.end_row > splice.start_row then
      if mark.row == splice.end_row and mark.column >= splice.end_column then
        return last + shift
      end
      return math.min(mark.row, last) + shift
    end
  end
  return nil
end

--- @param bufnr integer
--- @param splices mewcode.Splice[] ascending
--- @return fun() restore to be called after the splices are applied
function M.keep(bufnr, splices)
  local targets = {} --- @type table<string, { row: integer, column: integer }>
  for _, mark in ipairs(marks_of(bufnr)) do
    local row = moved(mark, splices)
    if row then
      targets[mark.name] = { row = row, column = mark.column }
    end
  end
  return function()
    local count = vim.api.nvim_buf_line_count(bufnr)
    for name, target in pairs(targets) do
      local row = math.min(target.row, count - 1)
      local line = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
      vim.api.nvim_buf_set_mark(bufnr, name, row + 1, math.min(target.column, #line), {})
    end
  end
end

return M
