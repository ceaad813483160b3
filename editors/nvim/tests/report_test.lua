local harness = require('harness')
local equal = harness.equal

-- In a Neovim with a screen of its own and with Neovim's own `vim.notify`: only there a message asks for a key.

--- @param level 'info'|'warn'|'error'
--- @param message string
--- @return boolean asked for a key
--- @return string messages
local function tell(level, message)
  local child = harness.child({ screen = true })
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
  child.input(asked and '<CR>' or '')
  return asked, child.lua('return vim.fn.execute("messages")')
end

local tests = {}

for _, level in ipairs({ 'info', 'warn', 'error' }) do
  local words = ('words that go on '):rep(8)
  for name, message in pairs({ short = 'one', long = words, ['of several lines'] = 'one\ntwo' }) do
    tests[#tests + 1] = {
      ('%s, %s: it asks for no key, and is in :messages as a whole'):format(level, name),
      function()
        local asked, messages = tell(level, message)
        equal(asked, false, 'it asked for a key')
        harness.contains(messages, 'MewCode: ' .. message:gsub('\n', ' '))
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
