local harness = require('harness')
local equal = harness.equal

--- @param server mewcode.FakeServer
--- @param uri string
--- @return mewcode.SaveResult
local function save(server, uri)
  local answer = server:call('mewcode/save', { uri = uri, sha256 = server:hash(uri) })
  if answer.saved then
    -- What was saved, formatters included, is what the server has heard of by then.
    equal(answer.sha256, server:hash(uri))
    answer.sha256 = nil
  end
  return answer
end

--- Opens a file, lets the agent edit it, and returns what a save needs.
--- @return mewcode.FakeServer server
--- @return integer bufnr
--- @return string uri
--- @return string path
local function edited()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'file.txt', 'a\n')
  harness.apply(server, uri, { harness.edit({ 0, 0 }, { 0, 1 }, 'B  ') })
  return server, bufnr, uri, vim.uri_to_fname(uri)
end

local tests = {}

--- @param name string
--- @param run fun()
local function test(name, run)
  tests[#tests + 1] = { name, run }
end

test('writes at the hash', function()
  local server, bufnr, uri, path = edited()
  equal(harness.read(path), 'a\n')
  equal(save(server, uri), { saved = true })
  equal(harness.read(path), 'B  \n')
  equal(vim.bo[bufnr].modified, false)
end)

test('a new file is written, with the folders it needs', function()
  local server = harness.serve()
  local name = 'new folder/deep/new.txt'
  local path = harness.file(name)
  vim.fn.delete(vim.fs.dirname(vim.fs.dirname(path)), 'rf')
  vim.cmd.edit(vim.fn.fnameescape(path))
  local uri = vim.uri_from_fname(path)
  harness.wait('didOpen', function()
    return server.documents[uri]
  end)
  harness.apply(server, uri, { harness.edit({ 0, 0 }, { 1, 0 }, 'fresh\n') })
  equal(save(server, uri), { saved = true })
  equal(harness.read(path), 'fresh\n')
end)

test('refuses another hash', function()
  local server, bufnr, uri, path = edited()
  local hash = server:hash(uri)
  vim.api.nvim_buf_set_text(bufnr, 0, 0, 0, 0, { 'typed ' })
  local answer = server:call('mewcode/save', { uri = uri, sha256 = hash })
  equal(answer, { saved = false, reason = 'it has changed since' })
  equal(harness.read(path), 'a\n')
  equal(server:logical(uri), 'typed B  \n', 'the server sees')
end)

test('a formatter runs, is its own undo step, and reaches the server before the answer', function()
  local server, bufnr, uri, path = edited()
  vim.api.nvim_buf_set_text(bufnr, 0, 0, 0, 0, { 'my ' })
  require('mewcode.client').flush(vim.lsp.get_clients()[1])
  vim.api.nvim_create_autocmd('BufWritePre', {
    buffer = bufnr,
    callback = function()
      vim.cmd([[silent keepjumps %s/\s\+$//e]])
    end,
  })
  server.received = {}
  equal(save(server, uri), { saved = true })
  equal(harness.read(path), 'my B\n')
  equal(server:logical(uri), 'my B\n')
  equal(vim.list_slice(server:methods(), 1, 2), {
    'textDocument/didChange',
    'textDocument/didSave',
  })
  local methods = server:methods()
  equal(methods[#methods], 'answer mewcode/save')
  for _, text in ipairs({ 'my B  ', 'B  ', 'a' }) do
    vim.cmd('silent undo')
    equal(harness.lines(bufnr), { text })
  end
end)

test('a hidden buffer is written without being shown', function()
  local server, bufnr, uri, path = edited()
  vim.cmd.enew()
  local here = vim.api.nvim_get_current_buf()
  equal(save(server, uri), { saved = true })
  equal(harness.read(path), 'B  \n')
  equal(vim.api.nvim_get_current_buf(), here)
  equal(vim.bo[bufnr].modified, false)
end)

test('a new file is written', function()
  local server = harness.serve()
  local _, uri = harness.open(server, 'new.txt')
  harness.apply(server, uri, { harness.edit({ 0, 0 }, { 0, 0 }, 'new') })
  equal(save(server, uri), { saved = true })
  equal(harness.read(vim.uri_to_fname(uri)), 'new\n')
end)

test('a buffer without changes is saved already, but not when its file is gone', function()
  local server = harness.serve()
  local _, uri = harness.open(server, 'file.txt', 'a\n')
  local path = vim.uri_to_fname(uri)
  harness.write(path, 'a\n')
  equal(save(server, uri), { saved = true })
  vim.uv.fs_unlink(path)
  equal(save(server, uri), { saved = true })
  equal(harness.read(path), 'a\n')
end)

--- @param path string
local function change_behind(path)
  harness.write(path, 'changed by others\n')
end

test('a file that changed on disk is left alone, without a question', function()
  local server, bufnr, uri, path = edited()
  change_behind(path)
  for _ = 1, 2 do
    local answer = save(server, uri)
    equal(answer, { saved = false, reason = 'the file changed on disk behind the buffer' })
  end
  equal(harness.read(path), 'changed by others\n')
  equal(harness.lines(bufnr), { 'B  ' })
  harness.wait('the message', function()
    return harness.messages[1]
  end)
  harness.contains(harness.messages[1], ':w! or :e!')
  vim.cmd('silent write!')
  harness.apply(server, uri, { harness.edit({ 0, 0 }, { 0, 1 }, 'C') })
  equal(save(server, uri), { saved = true })
  equal(harness.read(path), 'C  \n')
end)

test('a change on disk that the user left alone is remembered', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'file.txt', 'a\n')
  local path = vim.uri_to_fname(uri)
  vim.bo[bufnr].autoread = false
  local watch = vim.api.nvim_create_autocmd('FileChangedShell', {
    callback = function()
      vim.v.fcs_choice = ''
    end,
  })
  change_behind(path)
  vim.cmd.checktime()
  vim.api.nvim_del_autocmd(watch)
  harness.apply(server, uri, { harness.edit({ 0, 0 }, { 0, 1 }, 'B') })
  equal(save(server, uri).saved, false)
  equal(harness.read(path), 'changed by others\n')
end)

test('a change on disk that was read again is no obstacle', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'file.txt', 'a\n')
  local path = vim.uri_to_fname(uri)
  vim.bo[bufnr].autoread = true
  change_behind(path)
  vim.cmd('silent checktime')
  harness.wait('the new text', function()
    return server:logical(uri) == 'changed by others\n'
  end)
  harness.apply(server, uri, { harness.edit({ 0, 0 }, { 0, 7 }, 'CHANGED') })
  equal(save(server, uri), { saved = true })
  equal(harness.read(path), 'CHANGED by others\n')
end)

test('what the editor refuses is answered and told', function()
  local server, bufnr, uri, path = edited()
  vim.bo[bufnr].readonly = true
  local answer = save(server, uri)
  equal(answer.saved, false)
  harness.contains(answer.reason, 'E45')
  equal(harness.read(path), 'a\n')
  harness.wait('the message', function()
    return harness.messages[1]
  end)
  harness.contains(harness.messages[1], 'could not save')
end)

test('nothing is saved while the command-line window is open, and the user is told why', function()
  local child = harness.child()
  child.lua([[
    server = harness.serve()
    bufnr, uri = harness.open(server, 'file.txt', 'a\n')
    harness.apply(server, uri, { harness.edit({ 0, 0 }, { 0, 1 }, 'b') })
  ]])
  child.input('q:')
  harness.wait('the command-line window', function()
    return child.lua('return vim.fn.getcmdwintype()') == ':'
  end)
  local answer = child.lua([[
    return server:call('mewcode/save', { uri = uri, sha256 = server:hash(uri) })
  ]])
  equal(answer, { saved = false, reason = 'the command-line window is open' })
  equal(child.lua('return vim.bo[bufnr].modified'), true)
  harness.wait('the message', function()
    return child.lua('return harness.messages[1]')
  end)
  harness.contains(child.lua('return harness.messages[1]'), 'file.txt was not saved: ')
end)

test('a document that is not open is refused', function()
  local server, _, uri = edited()
  local other = uri:gsub('file.txt', 'other.txt')
  local answer = server:call('mewcode/save', { uri = other, sha256 = server:hash(uri) })
  equal(answer, { saved = false, reason = 'it is not open in Neovim' })
end)

--- Opens a file, has another program change it, and the server bring the buffer up to date.
--- @param before string
--- @param after string the bytes of the file
--- @param edit lsp.TextEdit
--- @return mewcode.FakeServer server
--- @return integer bufnr
--- @return string uri
--- @return string path
local function changed_on_disk(before, after, edit)
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'file.txt', before)
  local path = vim.uri_to_fname(uri)
  harness.write(path, after)
  -- A time of its own, whatever the clock of the file system is worth.
  vim.uv.fs_utime(path, 1e9, 1e9)
  harness.apply(server, uri, { edit })
  return server, bufnr, uri, path
end

--- @param server mewcode.FakeServer
--- @param uri string
--- @param final_newline boolean
--- @return mewcode.SaveResult
local function take_as_saved(server, uri, final_newline)
  local params = {
    uri = uri,
    sha256 = server:hash(uri),
    onDisk = { finalNewline = final_newline },
  }
  return server:call('mewcode/save', params)
end

--- Checks that Neovim asks nothing about a file that changed behind it, at a look or at a write, and does not read it
--- again by itself.
--- @param bufnr integer
--- @param look boolean before the write
local function equal_to_disk(bufnr, look)
  equal(vim.bo[bufnr].modified, false)
  vim.bo[bufnr].autoread = false
  if look then
    local asked = 0
    local autocommand = vim.api.nvim_create_autocmd('FileChangedShell', {
      buffer = bufnr,
      callback = function()
        asked = asked + 1
        vim.v.fcs_choice = ''
      end,
    })
    vim.cmd.checktime(bufnr)
    vim.api.nvim_del_autocmd(autocommand)
    equal(asked, 0, 'questions about a changed file')
  end
  vim.api.nvim_buf_set_lines(bufnr, 0, 0, true, { 'typed' })
  equal(vim.fn.execute('write'):find('WARNING'), nil, 'the write asks')
  equal(vim.bo[bufnr].modified, false)
end

for name, case in pairs({
  ['looked at later'] = { 'a\nb\n', 'a\nB\n', look = true },
  ['as it is'] = { 'a\nb\n', 'a\nB\n' },
  ['without a final newline'] = { 'a\nb', 'a\nB' },
  ['that loses its final newline'] = { 'a\nb\n', 'a\nB' },
  ['that gains a final newline'] = { 'a\nb', 'a\nB\n' },
  ['with CRLF'] = { 'a\r\nb\r\n', 'a\r\nB\r\n' },
  ['with a byte order mark'] = { '\239\187\191a\nb\n', '\239\187\191a\nB\n' },
}) do
  test(('a text that the disk has is taken as saved: %s'):format(name), function()
    local edit = harness.edit({ 1, 0 }, { 1, 1 }, 'B')
    local server, bufnr, uri, path = changed_on_disk(case[1], case[2], edit)
    local ran = {}
    local autocommand = vim.api.nvim_create_autocmd({ 'BufWritePre', 'BufWritePost' }, {
      callback = function(arguments)
        ran[#ran + 1] = arguments.event
      end,
    })
    local answer = take_as_saved(server, uri, case[2]:sub(-1) == '\n')
    vim.api.nvim_del_autocmd(autocommand)
    equal(answer, { saved = true, sha256 = server:hash(uri) })
    equal(ran, {}, 'hooks')
    equal(harness.read(path), case[2])
    equal({ vim.fn.getreg('#'), harness.messages }, { '', {} })
    equal_to_disk(bufnr, case.look or false)
    vim.cmd('silent undo | silent undo')
    equal(harness.lines(bufnr), { 'a', 'b' }, 'it can be undone')
  end)
end

test('a file that holds something else by then is left alone, and the user is told', function()
  local edit = harness.edit({ 1, 0 }, { 1, 1 }, 'B')
  local server, bufnr, uri, path = changed_on_disk('a\nb\n', 'a\nB\nand more\n', edit)
  local answer = take_as_saved(server, uri, true)
  equal(answer, { saved = false, reason = 'the file holds something else by now' })
  equal(harness.read(path), 'a\nB\nand more\n')
  equal({ vim.bo[bufnr].modified, vim.bo[bufnr].endofline }, { true, true })
  harness.wait('the message', function()
    return harness.messages[1]
  end)
  harness.contains(harness.messages[1], 'changed on disk, and Neovim takes its text for unsaved')
end)

test('what was typed since is not written over what the disk has', function()
  local edit = harness.edit({ 1, 0 }, { 1, 1 }, 'B')
  local server, bufnr, uri, path = changed_on_disk('a\nb\n', 'a\nB\n', edit)
  local params = { uri = uri, sha256 = server:hash(uri), onDisk = { finalNewline = true } }
  vim.api.nvim_buf_set_lines(bufnr, 0, 0, true, { 'typed' })
  equal(server:call('mewcode/save', params), { saved = false, reason = 'it has changed since' })
  equal({ harness.read(path), vim.bo[bufnr].modified }, { 'a\nB\n', true })
end)

return tests
