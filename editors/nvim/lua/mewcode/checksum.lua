-- mewcode/checksum: does the server hold the text that the buffer holds? Where not, it is given the text.
-- Asked before prompts and decisions, on a stale edit, and after a rest. Never asked twice for one text.

local clients = require('mewcode.client')
local config = require('mewcode.config')
local report = require('mewcode.report')
local text = require('mewcode.text')

local M = {}

--- Longest wait of a command for the answers; then it goes on, since the server checks again by itself.
local PATIENCE_MILLISECONDS = 1000

--- The changedtick at which a client's server agreed, by client and buffer.
--- @type table<integer, table<integer, integer>>
local agreed = {}

--- @type table<integer, uv.uv_timer_t>
local timers = {}

--- @class mewcode.ChecksumOptions
--- @field with_text? boolean
--- @field done? fun()

--- @param client vim.lsp.Client
--- @param bufnr integer
--- @param options? mewcode.ChecksumOptions
function M.send(client, bufnr, options)
  options = options or {}
  local done = options.done or function() end
  local hash = text.hash(bufnr)
  if not hash then
    return done()
  end
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  local params = {
    uri = vim.uri_from_bufnr(bufnr),
    version = vim.lsp.util.buf_versions[bufnr],
    sha256 = hash,
    text = options.with_text and text.wire(bufnr) or nil,
  }
  local sent = client:request('mewcode/checksum', params, function(err, result)
    if err then
      report.once(('the server could not compare texts: %s'):format(report.text(err)))
    elseif result and result.match then
      agreed[client.id] = agreed[client.id] or {}
      agreed[client.id][bufnr] = tick
    elseif not options.with_text and vim.api.nvim_buf_is_loaded(bufnr) then
      return M.send(client, bufnr, { with_text = true, done = done })
    elseif vim.api.nvim_buf_is_valid(bufnr) then
      local name = vim.api.nvim_buf_get_name(bufnr)
      report.once(('the server still holds another text of %s; reopen it with :e'):format(name))
    end
    done()
  end, bufnr)
  if not sent then
    done()
  end
end

--- @param client vim.lsp.Client
--- @param bufnr integer
--- @return boolean
local function needed(client, bufnr)
  local tick = (agreed[client.id] or {})[bufnr]
  return clients.extended(client)
    and vim.api.nvim_buf_is_loaded(bufnr)
    and tick ~= vim.api.nvim_buf_get_changedtick(bufnr)
end

--- Compares the buffers that changed since they were last compared, then goes on.
--- @param client vim.lsp.Client
--- @param bufnrs integer[]
--- @param go_on fun()
function M.verify(client, bufnrs, go_on)
  local open = vim.tbl_filter(function(bufnr)
    return needed(client, bufnr)
  end, bufnrs)
  local waiting = #open
  if waiting == 0 then
    return go_on()
  end
  local timer = assert(vim.uv.new_timer())
  local function finish()
    if not timer:is_closing() then
      timer:close()
      go_on()
    end
  end
  timer:start(PATIENCE_MILLISECONDS, 0, vim.schedule_wrap(finish))
  for _, bufnr in ipairs(open) do
    M.send(client, bufnr, {
      done = function()
        waiting = waiting - 1
        if waiting == 0 then
          finish()
        end
      end,
    })
  end
end

--- @param bufnr integer
local function stop_timer(bufnr)
  local timer = timers[bufnr]
  timers[bufnr] = nil
  if timer and not timer:is_closing() then
    timer:close()
  end
end

--- A change went to the server: compare when it has been quiet for a while.
--- @param client vim.lsp.Client
--- @param bufnr integer
function M.changed(client, bufnr)
  stop_timer(bufnr)
  if not clients.extended(client) then
    return
  end
  local timer = assert(vim.uv.new_timer())
  timers[bufnr] = timer
  local function rest()
    stop_timer(bufnr)
    if client:is_stopped() or not needed(client, bufnr) then
      return
    end
    local lines = vim.api.nvim_buf_line_count(bufnr)
    if vim.api.nvim_buf_get_offset(bufnr, lines) <= config.get().max_idle_bytes then
      M.send(client, bufnr)
    end
  end
  timer:start(config.get().idle_milliseconds, 0, vim.schedule_wrap(rest))
end

--- @param client_id integer
--- @param bufnr integer
function M.forget(client_id, bufnr)
  stop_timer(bufnr)
  if agreed[client_id] then
    agreed[client_id][bufnr] = nil
  end
end

return M
