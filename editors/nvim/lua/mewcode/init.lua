-- What other configuration may call. Everything else in this folder may change without notice.

local M = {}

--- For 'statusline': `%{%v:lua.require'mewcode'.statusline()%}`. Empty where no client is attached; a transcript
--- has the client whose it is.
--- @return string
function M.statusline()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = vim.lsp.get_clients({ bufnr = bufnr, name = 'mewcode' })[1]
  if not client and vim.startswith(vim.api.nvim_buf_get_name(bufnr), 'mewcode://') then
    client = require('mewcode.transcript').client(bufnr)
  end
  local status = require('mewcode.status')
  local known = client and status.of(client.id)
  return known and status.line(known) or ''
end

--- The pending hunks of a buffer where they stand now, top to bottom; rows are 0-based and half open.
--- @param bufnr? integer
--- @return mewcode.Located[]
function M.hunks(bufnr)
  if not bufnr or bufnr == 0 then
    bufnr = vim.api.nvim_get_current_buf()
  end
  return require('mewcode.review').hunks(bufnr)
end

--- @param count? integer
function M.next_hunk(count)
  require('mewcode.jump').hunk(count or 1)
end

--- @param count? integer
function M.previous_hunk(count)
  require('mewcode.jump').hunk(-(count or 1))
end

return M
