local FakeServer = require('fake_server')
local harness = require('harness')
local equal = harness.equal

local TEXT = 'é = price(1)\nprint(é)\n'

--- Another server of the buffer, as the user has them.
--- @param bufnr integer
--- @param options? table for FakeServer.new
--- @return mewcode.FakeServer
local function serve_other(bufnr, options)
  local capabilities = {
    definitionProvider = true,
    referencesProvider = true,
    hoverProvider = true,
    renameProvider = true,
  }
  local defaults = { encoding = 'utf-16', capabilities = capabilities, plain = true }
  local other = FakeServer.new(vim.tbl_extend('force', defaults, options or {}))
  local name = (options or {}).name or 'other'
  local id = vim.lsp.start({ name = name, cmd = other:command() }, { bufnr = bufnr })
  harness.wait('the other server', function()
    local client = vim.lsp.get_client_by_id(id)
    return client and client.initialized and client.attached_buffers[bufnr]
  end)
  return other
end

--- Asks as the server does over the wire: the handler may wait.
--- @param server mewcode.FakeServer
--- @param params table
--- @return mewcode.QueryResult
local function query(server, params)
  local answer --- @type any
  coroutine.wrap(function()
    answer = server:call('mewcode/query', vim.tbl_extend('keep', params, { limit = 10 }))
  end)()
  harness.wait('an answer', function()
    return answer
  end)
  return answer
end

--- The place of a byte of the first line.
--- @param server mewcode.FakeServer
--- @param uri string
--- @param kind string
--- @param character integer
--- @return table
local function at(server, uri, kind, character)
  return {
    kind = kind,
    uri = uri,
    version = server.documents[uri].version,
    position = { line = 0, character = character },
  }
end

--- @param line integer
--- @param first integer
--- @param last integer
--- @return lsp.Range
local function range(line, first, last)
  return harness.edit({ line, first }, { line, last }, '').range
end

local tests = {}

--- @param name string
--- @param run fun(server: mewcode.FakeServer, bufnr: integer, uri: string)
local function test(name, run)
  tests[#tests + 1] = {
    name,
    function()
      local server = harness.serve()
      local bufnr, uri = harness.open(server, 'shop.py', TEXT)
      run(server, bufnr, uri)
      for _, client in ipairs(vim.lsp.get_clients()) do
        client:stop()
      end
    end,
  }
end

test('a place is asked about in the other server’s own columns', function(server, bufnr, uri)
  local other = serve_other(bufnr)
  other.answers['textDocument/definition'] = function()
    return { { uri = uri, range = range(1, 0, 5) }, { uri = uri, range = range(1, 2, 5) } }
  end
  equal(query(server, at(server, uri, 'definition', 5)), {
    locations = { { uri = uri, line = 1 } },
    leftOut = 0,
  })
  local asked = other:last('textDocument/definition')
  equal(asked.position, { line = 0, character = 4 }, 'é is two bytes, and one unit of UTF-16')
  equal(asked.textDocument, { uri = uri })
end)

test('a definition may be one place, or links', function(server, bufnr, uri)
  local other = serve_other(bufnr)
  for _, result in ipairs({
    { uri = uri, range = range(1, 0, 5) },
    { { targetUri = uri, targetRange = range(0, 0, 1), targetSelectionRange = range(1, 0, 1) } },
  }) do
    other.answers['textDocument/definition'] = function()
      return result
    end
    local answer = query(server, at(server, uri, 'definition', 5))
    equal(answer.locations, { { uri = uri, line = 1 } })
  end
end)

