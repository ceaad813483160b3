-- Finding the client, and asking its server. Knows nothing of what is asked.

local report = require('mewcode.report')

local M = {}

M.NAME = 'mewcode'

--- Longest wait of a command for the start of a server, and for its handshake.
local START_MILLISECONDS = 200
local PATIENCE_MILLISECONDS = 5000

--- The client of a buffer; for a buffer without one (a transcript, a list) any that runs.
--- @param bufnr integer
--- @return vim.lsp.Client?
function M.find(bufnr)
  local own = vim.lsp.get_clients({ bufnr = bufnr, name = M.NAME })[1]
  return own or vim.lsp.get_clients({ name = M.NAME })[1]
end

--- Whether the buffer's own client, or the only one, has not finished its handshake.
--- @param bufnr integer
--- @return boolean
local function starting(bufnr)
  local function any(filter)
    return #vim.lsp.get_clients(vim.tbl_extend('error', filter, { name = M.NAME })) > 0
  end
  local own = any({ bufnr = bufnr, _uninitialized = true }) and not any({ bufnr = bufnr })
  return own or (any({ _uninitialized = true }) and not any({}))
end

--- Neovim starts servers a little after the file is read: keys that were typed ahead come before that.
--- @param bufnr integer
local function await_start(bufnr)
  local is_file = vim.bo[bufnr].buftype == '' and vim.api.nvim_buf_get_name(bufnr) ~= ''
  vim.wait(is_file and vim.lsp.is_enabled(M.NAME) and START_MILLISECONDS or 0, function()
    return #vim.lsp.get_clients({ bufnr = bufnr, name = M.NAME, _uninitialized = true }) > 0
  end, 5)
end

--- The same for a command of the user, who may be quicker than the start of the server, and is told what to do
--- when there is none.
--- @param bufnr integer
--- @return vim.lsp.Client?
function M.need(bufnr)
  await_start(bufnr)
  vim.wait(PATIENCE_MILLISECONDS, function()
    return not starting(bufnr)
  end, 5)
  local client = M.find(bufnr)
  if not client and starting(bufnr) then
    report.error('the server is still starting; try again in a moment')
  elseif not client then
    report.error('no server runs here; try :MewRestart, or see :checkhealth mewcode')
  end
  return client
end

--- @param id integer
--- @return vim.lsp.Client?
function M.own(id)
  local client = vim.lsp.get_client_by_id(id)
  return client and client.name == M.NAME and client or nil
end

--- Whether the server has methods beyond LSP.
--- @param client vim.lsp.Client
--- @return boolean
function M.extended(client)
  local version = vim.tbl_get(client.server_capabilities, 'experimental', 'mewcode', 'version')
  return type(version) == 'number' and version >= 1
end

--- The loaded buffer that this client has open under a URI. Never creates one.
--- @param client vim.lsp.Client
--- @param uri string
--- @return integer? bufnr
function M.buffer(client, uri)
  local path --- @type string?
  for bufnr in pairs(client.attached_buffers) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      local own = vim.uri_from_bufnr(bufnr)
      -- Servers may escape other characters than Neovim does; the path is the same then.
      path = path or vim.uri_to_fname(uri)
      if own == uri or vim.uri_to_fname(own) == path then
        return bufnr
      end
    end
  end
  return nil
end

--- @param client vim.lsp.Client
--- @return integer[]
function M.buffers(client)
  return vim.tbl_filter(vim.api.nvim_buf_is_loaded, vim.tbl_keys(client.attached_buffers))
end

--- Sends every change that Neovim still holds back. `notify` does that for all buffers before it sends,
--- and setting the trace to what it is changes nothing.
--- @param client vim.lsp.Client
function M.flush(client)
  client:notify('$/setTrace', { value = client.config.trace or 'off' })
end

--- @param client vim.lsp.Client
--- @param method string
--- @param params table
--- @param bufnr integer a real number: Neovim flushes this buffer before it sends
--- @param on_result fun(result: any)
function M.request(client, method, params, bufnr, on_result)
  local sent = client:request(method, params, function(err, result)
    if err then
      report.error(report.text(err))
    else
      on_result(result)
    end
  end, bufnr)
  if not sent then
    report.error('the server has stopped; :MewRestart starts it again')
  end
end

--- @param client vim.lsp.Client
--- @param command string
--- @param argument table
--- @param bufnr integer
--- @param on_result? fun(result: any)
function M.execute(client, command, argument, bufnr, on_result)
  -- An empty Lua table would be sent as a list.
  local object = next(argument) and argument or vim.empty_dict()
  local params = { command = command, arguments = { object } }
  M.request(client, 'workspace/executeCommand', params, bufnr, on_result or function() end)
end

return M
