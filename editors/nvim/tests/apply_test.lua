local harness = require('harness')
local edit, equal = harness.edit, harness.equal

local tests = {}

--- @param name string
--- @param run fun()
local function test(name, run)
  tests[#tests + 1] = { name, run }
end

test('columns of the first line count a BOM that is text of the buffer', function()
  local server = harness.serve({ encoding = 'utf-16', sync = 1 })
  local bufnr, uri = harness.open(server, 'file.txt', 'ab\n')
  vim.api.nvim_buf_set_text(bufnr, 0, 0, 0, 0, { '\239\187\191' })
  require('mewcode.client').flush(vim.lsp.get_clients()[1])
  equal(harness.apply(server, uri, { edit({ 0, 2 }, { 0, 3 }, 'B') }).applied, true)
  equal(harness.lines(bufnr), { '\239\187\191aB' })
  equal(server:logical(uri), 'aB\n')
end)

test('a URI that escapes other characters than Neovim does', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'a (b)+c.txt', 'a\n')
  local document = harness.document(server, uri, { edit({ 0, 0 }, { 0, 1 }, 'B') })
  document.uri = uri:gsub('[(]', '%%28'):gsub('[+]', '%%2B')
  assert(document.uri ~= uri)
  local answer = server:call('mewcode/applyEdit', { documents = { document } })
  equal(answer.documents[1].uri, document.uri)
  equal(harness.lines(bufnr), { 'B' })
end)

test('a stale edit changes nothing and heals the server', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'file.txt', 'a\n')
  local document = harness.document(server, uri, { edit({ 0, 0 }, { 0, 1 }, 'B') })
  vim.api.nvim_buf_set_text(bufnr, 0, 0, 0, 0, { 'typed ' })
  server.received = {}
  local answer = server:call('mewcode/applyEdit', { documents = { document } })
  equal({ answer.applied, answer.reason }, { false, 'stale' })
  equal(harness.lines(bufnr), { 'typed a' })
  equal(server:methods(), {
    'textDocument/didChange',
    '$/setTrace',
    'mewcode/checksum',
    'answer mewcode/applyEdit',
  })
  local checksum = server:last('mewcode/checksum')
  equal(checksum.text, 'typed a\n')
  equal(checksum.sha256, vim.fn.sha256('typed a\n'))
  equal(checksum.version, vim.lsp.util.buf_versions[bufnr])
  equal(harness.apply(server, uri, { edit({ 0, 6 }, { 0, 7 }, 'B') }).applied, true)
  equal(harness.lines(bufnr), { 'typed B' })
end)

test('another version is stale, even with the same text', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'file.txt', 'a\n')
  local document = harness.document(server, uri, { edit({ 0, 0 }, { 0, 1 }, 'B') })
  document.version = document.version + 1
  local answer = server:call('mewcode/applyEdit', { documents = { document } })
  equal(answer.reason, 'stale')
  document.version = nil
  equal(server:call('mewcode/applyEdit', { documents = { document } }).applied, true)
  equal(harness.lines(bufnr), { 'B' })
end)

test('another text is stale, even with the same version', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'file.txt', 'a\n')
  server.documents[uri].text = 'b\n'
  equal(harness.apply(server, uri, { edit({ 0, 0 }, { 0, 1 }, 'X') }).reason, 'stale')
  equal(harness.lines(bufnr), { 'a' })
  equal(server:logical(uri), 'a\n')
end)

