local harness = require('harness')
local equal, hunk = harness.equal, harness.hunk

local TEXT = 'one\ntwo\nthree\nfour\n'

--- @param server mewcode.FakeServer
--- @param uri string
--- @param hunks mewcode.Hunk[]
local function send(server, uri, hunks)
  server:notify('mewcode/review', { uri = uri, version = vim.NIL, hunks = hunks })
end

local tests = {}

--- @param name string
--- @param run fun()
local function test(name, run)
  tests[#tests + 1] = { name, run }
end

test(
  'code lenses are asked for once for a burst of reviews, and cleared with the last hunk',
  function()
    local server = harness.serve({ capabilities = { codeLensProvider = {} } })
    local bufnr, uri = harness.open(server, 'file.txt', TEXT)
    server.answers['textDocument/codeLens'] = function()
      local range = {
        start = { line = 1, character = 0 },
        ['end'] = { line = 1, character = 3 },
      }
      return { { range = range, command = { title = '✓ Accept', command = 'x' } } }
    end
    local function shown()
      local id = vim.lsp.get_clients()[1].id
      local namespace = vim.lsp.codelens.__namespaces[id]
      local items = vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, { details = true })
      return vim.tbl_map(function(item)
        return { item[2], item[4].virt_text[1][1] }
      end, items)
    end
    local one = hunk({ startLine = 1, endLine = 2, oldLines = { 'two' } })
    send(server, uri, { one })
    send(server, uri, { one })
    harness.wait('the lens', function()
      return #shown() > 0
    end)
    equal(shown(), { { 1, '✓ Accept' } })
    local asked = vim.tbl_filter(function(method)
      return method == 'textDocument/codeLens'
    end, server:methods())
    equal(#asked, 1)
    send(server, uri, {})
    equal(shown(), {})
    equal(vim.lsp.codelens.get(bufnr), {})
  end
)

test('the lenses of a line stand in the order of the server', function()
  local server = harness.serve({ capabilities = { codeLensProvider = {} } })
  local bufnr, uri = harness.open(server, 'file.txt', TEXT)
  local titles = vim.split('mine agent both diff ✓ ✗ diff', ' ')
  server.answers['textDocument/codeLens'] = function()
    return vim.tbl_map(function(title)
      local place = { line = 1, character = 0 }
      local range = { start = place, ['end'] = place }
      return { range = vim.deepcopy(range), command = { title = title, command = 'x' } }
    end, titles)
  end
  send(server, uri, { hunk({ startLine = 1, endLine = 2, oldLines = { 'two' } }) })
  local namespace = vim.lsp.codelens.__namespaces[vim.lsp.get_clients()[1].id]
  local words --- @type string?
  harness.wait('the lenses', function()
    local mark = vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, { details = true })[1]
    words = mark
      and vim.iter(mark[4].virt_text):fold('', function(text, chunk)
        return text .. chunk[1]
      end)
    return words
  end)
  equal(words, table.concat(titles, ' | '))
end)

test('lenses are shown by a Neovim that knows of none that it did not ask for', function()
  local codelens = vim.lsp.codelens
  local real = vim.deepcopy(codelens)
  local enabled = false
  --- @diagnostic disable-next-line: duplicate-set-field
  codelens.is_enabled = function()
    return enabled
  end
  for _, name in ipairs({ 'on_codelens', 'display', 'save', 'clear' }) do
    codelens[name] = function()
      error(name .. ' is deprecated')
    end
  end
  local ok, problem = pcall(function()
    local server = harness.serve({ capabilities = { codeLensProvider = {} } })
    local bufnr, uri = harness.open(server, 'file.txt', TEXT)
    local asked = 0
    server.answers['textDocument/codeLens'] = function()
      asked = asked + 1
      local place = { line = 1, character = 0 }
      local command = { title = '✓ Accept', command = 'x' }
      return { { range = { start = place, ['end'] = place }, command = command } }
    end
    local function count()
      local namespace = codelens.__namespaces[vim.lsp.get_clients()[1].id]
      return #vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, {})
    end
    local one = hunk({ startLine = 1, endLine = 2, oldLines = { 'two' } })
    send(server, uri, { one })
    harness.wait('the lens', function()
      return count() == 1
    end)
    send(server, uri, {})
    equal(count(), 0)
    -- The user has enabled lenses: Neovim draws them.
    enabled = true
    send(server, uri, { one })
    harness.wait('the second answer', function()
      return asked == 2
    end)
    equal(count(), 0)
  end)
  codelens.is_enabled = nil
  for name, value in pairs(real) do
    codelens[name] = value
  end
  assert(ok, problem)
end)

test('the lenses of a large file are shown quickly', function()
  local server = harness.serve({ sync = 1, capabilities = { codeLensProvider = {} } })
  local bufnr, uri = harness.open(server, 'file.txt', ('line\n'):rep(200000))
  local namespace = vim.lsp.codelens.__namespaces[vim.lsp.get_clients()[1].id]
  local began
  server.answers['textDocument/codeLens'] = function()
    local place = { line = 1, character = 0 }
    began = os.clock()
    return {
      { range = { start = place, ['end'] = place }, command = { title = 'x', command = 'x' } },
    }
  end
  send(server, uri, { hunk({ startLine = 1, endLine = 2, oldLines = { 'line' } }) })
  harness.wait('the lens', function()
    return #vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, {}) == 1
  end)
  local milliseconds = (os.clock() - began) * 1000
  -- About 5 ms of the processor's time; the bound leaves room for slow machines.
  assert(milliseconds < 50, ('took %d ms'):format(milliseconds))
end)

return tests
