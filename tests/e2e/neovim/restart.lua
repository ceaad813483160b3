-- The server is killed while a hunk waits, and started again by :MewRestart.

local harness = require('harness')

local OLD = '    print("hi " + name)'
local NEW = '    print("Good day, " + name)'

--- How many marks of MewCode there are in a buffer.
--- @param bufnr integer
--- @return integer
local function marks(bufnr)
  local count = 0
  for name, namespace in pairs(vim.api.nvim_get_namespaces()) do
    if name:find('mewcode', 1, true) then
      count = count + #vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, {})
    end
  end
  return count
end

--- @param bufnr integer
--- @param row integer
local function await_hunk(bufnr, row)
  harness.await('the hunk in row ' .. row, function()
    local hunks = require('mewcode.review').hunks(bufnr)
    local hints = vim.diagnostic.get(bufnr)
    return #hunks == 1 and hunks[1].first == row and #hints == 1 and hints[1].lnum == row
  end)
end

harness.run(function()
  local messages = {} --- @type string[]
  vim.notify = function(message) --- @diagnostic disable-line: duplicate-set-field
    messages[#messages + 1] = message
  end
  --- @param part string
  local function await_message(part)
    harness.await(part, function()
      return vim.iter(messages):any(function(message)
        return message:find(part, 1, true) ~= nil
      end)
    end)
  end

  local client, bufnr = harness.open('greet.py')
  local before = harness.logical(bufnr)
  harness.prompt(client, bufnr, 'make greet polite')
  await_hunk(bufnr, 1)

  local id = client.id
  vim.uv.kill(harness.child(), 'sigkill')
  await_message(':MewRestart starts it again')
  harness.await('everything of the server to go', function()
    return marks(bufnr) == 0
      and #vim.diagnostic.get(bufnr) == 0
      and require('mewcode').statusline() == ''
  end)
  harness.equal(harness.logical(bufnr), before, 'the text stays')

  -- Typed while there is no server.
  vim.api.nvim_buf_set_lines(bufnr, 0, 0, true, { '# mine' })
  messages = {}
  vim.cmd('MewRestart')
  await_message('from before the restart')
  await_hunk(bufnr, 2)
  client = vim.lsp.get_clients({ bufnr = bufnr, name = 'mewcode' })[1]
  harness.equal(client.id ~= id, true, 'another client')
  harness.check_hash(client, bufnr)

  -- And once more while it runs: it ends in the ordinary way, and nobody is told of an end.
  messages = {}
  vim.cmd('MewRestart')
  harness.await('another client', function()
    local found = vim.lsp.get_clients({ bufnr = bufnr, name = 'mewcode' })[1]
    return found and found.initialized and found.id ~= client.id
  end)
  await_message('from before the restart')
  await_hunk(bufnr, 2)
  harness.equal(
    vim.iter(messages):any(function(message)
      return message:find('starts it again', 1, true) ~= nil
    end),
    false
  )

  vim.api.nvim_win_set_cursor(0, { 3, 0 })
  vim.cmd('MewAccept')
  harness.await('the hunk to go', function()
    return marks(bufnr) == 0 and #vim.diagnostic.get(bufnr) == 0
  end)
  local after = '# mine\n' .. before:gsub(vim.pesc(OLD), (NEW:gsub('%%', '%%%%')))
  harness.equal(harness.logical(bufnr), after)
  client = vim.lsp.get_clients({ bufnr = bufnr, name = 'mewcode' })[1]
  harness.check_hash(client, bufnr)
end)
