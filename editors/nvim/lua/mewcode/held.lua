-- mewcode/held: files with unsaved changes that a server does not get from Neovim, because a folder has a server of its
-- own, or the user left a file type out. The server is told of them, so that it does not write them behind Neovim.

local clients = require('mewcode.client')

local M = {}

--- What each client was told last, as JSON.
--- @type table<integer, string>
local told = {}

local NOTHING = '[]'

--- Whether it is to be looked in this turn, so that a burst of events looks once.
local looking = false

--- @param bufnr integer
--- @return boolean
local function has_unsaved_file(bufnr)
  local options = vim.bo[bufnr]
  if not options.modified or (options.buftype ~= '' and options.buftype ~= 'acwrite') then
    return false
  end
  local name = vim.api.nvim_buf_get_name(bufnr)
  return name ~= '' and not name:match('^%a[%w+.-]+://')
end

--- @param client vim.lsp.Client
--- @return { uri: string, kind: string }[]
local function held_from(client)
  local files = {}
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if
      vim.api.nvim_buf_is_loaded(bufnr)
      and not client.attached_buffers[bufnr]
      and has_unsaved_file(bufnr)
    then
      local name = vim.api.nvim_buf_get_name(bufnr)
      local uri = vim.uri_from_fname(vim.uv.fs_realpath(name) or name)
      files[#files + 1] = { uri = uri, kind = 'unsynchronised' }
    end
  end
  return files
end

local function tell()
  for _, client in ipairs(vim.lsp.get_clients({ name = clients.NAME })) do
    local files = clients.extended(client) and held_from(client) or {}
    local words = vim.json.encode(files)
    if words ~= (told[client.id] or NOTHING) then
      told[client.id] = words
      client:notify('mewcode/held', { files = files })
    end
  end
end

--- Buffers came, went or changed.
function M.look()
  if looking then
    return
  end
  looking = true
  vim.schedule(function()
    looking = false
    tell()
  end)
end

--- @param client_id integer
function M.forget(client_id)
  told[client_id] = nil
end

return M
