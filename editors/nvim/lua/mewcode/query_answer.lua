-- What language servers answered, in the words of mewcode/query. Knows the forms that answers may have; asks nobody.

local buffers = require('mewcode.buffers')
local clients = require('mewcode.client')

local M = {}

--- The first entries of a list, and how many are left out.
--- @generic T
--- @param list T[]
--- @param limit integer
--- @return T[]
--- @return integer
function M.bounded(list, limit)
  return vim.list_slice(list, 1, limit), math.max(#list - limit, 0)
end

--- @param result any Location | Location[] | LocationLink[] | nil
--- @return mewcode.QueryLocation[]
local function locations_of(result)
  if not result then
    return {}
  end
  local list = vim.islist(result) and result or { result }
  return vim.tbl_map(function(location)
    local range = location.targetSelectionRange or location.range
    return { uri = location.targetUri or location.uri, line = range.start.line }
  end, list)
end

--- @param replies mewcode.Reply[]
--- @param limit integer
--- @return mewcode.QueryResult
local function locations(_, replies, limit)
  local all, seen = {}, {}
  for _, reply in ipairs(replies) do
    for _, location in ipairs(locations_of(reply.result)) do
      local key = ('%d %s'):format(location.line, location.uri)
      if not seen[key] then
        seen[key] = true
        all[#all + 1] = location
      end
    end
  end
  local shown, left_out = M.bounded(all, limit)
  return { locations = shown, leftOut = left_out }
end

M.definition = locations
M.references = locations

--- @param replies mewcode.Reply[]
--- @param limit integer
--- @return mewcode.QueryResult
function M.hover(_, replies, limit)
  local texts = {}
  for _, reply in ipairs(replies) do
    if reply.result and reply.result.contents then
      local lines = vim.lsp.util.convert_input_to_markdown_lines(reply.result.contents)
      texts[#texts + 1] = table.concat(lines, '\n')
    end
  end
  local shown, left_out = M.bounded(texts, limit)
  return { hovers = shown, leftOut = left_out }
end

--- The lines of a document, loaded or not.
--- @param uri string
--- @return string[]
local function lines_of(uri)
  local path = vim.uri_to_fname(uri)
  local bufnr = buffers.named(path)
  if bufnr and vim.api.nvim_buf_is_loaded(bufnr) then
    return vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  end
  return vim.fn.readfile(path)
end

--- An edit in our own unit of columns. Another new text than a plain one is none of what we asked for.
--- @param edit lsp.TextEdit
--- @param lines string[]
--- @param from string
--- @param to string
--- @return lsp.TextEdit
local function edit_of(edit, lines, from, to)
  local function position(at)
    local line = lines[at.line + 1]
    if from == to or not line then
      return { line = at.line, character = at.character }
    end
    local byte = vim.str_byteindex(line, from, at.character, false)
    return { line = at.line, character = vim.str_utfindex(line, to, byte, false) }
  end
  local range = { start = position(edit.range.start), ['end'] = position(edit.range['end']) }
  return { range = range, newText = edit.newText }
end

--- The version of a document that one of our buffers has.
--- @param client vim.lsp.Client
--- @param uri string
--- @return integer?
local function version_of(client, uri)
  local bufnr = clients.buffer(client, uri)
  return bufnr and vim.lsp.util.buf_versions[bufnr]
end

--- @param client vim.lsp.Client
--- @param reply mewcode.Reply
--- @return mewcode.QueryResult
local function renaming(client, reply)
  local by_uri = {} --- @type table<string, lsp.TextEdit[]>
  local function add(uri, edits)
    by_uri[uri] = vim.list_extend(by_uri[uri] or {}, edits)
  end
  for _, change in ipairs(reply.result.documentChanges or {}) do
    if change.kind then
      local message = ('%s would create, rename or remove files'):format(reply.client.name)
      return { reason = 'failed', message = message }
    end
    add(change.textDocument.uri, change.edits)
  end
  if not reply.result.documentChanges then
    for uri, edits in pairs(reply.result.changes or {}) do
      add(uri, edits)
    end
  end
  local from, to = reply.client.offset_encoding, client.offset_encoding
  local documents = {}
  for uri, edits in vim.spairs(by_uri) do
    local lines = from == to and {} or lines_of(uri)
    documents[#documents + 1] = {
      uri = uri,
      version = version_of(client, uri),
      edits = vim.tbl_map(function(edit)
        return edit_of(edit, lines, from, to)
      end, edits),
    }
  end
  return { documents = documents }
end

--- The first server that changes anything: what two say of one name cannot be put together.
--- @param client vim.lsp.Client
--- @param replies mewcode.Reply[]
--- @param limit integer
--- @return mewcode.QueryResult
function M.rename(client, replies, limit)
  for _, reply in ipairs(replies) do
    local result = reply.result and renaming(client, reply) or {}
    if result.reason or #(result.documents or {}) > 0 then
      local documents, left_out = M.bounded(result.documents or {}, limit)
      return {
        reason = result.reason,
        message = result.message,
        documents = documents,
        leftOut = left_out,
      }
    end
  end
  return { documents = {} }
end

return M
