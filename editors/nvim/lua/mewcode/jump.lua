-- Moving the cursor from hunk to hunk.

local report = require('mewcode.report')
local review = require('mewcode.review')

local M = {}

--- @param located mewcode.Located
--- @return integer row of the buffer where the hunk is seen
local function seen_at(located)
  return located.first < located.last and located.first or math.max(located.first - 1, 0)
end

--- @param steps integer hunks to go down, or up when negative; goes round at the ends
function M.hunk(steps)
  local hunks = review.hunks(vim.api.nvim_get_current_buf())
  if #hunks == 0 then
    return report.info('no hunk in this buffer; :MewReview lists the others')
  end
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local before, upto = 0, 0
  for _, located in ipairs(hunks) do
    before = before + (seen_at(located) < row and 1 or 0)
    upto = upto + (seen_at(located) <= row and 1 or 0)
  end
  -- Positions from 1: the next one down is `upto + 1`, the next one up is `before`.
  local position = steps > 0 and upto + steps or before + 1 + steps
  local target = hunks[(position - 1) % #hunks + 1]
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { seen_at(target) + 1, 0 })
  vim.cmd('normal! zv')
end

return M
