-- :checkhealth mewcode

local M = {}

--- @param command any
local function check_binary(command)
  if type(command) == 'function' then
    return vim.health.info('the server is started by a function of your configuration')
  end
  local binary = command[1]
  if vim.fn.executable(binary) == 0 then
    return vim.health.error(('`%s` is not executable'):format(binary), {
      'Install MewCode so that `mewcode` is on your PATH, or name the binary:',
      "vim.lsp.config('mewcode', { cmd = { '/path/to/mewcode', 'lsp' } })",
    })
  end
  local ok, result = pcall(function()
    return vim.system({ binary, '--version' }, { text = true }):wait(3000)
  end)
  if ok and result.code == 0 then
    local version = vim.trim(result.stdout or '')
    vim.health.ok(('%s: %s'):format(vim.fn.exepath(binary), version))
  else
    local output = ok and vim.trim((result.stderr or '') .. (result.stdout or '')) or result
    vim.health.error(('`%s --version` failed: %s'):format(binary, output))
  end
end

local function check_setup()
  vim.health.start('mewcode: set-up')
  local version = tostring(vim.version())
  if vim.fn.has('nvim-0.11') == 1 then
    vim.health.ok('Neovim ' .. version)
  else
    vim.health.error('Neovim ' .. version .. ' is too old', 'Install Neovim 0.11 or newer')
    return
  end
  local config = vim.lsp.config.mewcode
  if not config then
    return vim.health.error('no configuration named mewcode', 'Put the plugin on the runtimepath')
  end
  check_binary(config.cmd)
  if vim.lsp.is_enabled('mewcode') then
    vim.health.ok('enabled')
  else
    vim.health.warn('not enabled', "Add vim.lsp.enable('mewcode') to your init.lua")
  end
  for _, problem in ipairs(require('mewcode.config').problems()) do
    vim.health.warn(problem)
  end
end

local SYNC = { [0] = 'none', [1] = 'full', [2] = 'incremental' }

--- @param status mewcode.Status
local function check_safety(status)
  if status.sandbox == 'none' then
    vim.health.warn('this system has no sandbox', 'Commands run as your own shell would run them')
  elseif status.sandbox then
    vim.health.info('commands run with the sandbox ' .. status.sandbox)
  end
  if status.trusted == false then
    vim.health.info('the workspace is not trusted: its files grant nothing; see :MewTrust')
  end
  if (status.pendingApprovals or 0) > 0 then
    vim.health.warn(
      ('%d questions wait for you'):format(status.pendingApprovals),
      'See :MewApprove'
    )
  end
end

--- @param client vim.lsp.Client
local function check_capabilities(client)
  local info = client.server_info or {}
  local name = ('%s %s'):format(info.name or 'unnamed server', info.version or '(no version)')
  local change = vim.tbl_get(client.server_capabilities, 'textDocumentSync', 'change')
  vim.health.ok(('client %d: %s in %s'):format(client.id, name, client.root_dir or 'no folder'))
  vim.health.info(('positions in %s, %s sync'):format(client.offset_encoding, SYNC[change] or '?'))
  if require('mewcode.client').extended(client) then
    vim.health.ok('the server speaks the methods of this plugin')
  else
    vim.health.warn(
      'the server offers no methods beyond LSP',
      'Update the binary; inline diffs and safe edits need them'
    )
  end
  local status = require('mewcode.status').of(client.id)
  if status then
    local model = ('%s %s'):format(status.provider, status.model or '')
    -- The model is known once a prompt has opened a session.
    local what = status.provider ~= 'none' and vim.trim(model) or 'no session yet'
    vim.health.info(('mode %s, %s'):format(status.mode, what))
    check_safety(status)
  end
end

--- @param client vim.lsp.Client
--- @param bufnr integer
local function check_text(client, bufnr)
  local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ':~:.')
  local hash, problem = require('mewcode.text').hash(bufnr)
  if not hash then
    return vim.health.warn(('%s: %s'):format(name, problem))
  end
  local params = {
    uri = vim.uri_from_bufnr(bufnr),
    version = vim.lsp.util.buf_versions[bufnr],
    sha256 = hash,
  }
  local answer, err = client:request_sync('mewcode/checksum', params, 2000, bufnr)
  if not answer or answer.err then
    local reason = answer and answer.err.message or err or 'the server has stopped'
    vim.health.error(('%s: could not compare texts: %s'):format(name, reason))
  elseif answer.result.match then
    vim.health.ok(('%s: server and buffer hold the same text (%s)'):format(name, hash:sub(1, 12)))
  else
    vim.health.error(('%s: the server holds another text'):format(name), {
      'The text has been sent again; run :checkhealth mewcode once more',
      'If it stays so, reopen the file with :e and report it',
    })
    require('mewcode.checksum').send(client, bufnr, { with_text = true })
  end
end

local function check_clients()
  vim.health.start('mewcode: running servers')
  local running = vim.lsp.get_clients({ name = 'mewcode' })
  if #running == 0 then
    vim.health.warn('no server runs', 'Open a file, then run :checkhealth mewcode again')
  end
  for _, client in ipairs(running) do
    check_capabilities(client)
    local clients = require('mewcode.client')
    for _, bufnr in ipairs(clients.extended(client) and clients.buffers(client) or {}) do
      check_text(client, bufnr)
    end
  end
end

function M.check()
  check_setup()
  check_clients()
end

return M
