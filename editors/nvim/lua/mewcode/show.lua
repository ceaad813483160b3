-- window/showDocument: a diff opens in a split of its own, never in the place of the user's file, and leaves
-- nothing behind when its window is closed. Other documents are Neovim's to show.

local config = require('mewcode.config')

local M = {}

local NAME = 'mewcode://diff'

--- @param lines string[]
--- @return integer bufnr
local function buffer_of(lines)
  local bufnr = vim.fn.bufadd(NAME)
  vim.cmd(('noautocmd call bufload(%d)'):format(bufnr))
  local options = vim.bo[bufnr]
  options.buftype = 'nofile'
  options.bufhidden = 'wipe'
  options.swapfile = false
  options.undolevels = -1
  options.modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  options.modifiable = false
  options.modified = false
  options.filetype = 'diff'
  return bufnr
end

--- @param bufnr integer
--- @return integer window
local function window_of(bufnr)
  local window = vim.fn.bufwinid(bufnr)
  if window ~= -1 then
    return window
  end
  local split = config.get().log_split
  local options = { split = split, win = -1 }
  if split == 'below' or split == 'above' then
    local half = math.floor(vim.o.lines / 2)
    options.height = math.min(vim.api.nvim_buf_line_count(bufnr), half)
  end
  window = vim.api.nvim_open_win(bufnr, false, options)
  vim.wo[window][0].signcolumn = 'no'
  return window
end

--- @param params lsp.ShowDocumentParams
--- @param context lsp.HandlerContext
--- @return lsp.ShowDocumentResult
function M.handle(err, params, context)
  local path = not params.external and vim.uri_to_fname(params.uri) or ''
  if not path:match('%.diff$') or vim.fn.filereadable(path) == 0 then
    return vim.lsp.handlers['window/showDocument'](err, params, context)
  end
  local bufnr = buffer_of(vim.fn.readfile(path))
  local window = window_of(bufnr)
  vim.api.nvim_win_set_cursor(window, { 1, 0 })
  if params.takeFocus then
    vim.api.nvim_set_current_win(window)
  end
  return { success = true }
end

return M