test('references are those of all servers, and bounded', function(server, bufnr, uri)
  for index, name in ipairs({ 'one', 'two' }) do
    serve_other(bufnr, { name = name }).answers['textDocument/references'] = function(params)
      equal(params.context, { includeDeclaration = true })
      return { { uri = uri, range = range(0, 0, 1) }, { uri = uri, range = range(index, 0, 1) } }
    end
  end
  local params = at(server, uri, 'references', 0)
  local lines = vim.tbl_map(function(location)
    return location.line
  end, query(server, params).locations)
  equal(lines, { 0, 1, 2 })
  local bounded = query(server, vim.tbl_extend('force', params, { limit = 2 }))
  equal({ #bounded.locations, bounded.leftOut }, { 2, 1 })
end)

test('what is told is Markdown', function(server, bufnr, uri)
  serve_other(bufnr).answers['textDocument/hover'] = function()
    return { contents = { { language = 'python', value = 'price: int' }, 'The price.' } }
  end
  local answer = query(server, at(server, uri, 'hover', 5))
  equal(#answer.hovers, 1)
  harness.contains(answer.hovers[1], '```python\nprice: int\n```')
  harness.contains(answer.hovers[1], 'The price.')
end)

test('a renaming changes nothing, and comes in our own columns', function(server, bufnr, uri)
  local closed = vim.uri_from_fname(harness.file('uses.py', 'é(price)\n'))
  serve_other(bufnr).answers['textDocument/rename'] = function(params)
    equal(params.newName, 'cost')
    local edit = { range = range(0, 4, 9), newText = 'cost' }
    return {
      changes = { [uri] = { edit }, [closed] = { { range = range(0, 2, 7), newText = 'cost' } } },
    }
  end
  local params = vim.tbl_extend('force', at(server, uri, 'rename', 5), { newName = 'cost' })
  local answer = query(server, params)
  table.sort(answer.documents, function(one)
    return one.uri == uri
  end)
  equal(answer.documents, {
    {
      uri = uri,
      version = server.documents[uri].version,
      edits = { { range = range(0, 5, 10), newText = 'cost' } },
    },
    { uri = closed, edits = { { range = range(0, 3, 8), newText = 'cost' } } },
  })
  equal(harness.lines(bufnr), { 'é = price(1)', 'print(é)' })
  equal(vim.fn.bufnr(vim.uri_to_fname(closed)), -1, 'nothing was loaded')
end)

test('a renaming that needs other files is refused', function(server, bufnr, uri)
  serve_other(bufnr).answers['textDocument/rename'] = function()
    return { documentChanges = { { kind = 'rename', oldUri = uri, newUri = uri .. '2' } } }
  end
  local params = vim.tbl_extend('force', at(server, uri, 'rename', 5), { newName = 'cost' })
  local answer = query(server, params)
  equal(answer.reason, 'failed')
  harness.contains(answer.message, 'other would create, rename or remove files')
end)

test('the user types on while a server thinks', function(server, bufnr, uri)
  local other = serve_other(bufnr)
  local think --- @type fun()
  other.answers['textDocument/rename'] = function()
    return {}
  end
  local command = vim.lsp.get_clients({ bufnr = bufnr, name = 'other' })[1]
  local request = command.request
  --- @diagnostic disable-next-line: duplicate-set-field
  command.request = function(client, method, params, handler, number)
    think = function()
      handler(nil, { changes = { [uri] = { { range = range(0, 4, 9), newText = 'cost' } } } })
    end
    return request(client, method, params, function() end, number)
  end
  local answer --- @type any
  local params =
    vim.tbl_extend('force', at(server, uri, 'rename', 5), { newName = 'cost', limit = 9 })
  coroutine.wrap(function()
    answer = server:call('mewcode/query', params)
  end)()
  equal(answer, nil, 'the handler waits, and Neovim does not')
  vim.api.nvim_buf_set_lines(bufnr, 0, 0, true, { '# typed' })
  think()
  harness.wait('an answer', function()
    return answer
  end)
  equal(answer, { reason = 'stale' }, 'what it says is about another text')
  harness.contains(server.documents[uri].text, '# typed')
end)

test('nobody answers for', function(server, bufnr, uri)
  local params = at(server, uri, 'hover', 5)
  equal(query(server, params), { reason = 'no_server' })
  local other = serve_other(bufnr)
  equal(query(server, vim.tbl_extend('force', params, { version = 99 })), { reason = 'stale' })
  local elsewhere = vim.uri_from_fname(harness.file('closed.py', 'x\n'))
  equal(
    query(server, vim.tbl_extend('force', params, { uri = elsewhere })),
    { reason = 'not_open' }
  )
  other.answers['textDocument/hover'] = function()
    return nil, { code = -32803, message = 'not a name' }
  end
  local answer = query(server, params)
  equal(answer.reason, 'failed')
  harness.contains(answer.message, 'not a name')
end)

--- @param other mewcode.FakeServer
--- @param uri string
--- @param diagnostics lsp.Diagnostic[]
local function publish(other, uri, diagnostics)
  other:notify('textDocument/publishDiagnostics', { uri = uri, diagnostics = diagnostics })
end

local WRONG =
  { range = range(1, 0, 5), severity = 1, message = 'wrong', source = 'ruff', code = 12 }

test('diagnostics are those of the others, the worst first', function(server, bufnr, uri)
  local other = serve_other(bufnr)
  local hint = { range = range(0, 0, 1), severity = 4, message = 'better' }
  publish(server, uri, { { range = range(0, 0, 1), severity = 1, message = 'ours' } })
  publish(other, uri, { hint, WRONG })
  local elsewhere = vim.uri_from_fname(harness.file('closed.py', 'x\n'))
  publish(other, elsewhere, { hint })
  harness.wait('diagnostics', function()
    return #vim.diagnostic.get() == 4
  end)
  local wrong = { line = 1, severity = 1, message = 'wrong', source = 'ruff', code = '12' }
  local better = { line = 0, severity = 4, message = 'better' }
  equal(query(server, { kind = 'diagnostics', uri = uri }), {
    diagnostics = { { uri = uri, diagnostics = { wrong, better } } },
    leftOut = 0,
  })
  equal(#query(server, { kind = 'diagnostics' }).diagnostics, 2, 'files that are not open too')
  local bounded = query(server, { kind = 'diagnostics', limit = 1 })
  equal({ bounded.diagnostics[1].diagnostics, bounded.leftOut }, { { wrong }, 2 })
  local unknown = harness.file('unknown.py', 'x\n')
  local answer = query(server, { kind = 'diagnostics', uri = vim.uri_from_fname(unknown) })
  equal(answer, { diagnostics = {} })
end)

test('what others say of the present text is waited for', function(server, bufnr, uri)
  local other = serve_other(bufnr)
  publish(other, uri, { WRONG })
  local params = { kind = 'diagnostics', uri = uri, settleMilliseconds = 60000, limit = 10 }
  equal(#query(server, params).diagnostics, 1, 'they have spoken already')
  vim.api.nvim_buf_set_lines(bufnr, 0, 0, true, { '# typed' })
  local answer --- @type any
  coroutine.wrap(function()
    answer = server:call('mewcode/query', params)
  end)()
  for _, ours in ipairs({ { WRONG }, {} }) do
    publish(server, uri, ours)
    harness.wait('our diagnostics', function()
      return #vim.diagnostic.get(bufnr) == 1 + #ours
    end)
  end
  local passed = false
  vim.schedule(function()
    passed = true
  end)
  harness.wait('what was scheduled before', function()
    return passed
  end)
  equal(answer, nil, 'what we say ourselves does not count')
  publish(other, uri, {})
  harness.wait('an answer', function()
    return answer
  end)
  equal(answer, { diagnostics = {}, leftOut = 0 })
end)

test(
  'nothing is waited for where nobody looks, or for longer than said',
  function(server, bufnr, uri)
    local params = { kind = 'diagnostics', uri = uri, settleMilliseconds = 60000 }
    equal(query(server, params), { diagnostics = {}, leftOut = 0 })
    serve_other(bufnr)
    equal(
      query(server, vim.tbl_extend('force', params, { settleMilliseconds = 20 })).diagnostics,
      {}
    )
  end
)

test('many diagnostics are looked through without asking of each whose it is', function(_, bufnr)
  local asked, real = 0, vim.lsp.get_clients
  vim.lsp.get_clients = function(...)
    asked = asked + 1
    return real(...)
  end
  local many = {}
  for number = 1, 1000 do
    many[number] = { lnum = 0, col = 0, message = 'wrong ' .. number }
  end
  local namespace = vim.api.nvim_create_namespace('test')
  vim.diagnostic.set(namespace, bufnr, many)
  vim.lsp.get_clients = real
  vim.diagnostic.reset(namespace, bufnr)
  assert(asked < 10, ('asked %d times'):format(asked))
end)

return tests
