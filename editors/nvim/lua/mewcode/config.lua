-- The user's choices, `vim.g.mewcode` over the defaults. Read at use, so that a change counts at once.

local M = {}

--- @class mewcode.Config
--- @field signs { add: string, delete: string, change: string, conflict: string }
--- @field code_lens boolean show the server's code lenses on hunks
--- @field max_virtual_lines integer longest run of virtual lines of one hunk
--- @field idle_milliseconds integer rest after a change before the text is compared with the server's
--- @field max_idle_bytes integer larger buffers are compared before prompts and edits only
--- @field log_split 'below'|'above'|'left'|'right' where :MewLog and :MewDiff open
local defaults = {
  signs = { add = '+', delete = '-', change = '~', conflict = '!' },
  code_lens = true,
  max_virtual_lines = 200,
  idle_milliseconds = 2000,
  max_idle_bytes = 1024 * 1024,
  log_split = 'below',
}

--- @return mewcode.Config
function M.get()
  return vim.tbl_deep_extend('force', defaults, vim.g.mewcode or {})
end

--- What is wrong in the user's table, one sentence each.
--- @return string[]
function M.problems()
  local problems = {}
  for name, value in pairs(vim.g.mewcode or {}) do
    if defaults[name] == nil then
      problems[#problems + 1] = ('vim.g.mewcode.%s is no setting; see :help mewcode-config'):format(
        name
      )
    elseif type(value) ~= type(defaults[name]) then
      problems[#problems + 1] = ('vim.g.mewcode.%s is a %s, it must be a %s'):format(
        name,
        type(value),
        type(defaults[name])
      )
    end
  end
  table.sort(problems)
  return problems
end

return M
