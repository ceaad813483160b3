-- The server's code lenses on hunks, at the ends of their lines. Neovim never asks for lenses by itself, or (from 0.12)
-- only for users who have enabled it; then it draws them, and nothing is done here.

local config = require('mewcode.config')

local M = {}

--- Buffers whose lenses are asked for in this turn, so that a burst of reviews asks once.
--- @type table<integer, true>
local asking = {}

--- Neovim's own namespace, so that no lens is there twice where the user asks for lenses too.
--- @param client_id integer
--- @return integer
local function namespace_of(client_id)
  return vim.api.nvim_create_namespace('nvim.lsp.codelens:' .. client_id)
end

--- Whether this Neovim asks for the lenses that it runs, and draws them where that is enabled. Neovim 0.11 runs those
--- that it was given.
--- @return boolean
local function neovim_asks()
  return vim.lsp.codelens.is_enabled ~= nil
end

--- Neovim's own way goes over every line of the buffer, twice, and mixes up the lenses of a line.
--- @param lenses lsp.CodeLens[]
--- @param bufnr integer
--- @param client_id integer
local function draw(lenses, bufnr, client_id)
  local namespace = namespace_of(client_id)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local count = vim.api.nvim_buf_line_count(bufnr)
  local rows = {} --- @type table<integer, [string, string][]>
  for _, lens in ipairs(lenses) do
    local row = lens.range.start.line
    if lens.command and row < count then
      rows[row] = rows[row] or {}
      if #rows[row] > 0 then
        table.insert(rows[row], { ' | ', 'LspCodeLensSeparator' })
      end
      table.insert(rows[row], { lens.command.title, 'LspCodeLens' })
    end
  end
  for row, chunks in pairs(rows) do
    vim.api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {
      virt_text = chunks,
      hl_mode = 'combine',
    })
  end
end

--- @param lenses lsp.CodeLens[]
--- @param bufnr integer
--- @param client_id integer
local function show(lenses, bufnr, client_id)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  if not neovim_asks() then
    vim.lsp.codelens.save(lenses, bufnr, client_id)
  elseif vim.lsp.codelens.is_enabled({ bufnr = bufnr, client_id = client_id }) then
    return
  end
  draw(lenses, bufnr, client_id)
end

--- Only our server is asked: the user may not want the lenses of others.
--- @param client vim.lsp.Client
--- @param bufnr integer
local function ask(client, bufnr)
  local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  client:request('textDocument/codeLens', params, function(err, lenses)
    if err then
      -- Those that are there stay; the next review asks again.
      vim.lsp.log.error('codelens', err)
    else
      show(lenses or {}, bufnr, client.id)
    end
  end, bufnr)
end

--- Shows the lenses of a buffer whose hunks have changed.
--- @param client vim.lsp.Client
--- @param bufnr integer
--- @param any boolean whether it has hunks
function M.refresh(client, bufnr, any)
  if not any then
    return show({}, bufnr, client.id)
  end
  local wanted = config.get().code_lens and client:supports_method('textDocument/codeLens', bufnr)
  if not wanted or asking[bufnr] then
    return
  end
  asking[bufnr] = true
  vim.schedule(function()
    asking[bufnr] = nil
    if vim.api.nvim_buf_is_loaded(bufnr) and not client:is_stopped() then
      ask(client, bufnr)
    end
  end)
end

--- A client has left a buffer.
--- @param client_id integer
--- @param bufnr integer
function M.clear(client_id, bufnr)
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.api.nvim_buf_clear_namespace(bufnr, namespace_of(client_id), 0, -1)
  end
end

return M
