local harness = require('harness')
local edit, equal = harness.edit, harness.equal

local tests = {}

--- @param name string
--- @param run fun()
local function test(name, run)
  tests[#tests + 1] = { name, run }
end

--- @param server mewcode.FakeServer
--- @param uri string
--- @param operation mewcode.FileOperation
--- @param edits? lsp.TextEdit[]
--- @return mewcode.DocumentEdit
local function document(server, uri, operation, edits)
  local built = harness.document(server, uri, edits or {})
  built.file = operation
  return built
end

--- @param server mewcode.FakeServer
--- @param documents mewcode.DocumentEdit[]
--- @return mewcode.ApplyEditResult
local function apply(server, documents)
  return server:call('mewcode/applyEdit', { documents = documents })
end

local function exists(path)
  return vim.uv.fs_lstat(path) ~= nil
end

--- A path where no test left anything.
local fresh = 0
local function fresh_path(name)
  fresh = fresh + 1
  return harness.file(('fresh-%d/%s'):format(fresh, name))
end

test('a removed file is gone from the disk, the buffers and the server', function()
  local server = harness.serve()
  local other = harness.open(server, 'other.txt', 'x\n')
  local bufnr, uri = harness.open(server, 'gone.txt', 'a\n')
  local path = vim.uri_to_fname(uri)
  local window = vim.api.nvim_get_current_win()
  vim.cmd.split()
  server.received = {}
  local answer = apply(server, { document(server, uri, { kind = 'remove' }) })
  equal(answer, { applied = true, documents = {} })
  equal({ exists(path), vim.api.nvim_buf_is_valid(bufnr) }, { false, false })
  equal(server:methods(), { 'textDocument/didClose', '$/setTrace', 'answer mewcode/applyEdit' })
  equal(#vim.api.nvim_list_wins(), 2, 'windows stay')
  equal(vim.api.nvim_win_get_buf(window), other)
end)

test('a buffer with unsaved changes is not removed', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'dirty.txt', 'a\n')
  vim.api.nvim_buf_set_lines(bufnr, 0, 0, true, { 'mine' })
  require('mewcode.client').flush(vim.lsp.get_clients()[1])
  local answer = apply(server, { document(server, uri, { kind = 'remove' }) })
  equal({ answer.applied, answer.reason }, { false, 'unavailable' })
  harness.contains(answer.message, 'unsaved changes')
  equal(harness.lines(bufnr), { 'mine', 'a' })
  equal(harness.read(vim.uri_to_fname(uri)), 'a\n')
end)

test('what was typed a moment ago keeps the file', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'typed.txt', 'a\n')
  local request = document(server, uri, { kind = 'remove' })
  vim.api.nvim_buf_set_lines(bufnr, 0, 0, true, { 'mine' })
  equal(apply(server, { request }).reason, 'stale')
  equal(harness.lines(bufnr), { 'mine', 'a' })
  equal(exists(vim.uri_to_fname(uri)), true)
end)

test('who types in a buffer goes on typing in it', function()
  local child = harness.child()
  child.lua([[
    server = harness.serve()
    other = harness.open(server, 'other.txt', 'x\n')
    bufnr, uri = harness.open(server, 'typed-in.txt', 'a\n')
    function remove()
      local document = harness.document(server, uri, {})
      document.file = { kind = 'remove' }
      return server:call('mewcode/applyEdit', { documents = { document } })
    end
  ]])
  for _, keys in ipairs({ 'i', 'R', 'i<C-o>', 'gh' }) do
    child.input(keys)
    harness.wait('the mode', function()
      return child.mode() ~= 'n'
    end)
    local answer = child.lua('return remove()')
    equal({ answer.applied, answer.reason }, { false, 'unavailable' }, keys)
    harness.contains(answer.message, 'is being typed in')
    child.input('<Esc><Esc>')
    harness.wait('the end of the mode', function()
      return child.mode() == 'n'
    end)
  end
  child.lua('vim.api.nvim_win_set_buf(0, other)')
  child.input('i')
  equal(child.lua('return remove()').applied, true, 'another buffer is typed in')
  child.input('typed')
  harness.wait('the text', function()
    return child.lua('return vim.api.nvim_buf_get_lines(other, 0, -1, true)')[1] == 'typedx'
  end)
end)

