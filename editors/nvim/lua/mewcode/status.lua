-- mewcode/status: what each server last said of itself, for the statusline.

local M = {}

--- @type table<integer, mewcode.Status>
local statuses = {}

--- @param params mewcode.Status
--- @param context lsp.HandlerContext
function M.handle(_, params, context)
  statuses[context.client_id] = params
  vim.api.nvim_exec_autocmds('User', {
    pattern = 'MewcodeStatus',
    modeline = false,
    data = params,
  })
  vim.cmd.redrawstatus({ bang = true })
end

--- @param client_id integer
--- @return mewcode.Status?
function M.of(client_id)
  return statuses[client_id]
end

--- @param client_id integer
function M.forget(client_id)
  statuses[client_id] = nil
end

--- @param status mewcode.Status
--- @return string
function M.line(status)
  local parts = { 'mew ' .. status.mode }
  if status.running > 0 then
    parts[#parts + 1] = 'running'
  end
  if status.pendingHunks > 0 then
    parts[#parts + 1] = status.pendingHunks == 1 and '1 hunk' or status.pendingHunks .. ' hunks'
  end
  return table.concat(parts, ' · ')
end

return M
