-- mewcode/event: hands what happens in a run to whoever shows it.

local report = require('mewcode.report')
local transcript = require('mewcode.transcript')

local M = {}

--- @param envelope mewcode.Envelope
--- @param context lsp.HandlerContext
function M.handle(_, envelope, context)
  local event = envelope.event
  if event.kind == 'run_ended' and event.outcome == 'failed' then
    local message = event.message or 'no reason was given'
    report.error(('the run failed: %s. :MewLog shows it'):format(message))
  end
  transcript.add(envelope, context.client_id)
  vim.api.nvim_exec_autocmds('User', {
    pattern = 'MewcodeEvent',
    modeline = false,
    data = envelope,
  })
end

return M
