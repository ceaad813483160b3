-- A sample of Lua, for the test of its queries.
local M = {}
local limit, other = 10, 20
local uninitialised
counter = 0

--- Makes a point.
--- @param x number
local function new(x)
  local inside = x
  return setmetatable({ x = inside }, M)
end

function M.origin()
  return new(0)
end

function M:move(by)
  self.x = self.x + by
  vim.api.nvim_command("redraw")
end

function global(...)
  return select("#", ...)
end

M.late = function(x)
  return M.origin():move(x)
end

local handler = function() end

M.commands = {
  open = function(name) end,
  close = { run = function() end },
}

return M
