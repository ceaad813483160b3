-- The newest lines of running commands, above the last line of a transcript. Virtual, so that they are never taken for
-- its text. Knows no server.

local literal = require('mewcode.literal')

local M = {}

local MARKS = vim.api.nvim_create_namespace('mewcode.output')

--- As many lines of a command are shown.
local LINES = 5

--- @class mewcode.Output
--- @field call string
--- @field title? string
--- @field lines string[]

--- What is shown in each buffer, in the order in which the commands began to print.
--- @type table<integer, mewcode.Output[]>
local shown = {}

--- Has windows whose cursor is on the last line go on showing it, below the new lines.
--- @param bufnr integer
--- @param last integer row of that line
local function follow(bufnr, last)
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    if vim.api.nvim_win_get_cursor(window)[1] == last + 1 then
      vim.api.nvim_win_call(window, function()
        vim.cmd('noautocmd normal! zb')
      end)
    end
  end
end

--- Shows it where the text ends now.
--- @param bufnr integer
function M.draw(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    shown[bufnr] = nil
    return
  end
  vim.api.nvim_buf_clear_namespace(bufnr, MARKS, 0, -1)
  local lines = {}
  for _, output in ipairs(shown[bufnr] or {}) do
    if output.title then
      lines[#lines + 1] = { { literal.line(output.title), 'MewHeading' } }
    end
    for _, line in ipairs(output.lines) do
      lines[#lines + 1] = { { '  ' .. literal.line(line), 'MewWords' } }
    end
  end
  if #lines == 0 then
    return
  end
  require('mewcode.highlight').define()
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  -- Virtual lines are drawn anew with the line that they belong to: the last one may be out of sight when they are not.
  vim.api.nvim_buf_set_extmark(bufnr, MARKS, math.max(last - 1, 0), 0, {
    virt_lines = lines,
    virt_lines_above = last == 0,
  })
  follow(bufnr, last)
end

--- A command has printed more.
--- @param bufnr integer
--- @param call string
--- @param title? string
--- @param tail string its newest lines
function M.add(bufnr, call, title, tail)
  local lines = vim.split((tail:gsub('\n+$', '')), '\n', { plain = true })
  lines = vim.list_slice(lines, math.max(#lines - LINES + 1, 1))
  local list = shown[bufnr] or {}
  shown[bufnr] = list
  local known = vim.iter(list):find(function(output)
    return output.call == call
  end)
  if known then
    known.lines = lines
  else
    list[#list + 1] = { call = call, title = title, lines = lines }
  end
  M.draw(bufnr)
end

--- A command has ended; without a call all have.
--- @param bufnr integer
--- @param call? string
function M.remove(bufnr, call)
  shown[bufnr] = vim.tbl_filter(function(output)
    return call ~= nil and output.call ~= call
  end, shown[bufnr] or {})
  M.draw(bufnr)
end

return M
