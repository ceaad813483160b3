-- Which lines of a transcript are shown folded: what commands printed, and diffs. Knows no server.

local M = {}

--- The languages of the blocks that are folded.
local FOLDED = { output = true, diff = true }

--- @class mewcode.Folds
--- @field tick integer what it was read at
--- @field levels table<integer, integer|string> those that are not 0, by line

--- @type table<integer, mewcode.Folds> by buffer
local known = {}

--- @param lines string[]
--- @return table<integer, integer|string>
local function read(lines)
  local levels = {}
  local open --- @type { mark: string, is_folded: boolean }?
  for number, line in ipairs(lines) do
    local mark = line:match('^```+') or line:match('^~~~+')
    local info = mark and line:sub(#mark + 1) or ''
    if open then
      levels[number] = open.is_folded and 1 or nil
      if mark and vim.startswith(mark, open.mark) and vim.trim(info) == '' then
        open = nil
      end
    elseif mark and not info:find('`', 1, true) then
      open = { mark = mark, is_folded = FOLDED[info] == true }
      levels[number] = open.is_folded and '>1' or nil
    end
  end
  return levels
end

--- For 'foldexpr'.
--- @return integer|string
function M.level()
  local bufnr = vim.api.nvim_get_current_buf()
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  local folds = known[bufnr]
  if not folds or folds.tick ~= tick then
    folds = { tick = tick, levels = read(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)) }
    known[bufnr] = folds
  end
  return folds.levels[vim.v.lnum] or 0
end

--- Folds them in a window as long as it shows the buffer that it shows now.
--- @param window integer
function M.show(window)
  local options = vim.wo[window][0]
  options.foldmethod = 'expr'
  options.foldexpr = "v:lua.require'mewcode.folds'.level()"
  options.foldlevel = 0
  options.foldenable = true
end

return M
