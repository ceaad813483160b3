-- The selection of Visual and Select mode across a change: Neovim moves the cursor along with the text, but not the
-- other end. Knows nothing of where the change comes from.

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('mewcode.selection')

--- Puts the other end of the selection to a place.
--- @param mode string
--- @param place [integer, integer] 0-based
local function move_other_end(mode, place)
  -- In Select mode a key would take the place of what is selected.
  local switch = mode:match('^[sS\19]') and '\7' or ''
  local view = vim.fn.winsaveview()
  vim.cmd('noautocmd normal! ' .. switch .. 'o')
  vim.api.nvim_win_set_cursor(0, { place[1] + 1, place[2] })
  vim.cmd('noautocmd normal! o' .. switch)
  vim.fn.winrestview(view)
end

--- @param bufnr integer
--- @return fun() restore to be called after the change
function M.keep(bufnr)
  local mode = vim.api.nvim_get_mode().mode
  if vim.api.nvim_get_current_buf() ~= bufnr or not mode:match('^[vV\22sS\19]') then
    return function() end
  end
  local position = vim.fn.getpos('v')
  local row = position[2] - 1
  local line = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
  local column = math.min(position[3] - 1, #line)
  local mark = vim.api.nvim_buf_set_extmark(bufnr, NAMESPACE, row, column, {})
  return function()
    local place = vim.api.nvim_buf_get_extmark_by_id(bufnr, NAMESPACE, mark, {})
    vim.api.nvim_buf_del_extmark(bufnr, NAMESPACE, mark)
    if place[1] ~= row or place[2] ~= column then
      move_other_end(mode, { place[1], place[2] })
    end
  end
end

return M