test('no file goes while the command-line window is open', function()
  local child = harness.child()
  child.lua([[
    server = harness.serve()
    bufnr, uri = harness.open(server, 'stays.txt', 'a\n')
  ]])
  child.input('q:')
  harness.wait('the command-line window', function()
    return child.lua('return vim.fn.getcmdwintype()') == ':'
  end)
  for _, kind in ipairs({ 'remove', 'move' }) do
    local answer = child.lua(
      [[
        local document = harness.document(server, uri, {})
        document.file = { kind = ..., uri = uri .. '.moved' }
        return server:call('mewcode/applyEdit', { documents = { document } })
      ]],
      kind
    )
    equal({ answer.applied, answer.reason }, { false, 'unavailable' }, kind)
    harness.contains(answer.message, 'while the command-line window is open')
  end
  equal(
    child.lua([[
      return { vim.uv.fs_stat(vim.uri_to_fname(uri)) ~= nil, vim.api.nvim_buf_is_loaded(bufnr) }
    ]]),
    { true, true }
  )
end)

test('a moved file takes its buffer, windows, undo steps and the edit along', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'from.txt', 'a\nb\n')
  local path, to = vim.uri_to_fname(uri), fresh_path('deep/to.txt')
  vim.fn.delete(vim.fs.dirname(to), 'rf')
  local new_uri = vim.uri_from_fname(to)
  local window = vim.api.nvim_get_current_win()
  vim.api.nvim_buf_set_mark(bufnr, 'm', 2, 0, {})
  server.received = {}
  local answer = apply(server, {
    document(server, uri, { kind = 'move', uri = new_uri }, { edit({ 0, 0 }, { 0, 1 }, 'A') }),
  })
  local sha256 = vim.fn.sha256('A\nb\n')
  equal(answer, { applied = true, documents = { { uri = new_uri, sha256 = sha256 } } })
  equal({ exists(path), harness.read(to) }, { false, 'a\nb\n' })
  equal(vim.api.nvim_buf_get_name(bufnr), to)
  equal(vim.api.nvim_win_get_buf(window), bufnr)
  equal(vim.bo[bufnr].modified, true)
  equal(vim.api.nvim_buf_get_mark(bufnr, 'm'), { 2, 0 })
  equal({ server.documents[uri] ~= nil, server:hash(new_uri) }, { false, sha256 })
  local methods = server:methods()
  equal(methods[#methods], 'answer mewcode/applyEdit')
  equal(vim.fn.bufexists(path), 0, 'no buffer of the old name is left')
  vim.cmd('silent write')
  equal(harness.read(to), 'A\nb\n')
  vim.cmd('silent undo')
  equal(harness.lines(bufnr), { 'a', 'b' })
end)

test('a moved buffer with unsaved changes keeps them, unsaved', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'unsaved.txt', 'a\n')
  vim.api.nvim_buf_set_lines(bufnr, 0, 0, true, { 'mine' })
  require('mewcode.client').flush(vim.lsp.get_clients()[1])
  local to = fresh_path('unsaved.txt')
  local answer = apply(server, {
    document(server, uri, { kind = 'move', uri = vim.uri_from_fname(to) }),
  })
  equal(answer.applied, true)
  equal({ harness.lines(bufnr), vim.bo[bufnr].modified }, { { 'mine', 'a' }, true })
  equal(harness.read(to), 'a\n')
  vim.cmd('silent write')
  equal(harness.read(to), 'mine\na\n')
end)

test('nothing is moved over another file or buffer', function()
  local server = harness.serve()
  local _, uri = harness.open(server, 'from.txt', 'a\n')
  local taken = harness.file('taken.txt', 'theirs\n')
  local unsaved = fresh_path('unsaved.txt')
  vim.cmd.badd(unsaved)
  vim.fn.bufload(unsaved)
  for _, to in ipairs({ taken, unsaved }) do
    local answer = apply(server, {
      document(server, uri, { kind = 'move', uri = vim.uri_from_fname(to) }, {
        edit({ 0, 0 }, { 0, 1 }, 'A'),
      }),
    })
    equal({ answer.applied, answer.reason }, { false, 'unavailable' })
    harness.contains(answer.message, 'something is there')
  end
  equal(harness.read(taken), 'theirs\n')
  equal(server:logical(uri), 'a\n')
end)

