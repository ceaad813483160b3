-- mewcode/event: hands what happens in a run to whoever shows it.

local report = require('mewcode.report')
local transcript = require('mewcode.transcript')

local M = {}

--- The user may look elsewhere when a run ends, and what the model said last may ask for something.
--- @param envelope mewcode.Envelope
local function tell_end(envelope)
  local event = envelope.event
  local message = event.message or 'no reason was given'
  if event.outcome == 'failed' then
    report.error(('the run failed: %s. :MewLog shows it'):format(message))
  elseif event.outcome == 'limit' then
    report.warn(('the run was stopped by a limit: %s'):format(message))
  elseif event.outcome == 'done' and not transcript.is_shown(envelope.session) then
    report.info('done; :MewLog shows what was said')
  end
end

--- @param envelope mewcode.Envelope
--- @param context lsp.HandlerContext
function M.handle(_, envelope, context)
  if envelope.event.kind == 'run_ended' then
    tell_end(envelope)
  end
  transcript.add(envelope, context.client_id)
  vim.api.nvim_exec_autocmds('User', {
    pattern = 'MewcodeEvent',
    modeline = false,
    data = envelope,
  })
end

return M
