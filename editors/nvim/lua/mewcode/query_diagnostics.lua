-- What everybody but our server says is wrong, for mewcode/query; and whether anybody has said something of a buffer's
-- present text. Shows nothing and changes no diagnostic.

local answers = require('mewcode.query_answer')
local buffers = require('mewcode.buffers')
local clients = require('mewcode.client')

local M = {}

--- The changedtick of a buffer at which others spoke of it last, and what they said.
--- @type table<integer, { tick: integer, said: string }>
local heard = {}

--- Those who wait for a buffer's diagnostics.
--- @type table<integer, fun()[]>
local waiting = {}

--- What our own servers say. They push it: Neovim asks them for none.
--- @return table<integer, true> by namespace
local function ours()
  local namespaces = {}
  for _, client in ipairs(vim.lsp.get_clients({ name = clients.NAME })) do
    namespaces[vim.lsp.diagnostic.get_namespace(client.id)] = true
  end
  return namespaces
end

--- @param bufnr? integer all buffers without it
--- @return vim.Diagnostic[]
local function others(bufnr)
  local own = ours()
  return vim.tbl_filter(function(diagnostic)
    return not own[diagnostic.namespace]
  end, vim.diagnostic.get(bufnr))
end

--- @param diagnostic vim.Diagnostic
--- @return mewcode.QueryDiagnostic
local function wire(diagnostic)
  return {
    line = diagnostic.lnum,
    severity = diagnostic.severity,
    message = diagnostic.message,
    source = diagnostic.source,
    code = diagnostic.code and tostring(diagnostic.code) or nil,
  }
end

--- @param bufnr integer
--- @return string
local function fingerprint(bufnr)
  return vim.json.encode(vim.tbl_map(wire, others(bufnr)))
end

--- Diagnostics of a buffer were set, ours or somebody else's.
--- @param bufnr integer
--- @param set vim.Diagnostic[] those that were set; none does not tell whose there were
function M.changed(bufnr, set)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local said = fingerprint(bufnr)
  local before = heard[bufnr]
  local foreign = set[1] and not ours()[set[1].namespace]
  if foreign or said ~= (before and before.said or '[]') then
    heard[bufnr] = { tick = vim.api.nvim_buf_get_changedtick(bufnr), said = said }
    for _, resume in ipairs(waiting[bufnr] or {}) do
      resume()
    end
  end
end

--- @param bufnr integer
function M.forget(bufnr)
  heard[bufnr] = nil
end

--- Waits in the handler's coroutine until others have spoken of the buffer's present text.
--- @param client vim.lsp.Client
--- @param bufnr integer
--- @param milliseconds integer
local function settle(client, bufnr, milliseconds)
  local watched = vim.iter(vim.lsp.get_clients({ bufnr = bufnr })):any(function(other)
    return other.id ~= client.id
  end)
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  if not watched or (heard[bufnr] and heard[bufnr].tick >= tick) then
    return
  end
  local thread, over = coroutine.running(), false
  local function resume()
    if not over then
      over = true
      vim.schedule(function()
        coroutine.resume(thread)
      end)
    end
  end
  waiting[bufnr] = waiting[bufnr] or {}
  table.insert(waiting[bufnr], resume)
  vim.defer_fn(resume, milliseconds)
  coroutine.yield()
  waiting[bufnr] = vim.tbl_filter(function(other)
    return other ~= resume
  end, waiting[bufnr] or {})
end

--- @param client vim.lsp.Client
--- @param params mewcode.QueryParams
--- @return mewcode.QueryResult
function M.answer(client, params)
  local bufnr = params.uri
    and (clients.buffer(client, params.uri) or buffers.named(vim.uri_to_fname(params.uri)))
  if params.uri and not bufnr then
    return { diagnostics = {} }
  end
  if bufnr and params.settleMilliseconds and vim.api.nvim_buf_is_loaded(bufnr) then
    settle(client, bufnr, params.settleMilliseconds)
  end
  -- The worst of too many.
  local found = others(bufnr or nil)
  table.sort(found, function(one, other)
    if one.severity ~= other.severity then
      return one.severity < other.severity
    elseif one.bufnr ~= other.bufnr then
      return one.bufnr < other.bufnr
    end
    return one.lnum < other.lnum
  end)
  local shown, left_out = answers.bounded(found, params.limit)
  local documents, by_buffer = {}, {}
  for _, diagnostic in ipairs(shown) do
    local document = by_buffer[diagnostic.bufnr]
    if not document then
      document = { uri = vim.uri_from_bufnr(diagnostic.bufnr), diagnostics = {} }
      by_buffer[diagnostic.bufnr] = document
      documents[#documents + 1] = document
    end
    table.insert(document.diagnostics, wire(diagnostic))
  end
  return { diagnostics = documents, leftOut = left_out }
end

return M