test('texts, moves and removals in one request: all', function()
  local server = harness.serve()
  local one, one_uri = harness.open(server, 'one.txt', 'a\n')
  local two, two_uri = harness.open(server, 'two.txt', 'b\n')
  local _, three_uri = harness.open(server, 'three.txt', 'c\n')
  local to = fresh_path('two.txt')
  local answer = apply(server, {
    harness.document(server, one_uri, { edit({ 0, 1 }, { 0, 1 }, '1') }),
    document(server, two_uri, { kind = 'move', uri = vim.uri_from_fname(to) }),
    document(server, three_uri, { kind = 'remove' }),
  })
  equal(answer.applied, true)
  equal(#answer.documents, 2)
  equal({ harness.lines(one), vim.api.nvim_buf_get_name(two) }, { { 'a1' }, to })
  equal(exists(vim.uri_to_fname(three_uri)), false)
end)

test('texts, moves and removals in one request: none when the disk refuses the last', function()
  local server = harness.serve()
  local one, one_uri = harness.open(server, 'one.txt', 'a\n')
  local two, two_uri = harness.open(server, 'two.txt', 'b\n')
  local three, three_uri = harness.open(server, 'three.txt', 'c\n')
  local four, four_uri = harness.open(server, 'four.txt', 'd\n')
  local three_path = vim.uri_to_fname(three_uri)
  assert(vim.uv.fs_chmod(three_path, tonumber('640', 8)))
  local to = fresh_path('two.txt')
  -- A file where the folder of the target should be.
  local barrier = harness.file('barrier', 'x\n')
  local documents = {
    harness.document(server, one_uri, { edit({ 0, 1 }, { 0, 1 }, '1') }),
    document(server, two_uri, { kind = 'move', uri = vim.uri_from_fname(to) }),
    document(server, three_uri, { kind = 'remove' }),
    document(server, four_uri, { kind = 'move', uri = vim.uri_from_fname(barrier .. '/x') }),
  }
  local answer = apply(server, documents)
  equal({ answer.applied, answer.reason }, { false, 'failed' })
  equal({ harness.lines(one), harness.lines(two) }, { { 'a' }, { 'b' } })
  equal({ harness.lines(three), harness.lines(four) }, { { 'c' }, { 'd' } })
  equal(vim.api.nvim_buf_get_name(two), vim.uri_to_fname(two_uri))
  equal({ exists(to), harness.read(vim.uri_to_fname(two_uri)) }, { false, 'b\n' })
  equal(harness.read(three_path), 'c\n')
  equal(assert(vim.uv.fs_stat(three_path)).mode % 512, tonumber('640', 8))
  for uri, text in pairs({ [one_uri] = 'a\n', [two_uri] = 'b\n', [three_uri] = 'c\n' }) do
    equal(server:logical(uri), text)
  end
end)

test('a file that cannot be taken out of its folder is not in two places', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'held.txt', 'a\n')
  local path, to = vim.uri_to_fname(uri), fresh_path('held.txt')
  -- What the system says to it; the permissions of a folder mean nothing to root.
  local real = vim.uv.fs_unlink
  vim.uv.fs_unlink = function(name)
    if name == path then
      return nil, 'EACCES: permission denied: ' .. name, 'EACCES'
    end
    return real(name)
  end
  local operation = { kind = 'move', uri = vim.uri_from_fname(to) }
  local called, answer = pcall(apply, server, {
    document(server, uri, operation, { edit({ 0, 0 }, { 0, 1 }, 'A') }),
  })
  vim.uv.fs_unlink = real
  equal({ called, answer.applied, answer.reason }, { true, false, 'failed' })
  harness.contains(answer.message, 'permission denied')
  equal({ harness.read(path), exists(to) }, { 'a\n', false })
  equal({ vim.api.nvim_buf_get_name(bufnr), harness.lines(bufnr) }, { path, { 'a' } })
  equal(vim.bo[bufnr].modified, false, 'it is as the disk has it')
end)

test('a hunk about the whole file is drawn as a sentence, and lines come before it', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'file.txt', 'a\nb\nc\n')
  local whole = harness.hunk({
    id = 'whole',
    file = 'remove',
    title = 'Remove this file (−3)',
    startLine = 0,
    endLine = 3,
  })
  local line = harness.hunk({
    id = 'line',
    startLine = 1,
    endLine = 2,
    oldLines = { 'b' },
    newLines = { 'B' },
  })
  server:notify('mewcode/review', { uri = uri, version = 0, hunks = { whole, line } })
  local namespace = vim.api.nvim_get_namespaces()['mewcode.lines']
  local marks = vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, { details = true })
  equal(marks[1][4].virt_lines[1][1][1], 'Remove this file (−3)? :MewAccept or :MewReject')
  local review = require('mewcode.review')
  equal(review.at(bufnr, 1).hunk.id, 'line')
  equal(review.at(bufnr, 2).hunk.id, 'whole')
  vim.cmd('2,3MewAccept')
  harness.wait('the decision', function()
    return #server:commands('mewcode.review.accept') > 0
  end)
  equal(server:commands('mewcode.review.accept'), { { hunk = 'line' } })
end)

return tests