test('several documents: all, each with its hash', function()
  local server = harness.serve()
  local one, one_uri = harness.open(server, 'one.txt', 'a\n')
  local two, two_uri = harness.open(server, 'two.txt', 'b\n')
  local answer = server:call('mewcode/applyEdit', {
    documents = {
      harness.document(server, one_uri, { edit({ 0, 1 }, { 0, 1 }, '1') }),
      harness.document(server, two_uri, { edit({ 0, 1 }, { 0, 1 }, '2') }),
    },
  })
  equal(answer, {
    applied = true,
    documents = {
      { uri = one_uri, sha256 = vim.fn.sha256('a1\n') },
      { uri = two_uri, sha256 = vim.fn.sha256('b2\n') },
    },
  })
  equal({ harness.lines(one), harness.lines(two) }, { { 'a1' }, { 'b2' } })
  equal({ server:hash(one_uri), server:hash(two_uri) }, {
    vim.fn.sha256('a1\n'),
    vim.fn.sha256('b2\n'),
  })
end)

test('several documents: none when one is stale, and every stale one is told', function()
  local server = harness.serve()
  local one, one_uri = harness.open(server, 'one.txt', 'a\n')
  local two, two_uri = harness.open(server, 'two.txt', 'b\n')
  local three, three_uri = harness.open(server, 'three.txt', 'c\n')
  local documents = {
    harness.document(server, one_uri, { edit({ 0, 1 }, { 0, 1 }, '1') }),
    harness.document(server, two_uri, { edit({ 0, 1 }, { 0, 1 }, '2') }),
    harness.document(server, three_uri, { edit({ 0, 1 }, { 0, 1 }, '3') }),
  }
  vim.api.nvim_buf_set_text(two, 0, 0, 0, 0, { 'x' })
  vim.api.nvim_buf_set_text(three, 0, 0, 0, 0, { 'x' })
  server.received = {}
  local answer = server:call('mewcode/applyEdit', { documents = documents })
  equal({ answer.applied, answer.reason }, { false, 'stale' })
  equal({ harness.lines(one), harness.lines(two), harness.lines(three) }, {
    { 'a' },
    { 'xb' },
    { 'xc' },
  })
  local told = {}
  for _, message in ipairs(server.received) do
    if message.method == 'mewcode/checksum' then
      told[#told + 1] = message.params.text
    end
  end
  equal(told, { 'xb\n', 'xc\n' })
end)

test('several documents: what was changed is taken back when Neovim refuses a later one', function()
  local server = harness.serve()
  local one, one_uri = harness.open(server, 'one.txt', 'a\nb\nc\n')
  local two, two_uri = harness.open(server, 'two.txt', 'd\n')
  local documents = {
    harness.document(server, one_uri, {
      edit({ 0, 0 }, { 1, 1 }, 'x\ny\nz'),
      edit({ 2, 0 }, { 2, 1 }, ''),
    }),
    harness.document(server, two_uri, { edit({ 0, 1 }, { 0, 1 }, '2') }),
  }
  local real = vim.api.nvim_buf_set_text
  vim.api.nvim_buf_set_text = function(bufnr, ...)
    if bufnr == two then
      error('E565: Not allowed to change text here')
    end
    return real(bufnr, ...)
  end
  local answer = server:call('mewcode/applyEdit', { documents = documents })
  vim.api.nvim_buf_set_text = real
  equal({ answer.applied, answer.reason }, { false, 'failed' })
  harness.contains(answer.message, 'E565')
  equal({ harness.lines(one), harness.lines(two) }, { { 'a', 'b', 'c' }, { 'd' } })
  equal(server:logical(one_uri), 'a\nb\nc\n')
end)

--- @param name string
--- @param reason string
--- @param part string of the message
--- @param prepare fun(bufnr: integer, document: mewcode.DocumentEdit)
local function refusal(name, reason, part, prepare)
  test('refused: ' .. name, function()
    local server = harness.serve()
    local bufnr, uri = harness.open(server, 'file.txt', 'a\nb\n')
    local document = harness.document(server, uri, { edit({ 0, 0 }, { 0, 1 }, 'B') })
    prepare(bufnr, document)
    local lines = harness.lines(bufnr)
    local answer = server:call('mewcode/applyEdit', { documents = { document } })
    equal({ answer.applied, answer.reason }, { false, reason })
    harness.contains(answer.message, part)
    equal(harness.lines(bufnr), lines)
  end)
end

refusal('not open', 'not_open', 'other.txt', function(_, document)
  document.uri = document.uri:gsub('file.txt', 'other.txt')
end)
refusal('nomodifiable', 'unavailable', 'nomodifiable', function(bufnr)
  vim.bo[bufnr].modifiable = false
end)
refusal('readonly', 'unavailable', 'readonly', function(bufnr)
  vim.bo[bufnr].readonly = true
end)
refusal('NUL in the buffer', 'unavailable', 'NUL', function(bufnr)
  vim.api.nvim_buf_set_lines(bufnr, 0, 1, true, { 'a\0b' })
end)
refusal('overlapping edits', 'failed', 'overlap in line 1', function(_, document)
  document.edits = { edit({ 0, 0 }, { 1, 0 }, ''), edit({ 0, 1 }, { 0, 1 }, 'x') }
end)
refusal('a line that does not exist', 'failed', '3:0', function(_, document)
  document.edits = { edit({ 3, 0 }, { 3, 0 }, 'x') }
end)
refusal(
  'a range that ends before it starts',
  'failed',
  'ends before it starts',
  function(_, document)
    document.edits = { edit({ 1, 0 }, { 0, 0 }, 'x') }
  end
)
refusal('NUL in the new text', 'failed', 'NUL', function(_, document)
  document.edits = { edit({ 0, 0 }, { 0, 0 }, 'x\0') }
end)

test('the same document twice is refused', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'file.txt', 'a\n')
  local document = harness.document(server, uri, { edit({ 0, 0 }, { 0, 1 }, 'B') })
  local answer = server:call('mewcode/applyEdit', { documents = { document, document } })
  equal(answer.reason, 'failed')
  equal(harness.lines(bufnr), { 'a' })
end)

