-- What the user is told. One place, so that nothing is said twice and every message says what to do.

local M = {}

--- @type table<string, true>
local told = {}

local HIGHLIGHTS = { [vim.log.levels.WARN] = 'WarningMsg', [vim.log.levels.ERROR] = 'ErrorMsg' }

--- Whether Neovim's own `vim.notify` would show more than fits and then ask for a key: the next one that the user
--- types, whatever it was meant for.
--- @param message string
--- @return boolean
local function asks_for_a_key(message)
  local room = (vim.o.cmdheight - 1) * vim.o.columns + vim.v.echospace
  -- Without a command line there is no room, and even a short error asks.
  local too_long = message:find('\n', 1, true) or vim.fn.strdisplaywidth(message) > room
  -- Another one, of the user's choice, has a place of its own. It may be a table that can be called.
  local notify = vim.notify --- @type any
  local is_neovims = type(notify) == 'function'
    and vim.startswith(debug.getinfo(notify, 'S').source, '@vim/')
  return too_long and is_neovims
end

--- @param line string
--- @param highlight string
local function echo(line, highlight)
  vim.cmd.echohl(highlight)
  vim.cmd.echomsg(vim.fn.string(line))
  vim.cmd.echohl('None')
end

--- The same without a command line ('cmdheight' is 0), where Neovim shortens nothing: the line goes to `:messages`
--- while there is one, and its beginning is shown when it is gone again.
--- @param line string
--- @param highlight string
local function echo_beginning(line, highlight)
  vim.cmd('noautocmd set cmdheight=1')
  echo(line, highlight)
  vim.cmd('noautocmd set cmdheight=0')
  -- Otherwise the next redraw takes away what is said now.
  vim.cmd.redraw()
  local beginning = vim.fn.strcharpart(line, 0, vim.o.columns)
  while vim.fn.strdisplaywidth(beginning) >= vim.v.echospace and beginning ~= '' do
    beginning = vim.fn.strcharpart(beginning, 0, vim.fn.strcharlen(beginning) - 1)
  end
  vim.api.nvim_echo({ { beginning .. (beginning ~= line and '…' or ''), highlight } }, false, {})
end

--- Shows as much as fits; all of it is in `:messages`.
--- @param message string
--- @param level integer
local function show_shortened(message, level)
  local line = message:gsub('%s*\n%s*', ' ')
  local highlight = HIGHLIGHTS[level] or 'None'
  if vim.o.cmdheight == 0 then
    echo_beginning(line, highlight)
  else
    echo(line, highlight)
  end
  if level == vim.log.levels.ERROR then
    vim.v.errmsg = message
  end
end

--- @param message string
--- @param level integer
--- @param start? string
local function show(message, level, start)
  vim.schedule(function()
    message = (start or 'MewCode: ') .. message
    if asks_for_a_key(message) then
      show_shortened(message, level)
    else
      vim.notify(message, level, { title = 'MewCode' })
    end
  end)
end

--- @param message string
function M.info(message)
  show(message, vim.log.levels.INFO)
end

--- @param question string
function M.asks(question)
  show(question, vim.log.levels.INFO, 'MewCode asks: ')
end

--- @param message string
function M.warn(message)
  show(message, vim.log.levels.WARN)
end

--- @param message string
function M.error(message)
  show(message, vim.log.levels.ERROR)
end

--- For faults that come back by themselves: told once in this Neovim.
--- @param message string
function M.once(message)
  if not told[message] then
    told[message] = true
    show(message, vim.log.levels.WARN)
  end
end

--- @param err lsp.ResponseError|string
--- @return string
function M.text(err)
  if type(err) == 'table' then
    return err.message or vim.inspect(err)
  end
  return tostring(err)
end

return M
