-- What the user is told. One place, so that nothing is said twice and every message says what to do.

local M = {}

--- @type table<string, true>
local told = {}

--- @param message string
--- @param level integer
local function show(message, level)
  vim.schedule(function()
    vim.notify('MewCode: ' .. message, level, { title = 'MewCode' })
  end)
end

--- @param message string
function M.info(message)
  show(message, vim.log.levels.INFO)
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