test('one edit is one undo step, in hidden buffers too', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'file.txt', 'a\nb\n')
  vim.cmd.enew()
  vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels
  for number = 1, 2 do
    local text = tostring(number)
    local answer = harness.apply(server, uri, {
      edit({ 0, 0 }, { 0, 0 }, text),
      edit({ 1, 0 }, { 1, 0 }, text),
    })
    equal(answer.applied, true)
  end
  equal(harness.lines(bufnr), { '21a', '21b' })
  vim.cmd.buffer(bufnr)
  vim.cmd('silent undo')
  equal(harness.lines(bufnr), { '1a', '1b' })
  vim.cmd('silent undo')
  equal(harness.lines(bufnr), { 'a', 'b' })
  vim.cmd('silent redo')
  equal(harness.lines(bufnr), { '1a', '1b' })
  equal(vim.api.nvim_get_option_value('undolevels', { buf = bufnr }), -123456)
end)

test('in insert mode the edit is a step between two of the user', function()
  local child = harness.child()
  child.lua([[
    server = harness.serve()
    bufnr, uri = harness.open(server, 'file.txt', 'one\ntwo\nthree\n')
  ]])
  local function lines()
    return child.lua('return harness.lines(bufnr)')
  end
  child.input('ggjA before')
  harness.wait('typing', function()
    return lines()[2] == 'two before'
  end)
  child.lua([[
    require('mewcode.client').flush(vim.lsp.get_clients()[1])
    -- As Neovim calls handlers: from the event loop, while the user is in insert mode.
    vim.schedule(function()
      answer = harness.apply(server, uri, { harness.edit({ 2, 0 }, { 2, 0 }, 'AGENT\n') })
    end)
  ]])
  harness.wait('the edit', function()
    return child.lua('return answer and answer.applied')
  end)
  equal(child.mode(), 'i')
  child.input(' after<Esc>')
  harness.wait('typing', function()
    return child.mode() == 'n'
  end)
  local states = {
    { 'one', 'two before after', 'AGENT', 'three' },
    { 'one', 'two before', 'AGENT', 'three' },
    { 'one', 'two before', 'three' },
    { 'one', 'two', 'three' },
  }
  equal(lines(), states[1])
  for index = 2, #states do
    child.lua("vim.cmd('silent undo')")
    equal(lines(), states[index], 'after undo ' .. index - 1)
  end
  for index = #states - 1, 1, -1 do
    child.lua("vim.cmd('silent redo')")
    equal(lines(), states[index], 'after redo ' .. index)
  end
end)

