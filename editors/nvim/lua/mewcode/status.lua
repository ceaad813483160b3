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

--- How commands are confined, in a word; nothing for a server that does not say.
--- @type table<string, string>
local SANDBOXES = {
  workspace_write = 'sandbox',
  read_only = 'sandbox: read only',
  off = 'no sandbox',
  none = 'no sandbox',
}

--- @param status mewcode.Status
--- @return string
function M.line(status)
  local parts = { 'mew ' .. status.mode }
  if (status.pendingApprovals or 0) > 0 then
    parts[#parts + 1] = '⏸ ' .. status.pendingApprovals
  end
  if status.running > 0 then
    parts[#parts + 1] = 'running'
  end
  if status.pendingHunks > 0 then
    parts[#parts + 1] = status.pendingHunks == 1 and '1 hunk' or status.pendingHunks .. ' hunks'
  end
  parts[#parts + 1] = SANDBOXES[status.sandbox]
  if status.trusted == false then
    parts[#parts + 1] = 'untrusted'
  end
  return table.concat(parts, ' · ')
end

return M
