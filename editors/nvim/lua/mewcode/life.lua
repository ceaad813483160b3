-- The end of a server that nobody asked to end, and the start of the next one. What waits for a decision is kept by the
-- server; nothing of it is kept here.

local attach = require('mewcode.attach')
local clients = require('mewcode.client')
local report = require('mewcode.report')

local M = {}

--- How often it is looked whether the old server has ended, and when it is killed.
local LOOK_MILLISECONDS = 20
local PATIENCE_MILLISECONDS = 3000
--- Neovim has a word of its own to say about the end; a message behind it at once would ask for a key.
local AFTER_NEOVIM_MILLISECONDS = 100

--- A server has ended. Neovim takes its hints away, and the plugin what it drew.
--- @param code integer
--- @param signal integer
--- @param client_id integer
function M.ended(code, signal, client_id)
  vim.schedule(function()
    attach.forget(client_id)
    local is_asked_for = code == 0 and (signal == 0 or signal == 15)
    if is_asked_for or vim.v.exiting ~= vim.NIL then
      return
    end
    local how = signal ~= 0 and ('by signal %d'):format(signal) or ('with code %d'):format(code)
    vim.defer_fn(function()
      report.warn(('the server ended %s. :MewRestart starts it again'):format(how))
    end, AFTER_NEOVIM_MILLISECONDS)
  end)
end

--- @return vim.lsp.Client[]
local function running()
  local all = vim.lsp.get_clients({ name = clients.NAME })
  vim.list_extend(all, vim.lsp.get_clients({ name = clients.NAME, _uninitialized = true }))
  return all
end

local function start()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    local is_file = vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].buftype == ''
    if is_file and vim.api.nvim_buf_get_name(bufnr) ~= '' then
      attach.start(bufnr)
    end
  end
end

--- Ends the server, if it runs, and starts it again for every file that is open.
function M.restart()
  if not vim.lsp.is_enabled(clients.NAME) then
    return report.error('the server is not enabled; see :help mewcode-setup')
  end
  for _, client in ipairs(running()) do
    client:stop()
  end
  local give_up = vim.uv.now() + PATIENCE_MILLISECONDS
  local function look()
    local left = running()
    if #left == 0 then
      return start()
    end
    for _, client in ipairs(vim.uv.now() > give_up and left or {}) do
      client:stop(true)
    end
    vim.defer_fn(look, LOOK_MILLISECONDS)
  end
  look()
end

return M