test('typing goes on at its place while the agent writes above it', function()
  local child = harness.child()
  child.lua([[
    server = harness.serve()
    bufnr, uri = harness.open(server, 'file.txt', 'one\ntwo\n')
  ]])
  child.input('jA, my')
  child.lua([[
    harness.wait('typing', function() return harness.lines(bufnr)[2] == 'two, my' end)
    require('mewcode.client').flush(vim.lsp.get_clients()[1])
    answer = harness.apply(server, uri, {
      harness.edit({ 0, 0 }, { 0, 3 }, 'ONE'),
      harness.edit({ 1, 0 }, { 1, 0 }, 'above\n'),
      harness.edit({ 1, 0 }, { 1, 3 }, 'TWO'),
    })
  ]])
  child.input(' word<Esc>')
  harness.wait('typing', function()
    return child.mode() == 'n'
  end)
  equal(child.lua('return harness.lines(bufnr)'), { 'ONE', 'above', 'TWO, my word' })
end)

test('what is selected stays so when lines come above it', function()
  local child = harness.child()
  child.lua([[
    server = harness.serve()
    bufnr, uri = harness.open(server, 'file.txt', 'one\ntwo\nthree four\nfive\n')
  ]])
  --- @param keys string that select
  --- @param mode string
  --- @param selected string[]
  local function check(keys, mode, selected)
    child.input('<Esc>' .. keys)
    harness.wait('the selection of ' .. keys, function()
      return child.mode() == mode
    end)
    child.lua([[
      vim.schedule(function()
        answer = harness.apply(server, uri, { harness.edit({ 0, 0 }, { 0, 3 }, 'ONE\nmore') })
      end)
    ]])
    harness.wait('the edit under ' .. keys, function()
      return child.lua('return answer and answer.applied')
    end)
    equal(child.mode(), mode)
    local lines = child.lua([[
      answer = nil
      local options = { type = vim.fn.mode():upper() == 'S' and 'V' or vim.fn.mode() }
      local first, last = vim.fn.getpos('v'), vim.fn.getpos('.')
      options.type = ({ s = 'v' })[vim.fn.mode()] or options.type
      return vim.fn.getregion(first, last, options)
    ]])
    equal(lines, selected)
    child.input('<Esc>')
    harness.wait('the end of the selection', function()
      return child.mode() == 'n'
    end)
    child.lua([[
      vim.cmd('silent undo')
      require('mewcode.client').flush(vim.lsp.get_clients()[1])
    ]])
  end
  check('2GVj', 'V', { 'two', 'three four' })
  check('3GVk', 'V', { 'two', 'three four' })
  check('3Gwvj', 'v', { 'four', 'five' })
  check('3G0v$', 'v', { 'three four' })
  check('2G0<C-v>jl', '\22', { 'tw', 'th' })
  check('3G0gh<S-Right>', 's', { 'three f' })
end)

