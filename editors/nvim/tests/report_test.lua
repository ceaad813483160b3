local harness = require('harness')
local equal = harness.equal

-- In a Neovim with a screen of its own and with Neovim's own `vim.notify`: only there a message asks for a key.

--- @param level 'info'|'warn'|'error'
--- @param message string
--- @param height integer of the command line
--- @return boolean asked for a key
--- @return string messages
--- @return string shown in the last line of the screen
local function tell(level, message, height)
  local child = harness.child({ screen = true })
  child.lua('vim.o.cmdheight = ... vim.cmd.redraw()', height)
  local said = harness.file('said')
  -- Waiting for an answer to this would be waiting for the key.
  child.start(
    [[
      local level, message, said = ...
      require('mewcode.report')[level](message)
      -- Behind the message, which is said in the same way.
      vim.schedule(function()
        vim.fn.writefile({}, said)
      end)
    ]],
    level,
    message,
    said
  )
  local asked = false
  harness.wait('the message', function()
    asked = child.mode() == 'r'
    return asked or vim.uv.fs_stat(said)
  end)
  if asked then
    child.input('<CR>')
    return true, '', ''
  end
  local shown = child.lua([[
    local text = ''
    for column = 1, vim.o.columns do
      text = text .. vim.fn.screenstring(vim.o.lines, column)
    end
    return text
  ]])
  return false, child.lua('return vim.fn.execute("messages")'), shown
end

local tests = {}

for _, level in ipairs({ 'info', 'warn', 'error' }) do
  local words = ('words that go on '):rep(8)
  for name, message in pairs({ short = 'one', long = words, ['of several lines'] = 'one\ntwo' }) do
    tests[#tests + 1] = {
      ('%s, %s: it asks for no key, and is in :messages as a whole'):format(level, name),
      function()
        for height = 0, 1 do
          local asked, messages, shown = tell(level, message, height)
          equal(asked, false, 'it asked for a key')
          harness.contains(messages, 'MewCode: ' .. message:gsub('\n', ' '))
          harness.contains(shown, 'MewCode: ' .. message:sub(1, 3))
        end
      end,
    }
  end
end

tests[#tests + 1] = {
  'a long message goes as it is to a `vim.notify` of the user, of whatever kind',
  function()
    local before, got = vim.notify, {}
    local function keep(message, level)
      got[#got + 1] = { message, level }
    end
    local callable = setmetatable({}, {
      __call = function(_, ...)
        keep(...)
      end,
    })
    local long = ('long '):rep(100) .. '\nand more'
    for count, notify in ipairs({ keep, callable }) do
      vim.notify = notify
      require('mewcode.report').warn(long)
      harness.wait('the message', function()
        return got[count]
      end)
      equal(got[count], { 'MewCode: ' .. long, vim.log.levels.WARN })
    end
    vim.notify = before
  end,
}

return tests
