-- window/showMessage: the server's words to the user, said as the plugin's own are.

local report = require('mewcode.report')

local M = {}

--- @param params lsp.ShowMessageParams
function M.handle(_, params)
  local words = params.message:gsub('^MewCode: ', '')
  if params.type == vim.lsp.protocol.MessageType.Error then
    report.error(words)
  elseif params.type == vim.lsp.protocol.MessageType.Warning then
    report.warn(words)
  else
    report.info(words)
  end
end

return M
