-- Which buffers there are. Changes none.

local M = {}

--- The buffer of exactly this name, loaded or not. Never creates one.
--- @param path string
--- @return integer?
function M.named(path)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(bufnr) == path then
      return bufnr
    end
  end
  return nil
end

return M
