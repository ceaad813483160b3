-- Neovim's events: attaching to files that `vim.lsp.enable` misses, and the plugin's state of a buffer from the
-- attaching of our client to its end.

local approvals = require('mewcode.approvals')
local checksum = require('mewcode.checksum')
local clients = require('mewcode.client')
local held = require('mewcode.held')
local review = require('mewcode.review')

local M = {}

--- @class mewcode.Autocommand
--- @field buf integer
--- @field data? { client_id: integer }

--- Options on which the room for text in a window depends.
local ROOM_OPTIONS = {
  'wrap',
  'number',
  'relativenumber',
  'numberwidth',
  'foldcolumn',
  'signcolumn',
  'statuscolumn',
}

local listening = false

--- Attaches the server to a file, and starts it if it does not run.
--- @param bufnr integer
function M.start(bufnr)
  local config = vim.lsp.config[clients.NAME]
  local command = config and config.cmd
  if not command or (type(command) == 'table' and vim.fn.executable(command[1]) == 0) then
    return
  end
  if config.filetypes and not vim.list_contains(config.filetypes, vim.bo[bufnr].filetype) then
    return
  end
  config = vim.deepcopy(config)
  local function start_in(directory)
    config.root_dir = directory
    vim.lsp.start(config, { bufnr = bufnr, reuse_client = config.reuse_client })
  end
  if type(config.root_dir) == 'function' then
    config.root_dir(bufnr, vim.schedule_wrap(start_in))
  else
    start_in(config.root_dir)
  end
end

--- `vim.lsp.enable` attaches on FileType, which never comes for a file without one.
--- @param bufnr integer
local function attach_without_filetype(bufnr)
  local options = vim.bo[bufnr]
  local missed = options.buftype == '' and options.filetype == ''
  if missed and vim.lsp.is_enabled(clients.NAME) then
    M.start(bufnr)
  end
end

--- A file was read or written, or is new.
--- @param autocommand mewcode.Autocommand
function M.file(autocommand)
  local bufnr = autocommand.buf
  require('mewcode.save').in_step(bufnr)
  vim.schedule(function()
    if vim.api.nvim_buf_is_loaded(bufnr) then
      attach_without_filetype(bufnr)
    end
  end)
end

--- Neovim tells a server of a new name with the next save only, and until then sends changes of a document that
--- was never opened. So the document is closed under the old name and opened under the new one; under the old one
--- again, if Neovim refuses the new one.
--- @param autocommand mewcode.Autocommand
local function renamed(autocommand)
  local bufnr = autocommand.buf
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = bufnr, name = clients.NAME })) do
    vim.lsp.buf_detach_client(bufnr, client.id)
    local done = false
    local post = vim.api.nvim_create_autocmd('BufFilePost', {
      buffer = bufnr,
      once = true,
      callback = function()
        done = true
        vim.lsp.buf_attach_client(bufnr, client.id)
      end,
    })
    vim.schedule(function()
      if not done and vim.api.nvim_buf_is_loaded(bufnr) then
        vim.api.nvim_del_autocmd(post)
        vim.lsp.buf_attach_client(bufnr, client.id)
      end
    end)
  end
end

--- What is needed only once a client of ours runs.
local function listen()
  if listening then
    return
  end
  listening = true
  local group = vim.api.nvim_create_augroup('mewcode.attached', {})
  --- @param event string|string[]
  --- @param callback fun(autocommand: mewcode.Autocommand)
  --- @param pattern? string[]
  local function on(event, callback, pattern)
    vim.api.nvim_create_autocmd(event, { group = group, pattern = pattern, callback = callback })
  end
  on('LspNotify', function(autocommand)
    local data = autocommand.data --- @type any
    local client = data.method == 'textDocument/didChange' and clients.own(data.client_id)
    local bufnr = client and clients.buffer(client, data.params.textDocument.uri)
    if client and bufnr then
      checksum.changed(client, bufnr)
    end
  end)
  on('DiagnosticChanged', function(autocommand)
    local data = autocommand.data --- @type any
    require('mewcode.query_diagnostics').changed(autocommand.buf, data and data.diagnostics or {})
  end)
  on('BufFilePre', renamed)
  on({ 'BufModifiedSet', 'BufUnload', 'BufFilePost' }, held.look)
  on({ 'BufWinEnter', 'WinNew' }, function(autocommand)
    review.in_window(autocommand.buf)
  end)
  on('WinResized', review.resized)
  on('OptionSet', vim.schedule_wrap(review.resized), ROOM_OPTIONS)
end

--- @param autocommand mewcode.Autocommand
function M.attached(autocommand)
  local client = clients.own(autocommand.data.client_id)
  if client then
    listen()
    held.look()
    review.redraw(client, autocommand.buf)
    approvals.attached(client)
    -- The statusline was drawn when nothing was attached.
    vim.cmd.redrawstatus({ bang = true })
  end
end

--- A server has ended, perhaps without a buffer.
--- @param client_id integer
function M.forget(client_id)
  review.forget(client_id)
  approvals.forget(client_id)
  held.forget(client_id)
  require('mewcode.status').forget(client_id)
  require('mewcode.transcript').forget(client_id)
end

--- @param autocommand mewcode.Autocommand
function M.detached(autocommand)
  local client = clients.own(autocommand.data.client_id)
  if client then
    held.look()
    checksum.forget(client.id, autocommand.buf)
    require('mewcode.text').forget(autocommand.buf)
    require('mewcode.query_diagnostics').forget(autocommand.buf)
    review.detach(client.id, autocommand.buf)
    if client:is_stopped() then
      M.forget(client.id)
    end
  end
end

--- @param autocommand mewcode.Autocommand
function M.transcript(autocommand)
  require('mewcode.transcript').read(autocommand.buf)
end

return M
