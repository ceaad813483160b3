-- Completion of the commands' arguments.

local M = {}

-- A server that does not answer at once completes nothing: whoever types does not wait for it.
local ANSWER_MILLISECONDS = 500

M.MODES = { 'default', 'accept_edits', 'plan', 'bypass', 'dont_ask' }

--- @param candidates string[]
--- @param lead string
--- @return string[]
local function starting_with(candidates, lead)
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, candidates)
end

--- `@path` names a file in a prompt, from the root of the workspace on.
--- @param lead string
--- @return string[]
function M.prompt(lead)
  if lead:sub(1, 1) ~= '@' then
    return {}
  end
  local client = require('mewcode.client').find(vim.api.nvim_get_current_buf())
  local named = lead:sub(2)
  local is_absolute = named:match('^[/~]') or named:match('^%a:')
  local root = not is_absolute and client and client.root_dir
  local before = root and root .. '/' or ''
  return vim.tbl_map(function(path)
    return '@' .. path:sub(#before + 1)
  end, vim.fn.getcompletion(before .. named, 'file'))
end

--- The same for a whole line, whose last word it completes.
--- @param line string
--- @return string[]
function M.prompt_line(line)
  local before, lead = line:match('^(.-)(%S*)$')
  return vim.tbl_map(function(candidate)
    return before .. candidate
  end, M.prompt(lead))
end

--- @param lead string
--- @return string[]
function M.accept(lead)
  return starting_with({ 'all', 'mine', 'agent', 'both' }, lead)
end

--- @param lead string
--- @return string[]
function M.reject(lead)
  return starting_with({ 'all' }, lead)
end

--- @param lead string
--- @return string[]
function M.mode(lead)
  return starting_with(M.MODES, lead)
end

--- The sessions of the server, the newest first.
--- @param lead string
--- @return string[]
function M.session(lead)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = require('mewcode.client').find(bufnr)
  if not client then
    return {}
  end
  local answer =
    client:request_sync('mewcode/sessions', vim.empty_dict(), ANSWER_MILLISECONDS, bufnr)
  local sessions = answer and answer.result and answer.result.sessions or {}
  return starting_with(
    vim.tbl_map(function(entry)
      return entry.session
    end, sessions),
    lead
  )
end

return M
