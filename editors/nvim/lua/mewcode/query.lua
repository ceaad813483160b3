-- mewcode/query: asks the other language servers of a buffer what the agent wants to know, while the user types on, and
-- answers when they have. Asks only of buffers that are loaded: loading a file would run the user's autocommands.
-- Applies nothing. What stands in an answer is in `query_answer`, what servers say is wrong in `query_diagnostics`.

local answers = require('mewcode.query_answer')
local clients = require('mewcode.client')
local diagnostics = require('mewcode.query_diagnostics')
local report = require('mewcode.report')

local M = {}

--- How long other servers may take. The server gives up a little later.
local PATIENCE_MILLISECONDS = 15000

local METHODS = {
  definition = 'textDocument/definition',
  references = 'textDocument/references',
  hover = 'textDocument/hover',
  rename = 'textDocument/rename',
}

--- @param reason 'stale'|'not_open'|'no_server'|'failed'
--- @param message? string
--- @return mewcode.QueryResult
local function refused(reason, message)
  return { reason = reason, message = message }
end

--- A column of a line in another unit.
--- @param line string
--- @param column integer
--- @param from string
--- @param to string
--- @return integer
local function converted(line, column, from, to)
  if from == to then
    return column
  end
  return vim.str_utfindex(line, to, vim.str_byteindex(line, from, column, false), false)
end

--- @param own vim.lsp.Client
--- @param other vim.lsp.Client
--- @param bufnr integer
--- @param params mewcode.QueryParams
--- @return table
local function request_of(own, other, bufnr, params)
  local at = params.position
  local line = vim.api.nvim_buf_get_lines(bufnr, at.line, at.line + 1, false)[1] or ''
  local column = converted(line, at.character, own.offset_encoding, other.offset_encoding)
  return {
    textDocument = vim.lsp.util.make_text_document_params(bufnr),
    position = { line = at.line, character = column },
    newName = params.newName,
    context = params.kind == 'references' and { includeDeclaration = true } or nil,
  }
end

--- @class mewcode.Reply
--- @field client vim.lsp.Client
--- @field result? any
--- @field message? string why there is none

--- Asks all of them at once, and waits in the handler's coroutine. Those that do not answer in time are told so.
--- @param others vim.lsp.Client[]
--- @param method string
--- @param bufnr integer
--- @param make fun(other: vim.lsp.Client): table
--- @return mewcode.Reply[] replies by client, the same order each time
local function ask(others, method, bufnr, make)
  local thread = coroutine.running()
  local replies, waiting, over = {}, #others, false
  local function done()
    if not over then
      over = true
      -- Never in the very call that asks: the coroutine does not wait yet.
      vim.schedule(function()
        coroutine.resume(thread)
      end)
    end
  end
  local requests = {} --- @type table<integer, integer?>
  for index, other in ipairs(others) do
    replies[index] = { client = other, message = ('%s did not answer'):format(other.name) }
    local sent, request = other:request(method, make(other), function(err, result)
      requests[index] = nil
      if over then
        return
      end
      replies[index].message = err and report.text(err) or nil
      replies[index].result = result
      waiting = waiting - 1
      if waiting == 0 then
        done()
      end
    end, bufnr)
    if sent then
      requests[index] = request
    else
      replies[index].message = ('%s has stopped'):format(other.name)
      waiting = waiting - 1
    end
  end
  if waiting == 0 then
    done()
  end
  local timer = vim.defer_fn(function()
    for index, request in pairs(requests) do
      others[index]:cancel_request(request)
    end
    done()
  end, PATIENCE_MILLISECONDS)
  coroutine.yield()
  if not timer:is_closing() then
    timer:close()
  end
  return replies
end

--- @param client vim.lsp.Client
--- @param params mewcode.QueryParams
--- @return mewcode.QueryResult
local function about_place(client, params)
  local bufnr = clients.buffer(client, params.uri)
  if not bufnr then
    return refused('not_open')
  end
  local function is_stale()
    return vim.lsp.util.buf_versions[bufnr] ~= params.version
  end
  if is_stale() then
    return refused('stale')
  end
  local method = METHODS[params.kind]
  local others = vim.tbl_filter(function(other)
    return other.id ~= client.id
  end, vim.lsp.get_clients({ bufnr = bufnr, method = method }))
  if #others == 0 then
    return refused('no_server')
  end
  table.sort(others, function(one, other)
    return one.id < other.id
  end)
  local replies = ask(others, method, bufnr, function(other)
    return request_of(client, other, bufnr, params)
  end)
  if params.kind == 'rename' and (not vim.api.nvim_buf_is_loaded(bufnr) or is_stale()) then
    return refused('stale')
  end
  local answered = vim.tbl_filter(function(reply)
    return reply.message == nil
  end, replies)
  if #answered == 0 then
    return refused('failed', replies[1].message)
  end
  return answers[params.kind](client, answered, params.limit)
end

--- @param client vim.lsp.Client
--- @param params mewcode.QueryParams
--- @return mewcode.QueryResult
local function answer(client, params)
  if params.kind == 'diagnostics' then
    return diagnostics.answer(client, params)
  elseif METHODS[params.kind] then
    return about_place(client, params)
  end
  return refused('failed', ('the plugin does not know the question %s'):format(params.kind))
end

--- Neovim calls handlers of requests in a coroutine, and sends what they return in the end.
--- @param params mewcode.QueryParams
--- @param context lsp.HandlerContext
--- @return mewcode.QueryResult
function M.handle(_, params, context)
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  local ok, result = pcall(answer, client, params)
  if not ok then
    report.error(('asking other language servers failed: %s. Please report this'):format(result))
    result = refused('failed', tostring(result))
  end
  if result.reason == 'stale' then
    -- The next question finds the text that the user sees.
    clients.flush(client)
  end
  return result
end

return M
