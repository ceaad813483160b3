-- Runs the tests in plain headless Neovim:
--   nvim --headless --clean -u NONE -l editors/nvim/tests/run.lua [part of a file's or test's name]
-- The last line is `N passed, N failed`; the exit code says the same.

local tests = vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, 'S').source:sub(2)))
local plugin = vim.fs.dirname(tests)
local wanted = _G.arg[1] or ''

-- Logs and state of Neovim go to its own temporary folder, which it removes at its end.
local home = vim.fn.tempname()
for _, name in ipairs({ 'CONFIG', 'DATA', 'STATE', 'CACHE' }) do
  vim.env['XDG_' .. name .. '_HOME'] = home
end
package.path = tests .. '/?.lua;' .. package.path

local harness = require('harness')
harness.set_up(plugin)

local passed, failures = 0, {}

-- A question of Neovim that nobody answers ends it in the midst of a test, with exit code 0.
local finished = false
vim.api.nvim_create_autocmd('VimLeave', {
  callback = function()
    if not finished then
      io.stdout:write('Neovim ended in the midst of a test\n')
      os.exit(1)
    end
  end,
})

--- @param file string
local function run_file(file)
  for _, test in ipairs(dofile(file)) do
    local name = vim.fs.basename(file):gsub('_test%.lua$', '') .. ': ' .. test[1]
    if name:find(wanted, 1, true) then
      local ok, problem = xpcall(test[2], debug.traceback)
      local clean, left = xpcall(harness.reset, debug.traceback)
      if ok and clean then
        passed = passed + 1
      else
        failures[#failures + 1] = name
        io.stdout:write(('FAILED %s\n%s\n\n'):format(name, ok and left or problem))
      end
    end
  end
end

local files = vim.fn.glob(tests .. '/*_test.lua', true, true)
table.sort(files)
vim.iter(files):each(run_file)

io.stdout:write(('%d passed, %d failed\n'):format(passed, #failures))
io.stdout:flush()
finished = true
vim.cmd((passed == 0 or #failures > 0) and 'cquit 1' or 'qall!')