test('cursor, marks, extmarks, folds and views of the user stay at their text', function()
  local server = harness.serve()
  local bytes = {}
  for number = 0, 99 do
    bytes[#bytes + 1] = ('line %02d'):format(number)
  end
  local bufnr, uri = harness.open(server, 'file.txt', table.concat(bytes, '\n') .. '\n')
  vim.wo.foldmethod = 'manual'
  vim.cmd('70,80fold')
  vim.cmd.split()
  local other = vim.fn.win_getid(vim.fn.winnr('#'))
  vim.api.nvim_win_call(other, function()
    vim.fn.winrestview({ topline = 41, lnum = 45, col = 3 })
  end)
  vim.api.nvim_win_set_cursor(0, { 61, 5 })
  for name, row in pairs({ a = 5, b = 10, c = 11, d = 12, e = 50, G = 50 }) do
    vim.api.nvim_buf_set_mark(bufnr, name, row + 1, 2, {})
  end
  local namespace = vim.api.nvim_create_namespace('test')
  local mark = vim.api.nvim_buf_set_extmark(bufnr, namespace, 30, 5, {})
  local edits = {
    edit({ 0, 0 }, { 0, 0 }, 'new 1\nnew 2\n'),
    edit({ 10, 0 }, { 12, 0 }, 'x\ny\nz\n'),
    edit({ 30, 0 }, { 30, 4 }, 'LINE'),
    edit({ 61, 0 }, { 62, 0 }, ''),
  }
  equal(harness.apply(server, uri, edits).applied, true)
  equal(vim.api.nvim_win_get_cursor(0), { 64, 5 })
  equal(vim.api.nvim_get_current_line(), 'line 60')
  vim.api.nvim_win_call(other, function()
    local view = vim.fn.winsaveview()
    equal({ view.topline, view.lnum, view.col }, { 44, 48, 3 })
  end)
  local function marked(name)
    local row = vim.api.nvim_buf_get_mark(bufnr, name)[1]
    return vim.api.nvim_buf_get_lines(bufnr, row - 1, row, false)[1]
  end
  equal({ marked('a'), marked('b'), marked('c'), marked('d') }, { 'line 05', 'x', 'y', 'line 12' })
  equal({ marked('e'), marked('G') }, { 'line 50', 'line 50' })
  equal(vim.api.nvim_buf_get_extmark_by_id(bufnr, namespace, mark, {}), { 33, 5 })
  vim.api.nvim_win_call(other, function()
    equal({ vim.fn.foldclosed(72), vim.fn.foldclosedend(72) }, { 72, 82 })
  end)
end)

test('a plain workspace/applyEdit is left to Neovim', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'file.txt', 'a\n')
  local answer = server:call('workspace/applyEdit', {
    edit = {
      documentChanges = {
        {
          textDocument = { uri = uri, version = vim.NIL },
          edits = { edit({ 0, 0 }, { 0, 1 }, 'B') },
        },
      },
    },
  })
  equal(answer.applied, true)
  equal(harness.lines(bufnr), { 'B' })
  equal(vim.lsp.handlers['mewcode/applyEdit'], nil)
end)

test('a fault of the plugin is answered and told', function()
  local server = harness.serve()
  harness.open(server, 'file.txt', 'a\n')
  local answer = server:call('mewcode/applyEdit', {})
  equal({ answer.applied, answer.reason }, { false, 'failed' })
  harness.wait('the message', function()
    return harness.messages[1]
  end)
  harness.contains(harness.messages[1], 'an edit failed')
end)

test('a large file with many edits is quick', function()
  local server = harness.serve({ sync = 1 })
  local lines = {}
  for number = 1, 40000 do
    lines[number] = ('local value_%d = %d'):format(number, number)
  end
  local _, uri = harness.open(server, 'large.txt', table.concat(lines, '\n') .. '\n')
  local edits = {}
  for number = 0, 39999, 400 do
    edits[#edits + 1] = edit({ number, 0 }, { number, 5 }, 'const')
  end
  local document = harness.document(server, uri, edits)
  -- Of the processor: others may have it meanwhile.
  local began = os.clock()
  local answer = server:call('mewcode/applyEdit', { documents = { document } })
  local milliseconds = (os.clock() - began) * 1000
  equal(answer.documents[1].sha256, server:hash(uri))
  assert(milliseconds < 2000, ('took %d ms'):format(milliseconds))
end)

return tests
