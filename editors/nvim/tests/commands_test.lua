local FakeServer = require('fake_server')
local harness = require('harness')
local equal, hunk = harness.equal, harness.hunk

local ACCEPT, REJECT = 'mewcode.review.accept', 'mewcode.review.reject'

--- @param server mewcode.FakeServer
--- @param command string
--- @param count? integer
--- @return any[] arguments of the commands sent
local function sent(server, command, count)
  harness.wait(command, function()
    return #server:commands(command) >= (count or 1)
  end)
  return server:commands(command)
end

--- @param part string
local function told(part)
  harness.wait('a message', function()
    return harness.messages[1]
  end)
  harness.contains(harness.messages[1], part)
end

--- @return mewcode.FakeServer
--- @return integer bufnr
--- @return string uri
local function with_hunks()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'file.txt', 'one\ntwo\nthree\nfour\n')
  server:notify('mewcode/review', {
    uri = uri,
    version = vim.NIL,
    hunks = {
      hunk({ id = 'a', startLine = 0, endLine = 1, oldLines = { 'one' } }),
      hunk({ id = 'b', startLine = 2, endLine = 3, oldLines = { 'three' } }),
      hunk({
        id = 'c',
        state = 'conflicted',
        startLine = 3,
        endLine = 4,
        oldLines = { 'vier' },
        newLines = { '4' },
      }),
    },
  })
  return server, bufnr, uri
end

local tests = {}

--- @param name string
--- @param run fun()
local function test(name, run)
  tests[#tests + 1] = { name, run }
end

--- @param name string
--- @param keys string command line, run with the cursor on line 1
--- @param command string
--- @param expected any[] arguments, with URI standing for the document's
local function sends(name, keys, command, expected)
  test(name, function()
    local server, _, uri = with_hunks()
    vim.cmd(keys)
    local wanted = vim.deepcopy(expected)
    for _, argument in ipairs(wanted) do
      argument.uri = argument.uri and uri
    end
    equal(sent(server, command, #wanted), wanted)
  end)
end

sends(
  'prompt',
  'Mew do  it, please',
  'mewcode.prompt',
  { { text = 'do  it, please', uri = 'URI' } }
)
sends('prompt with a range', '2,3Mew explain', 'mewcode.prompt', {
  {
    text = 'explain',
    uri = 'URI',
    range = { start = { line = 1, character = 0 }, ['end'] = { line = 2, character = 5 } },
  },
})
sends('accept under the cursor', 'MewAccept', ACCEPT, { { hunk = 'a' } })
sends('accept by range', '1,3MewAccept', ACCEPT, { { hunk = 'a' }, { hunk = 'b' } })
sends('accept the file', 'MewAccept!', ACCEPT, { { uri = 'URI' } })
sends('accept all', 'MewAccept all', ACCEPT, { { all = true } })
sends('accept a side', '4MewAccept both', ACCEPT, { { hunk = 'c', take = 'both' } })
sends('reject under the cursor', '3MewReject', REJECT, { { hunk = 'b' } })
sends('reject with a word', 'MewReject not like this', REJECT, {
  { hunk = 'a', feedback = 'not like this' },
})
sends('reject the file', 'MewReject! no', REJECT, { { uri = 'URI', feedback = 'no' } })
sends('reject all', 'MewReject all', REJECT, { { all = true } })
sends('reject all with a word', 'MewReject all of no use', REJECT, {
  { all = true, feedback = 'of no use' },
})
sends('diff of the hunk', 'MewDiff', 'mewcode.review.showDiff', { { hunk = 'a' } })
sends('diff of the file', 'MewDiff!', 'mewcode.review.showDiff', { { uri = 'URI' } })
sends('stop', 'MewStop', 'mewcode.cancel', { vim.empty_dict() })
sends('reload', 'MewReload', 'mewcode.reloadConfig', { vim.empty_dict() })
sends('new session', 'MewNew', 'mewcode.newSession', { vim.empty_dict() })
sends('mode', 'MewMode accept_edits', 'mewcode.setMode', { { mode = 'accept_edits' } })
sends('plug map', [[execute "normal \<Plug>(mewcode-accept)"]], ACCEPT, { { hunk = 'a' } })
sends('plug map over a selection', [[execute "normal VG\<Plug>(mewcode-reject)"]], REJECT, {
  { hunk = 'a' },
  { hunk = 'b' },
  { hunk = 'c' },
})

test('a prompt without words is asked for, and keeps its range', function()
  local server = with_hunks()
  local real = vim.ui.input
  vim.ui.input = function(_, answer)
    answer('typed words')
  end
  vim.cmd('4Mew')
  vim.ui.input = real
  local prompt = sent(server, 'mewcode.prompt')[1]
  equal(prompt.text, 'typed words')
  equal(prompt.range.start, { line = 3, character = 0 })
end)

test('the range of a prompt moves with its lines while the words are typed', function()
  local server, bufnr = with_hunks()
  local real = vim.ui.input
  local function prompt(line, edit)
    vim.ui.input = function(_, answer)
      edit()
      answer('typed words')
    end
    vim.cmd(line .. 'Mew')
    vim.ui.input = real
  end
  prompt('2,3', function()
    vim.api.nvim_buf_set_lines(bufnr, 1, 1, true, { 'new', 'new' })
    vim.api.nvim_buf_set_text(bufnr, 4, 5, 4, 5, { ' and more' })
  end)
  equal(sent(server, 'mewcode.prompt')[1].range, {
    start = { line = 3, character = 0 },
    ['end'] = { line = 4, character = 14 },
  })
  prompt('1', function()
    vim.api.nvim_buf_clear_namespace(bufnr, -1, 0, -1)
  end)
  equal(sent(server, 'mewcode.prompt', 2)[2].range, nil)
  vim.ui.input = function(_, answer)
    answer(nil)
  end
  vim.cmd('1Mew')
  vim.ui.input = real
  local marks = vim.api.nvim_create_namespace('mewcode.prompt')
  equal(vim.api.nvim_buf_get_extmarks(bufnr, marks, 0, -1, {}), {})
end)

test('an input that is left sends nothing', function()
  local server = with_hunks()
  local real = vim.ui.input
  vim.ui.input = function(_, answer)
    answer(nil)
  end
  vim.cmd('Mew')
  vim.ui.input = real
  vim.cmd('MewStop')
  sent(server, 'mewcode.cancel')
  equal(server:commands('mewcode.prompt'), {})
end)

test(
  'the range of a prompt ends at the end of its last line, in the negotiated encoding',
  function()
    local server = harness.serve({ encoding = 'utf-16' })
    harness.open(server, 'file.txt', 'é😀\n')
    vim.cmd('1Mew x')
    equal(sent(server, 'mewcode.prompt')[1].range['end'], { line = 0, character = 3 })
  end
)

test('a prompt from a buffer that is no document names none', function()
  local server = with_hunks()
  vim.cmd.new()
  vim.bo.buftype = 'nofile'
  vim.cmd('1Mew x')
  equal(sent(server, 'mewcode.prompt'), { { text = 'x' } })
end)

test('a conflict is put to the user, and nothing is sent without an answer', function()
  local server = with_hunks()
  local real, answers = vim.ui.select, { [1] = nil, [2] = 'mine' }
  local asked = 0
  vim.ui.select = function(items, options, choose)
    asked = asked + 1
    equal(items, { 'mine', 'agent', 'both' })
    harness.contains(options.prompt, 'You and the agent')
    choose(answers[asked])
  end
  vim.cmd('4MewAccept')
  vim.cmd('4MewAccept')
  vim.ui.select = real
  equal(sent(server, ACCEPT), { { hunk = 'c', take = 'mine' } })
end)

test('the side of a conflict counts for the conflict that was asked about', function()
  local server = with_hunks()
  local real = vim.ui.select
  vim.ui.select = function(_, _, choose)
    vim.cmd('1')
    choose('both')
    vim.cmd('enew')
    choose('both')
  end
  vim.cmd('4MewAccept')
  vim.cmd('buffer file.txt | 4')
  vim.cmd('MewAccept')
  vim.ui.select = real
  local chosen = { hunk = 'c', take = 'both' }
  equal(sent(server, ACCEPT, 4), { chosen, chosen, chosen, chosen })
end)

test(
  'a removal that a change of the user has made impossible is no choice between lines',
  function()
    local server = harness.serve()
    local _, uri = harness.open(server, 'file.txt', 'a\n')
    local whole = { file = 'remove', title = 'Remove this file (−1)', state = 'conflicted' }
    local lines = { startLine = 0, endLine = 1 }
    server:notify('mewcode/review', {
      uri = uri,
      version = 0,
      hunks = { hunk(vim.tbl_extend('error', whole, lines)) },
    })
    local real = vim.ui.select
    vim.ui.select = function()
      error('nothing is to be chosen')
    end
    for count, command in ipairs({ 'MewAccept', 'MewAccept agent', 'MewAccept both' }) do
      vim.cmd(command)
      harness.wait('the words', function()
        return #harness.messages == count
      end)
      harness.contains(harness.messages[count], 'Remove this file (−1): no longer')
    end
    vim.cmd('MewAccept mine')
    vim.ui.select = real
    equal(sent(server, ACCEPT), { { hunk = 'h1', take = 'mine' } })
  end
)

test('decisions come after the changes that were not sent yet', function()
  local server, bufnr = with_hunks()
  vim.api.nvim_buf_set_lines(bufnr, 1, 1, true, { 'typed' })
  server.received = {}
  vim.cmd('MewAccept')
  sent(server, ACCEPT)
  equal(server:methods(), {
    'textDocument/didChange',
    'mewcode/checksum',
    'workspace/executeCommand',
  })
end)

test('no hunk under the cursor', function()
  local server = with_hunks()
  vim.cmd('2')
  vim.cmd('MewAccept')
  told('no hunk here')
  equal(server:commands(ACCEPT), {})
end)

test('an unknown word is refused', function()
  local server = with_hunks()
  vim.cmd('MewAccept everything')
  told('not "everything"')
  equal(server:commands(ACCEPT), {})
end)

test('an unknown mode is refused', function()
  local server = with_hunks()
  vim.cmd('MewMode yolo')
  told('"yolo" is no mode')
  equal(server:commands('mewcode.setMode'), {})
end)

test('the mode is shown', function()
  local server = with_hunks()
  server:notify('mewcode/status', { mode = 'plan', running = 0, pendingHunks = 0 })
  vim.cmd('MewMode')
  told('the mode is plan')
end)

test('an error of the server is shown', function()
  local server = with_hunks()
  server.answers['workspace/executeCommand'] = function()
    return nil, { code = -32602, message = 'no hunk has the id a; the list has changed' }
  end
  vim.cmd('MewAccept')
  told('no hunk has the id a; the list has changed')
  equal(#harness.messages, 1)
end)

test('without a server every command says what to do', function()
  vim.cmd('Mew x')
  told(':checkhealth mewcode')
  assert(#harness.messages[1] < 79, 'a longer message asks for a key')
  for _, command in ipairs({ 'MewReview', 'MewStop', 'MewLog', 'MewMode plan', 'MewAccept!' }) do
    harness.messages = {}
    vim.cmd(command)
    told('no server runs here')
  end
end)

test('a command waits for a server that is starting', function()
  local server = harness.serve()
  local rpc = server:command()
  local started --- @type fun()
  vim.lsp.config('mewcode', {
    cmd = function(dispatchers)
      local client = rpc(dispatchers)
      local request = client.request
      client.request = function(method, params, callback, on_reply)
        if method ~= 'initialize' then
          return request(method, params, callback, on_reply)
        end
        started = function()
          request(method, params, callback, on_reply)
        end
        return true, 1
      end
      return client
    end,
  })
  vim.cmd.edit(vim.fn.fnameescape(harness.file('file.txt', 'a\n')))
  harness.wait('the start', function()
    return started
  end)
  vim.defer_fn(started, 50)
  vim.cmd('Mew early')
  local uri = vim.uri_from_bufnr(0)
  equal(sent(server, 'mewcode.prompt'), { { text = 'early', uri = uri } })
  equal(harness.messages, {})
end)

test('a command that was typed before Neovim started the server waits too', function()
  local server = harness.serve()
  vim.cmd.edit(vim.fn.fnameescape(harness.file('file.txt', 'a\n')))
  equal(vim.lsp.get_clients({ name = 'mewcode', _uninitialized = true }), {})
  vim.cmd('Mew early')
  equal(sent(server, 'mewcode.prompt'), { { text = 'early', uri = vim.uri_from_bufnr(0) } })
end)

test('pending hunks of all files are listed, and the first is gone to', function()
  local server, bufnr, uri = with_hunks()
  local other = harness.file('other.txt', 'a\nb\nc\n')
  server.answers['mewcode/pending'] = function()
    return {
      hunks = {
        vim.tbl_extend('error', hunk({ startLine = 2, endLine = 3, oldLines = { 'three' } }), {
          uri = uri,
        }),
        vim.tbl_extend('error', hunk({ state = 'conflicted', startLine = 1, endLine = 3 }), {
          uri = vim.uri_from_fname(other),
        }),
      },
    }
  end
  vim.cmd('MewReview')
  harness.wait('the list', function()
    return vim.fn.getqflist({ winid = 0 }).winid ~= 0
  end)
  local items = vim.tbl_map(function(item)
    local name = vim.fs.basename(vim.api.nvim_buf_get_name(item.bufnr))
    return { name, item.lnum, item.end_lnum, item.text, item.type }
  end, vim.fn.getqflist())
  equal(items, {
    { 'file.txt', 3, 3, '+0 -1 edit_file: because', 'I' },
    { 'other.txt', 2, 3, '+0 -0 edit_file: because (conflict)', 'W' },
  })
  equal(vim.api.nvim_get_current_buf(), bufnr)
  equal(vim.api.nvim_win_get_cursor(0)[1], 3)
end)

test('the list follows the hunks until it is gone', function()
  local server, _, uri = with_hunks()
  local pending = {}
  for _, id in ipairs({ 'a', 'b', 'c' }) do
    pending[#pending + 1] = vim.tbl_extend(
      'error',
      hunk({ id = id, reason = id, startLine = #pending, endLine = #pending + 1 }),
      { uri = uri }
    )
  end
  server.answers['mewcode/pending'] = function()
    return { hunks = pending }
  end
  vim.cmd('MewReview')
  harness.wait('the list', function()
    return #vim.fn.getqflist() == 3
  end)
  vim.cmd('cnext')
  table.remove(pending, 1)
  server:notify('mewcode/review', { uri = uri, version = vim.NIL, hunks = {} })
  harness.wait('two hunks', function()
    return #vim.fn.getqflist() == 2
  end)
  equal(vim.fn.getqflist({ idx = 0, title = 0 }), { idx = 2, title = 'MewCode: pending hunks' })
  vim.fn.setqflist({}, ' ', { title = 'of the user', items = { { text = 'x' } } })
  pending = {}
  server:notify('mewcode/review', { uri = uri, version = vim.NIL, hunks = {} })
  harness.wait('an empty list', function()
    return #vim.fn.getqflist({ nr = vim.fn.getqflist({ nr = '$' }).nr - 1, items = 0 }).items == 0
  end)
  equal(vim.fn.getqflist({ title = 0 }).title, 'of the user')
end)

test('the list has what every server has told', function()
  local server, bufnr, uri = with_hunks()
  local other = FakeServer.new()
  vim.lsp.start(
    { name = 'mewcode', cmd = other:command(), root_dir = '/elsewhere' },
    { bufnr = bufnr, reuse_client = function() end }
  )
  harness.wait('the other server', function()
    return other.documents[uri]
  end)
  for id, of in pairs({ a = server, z = other }) do
    of.answers['mewcode/pending'] = function()
      local waiting = hunk({ id = id, reason = id, startLine = 0, endLine = 1 })
      return { hunks = { vim.tbl_extend('error', waiting, { uri = uri }) } }
    end
  end
  vim.cmd('MewReview')
  harness.wait('both', function()
    return #vim.fn.getqflist() == 2
  end)
end)

test('a file of the list that cannot be opened is told, in words', function()
  local server = with_hunks()
  server.answers['mewcode/pending'] = function()
    return {
      hunks = {
        vim.tbl_extend('error', hunk({ startLine = 0, endLine = 1 }), {
          uri = vim.uri_from_fname(harness.file('locked.txt', 'a\n')),
        }),
      },
    }
  end
  local refusal = vim.api.nvim_create_autocmd('BufReadPre', {
    pattern = '*/locked.txt',
    callback = function()
      error('it is locked', 0)
    end,
  })
  vim.cmd('MewReview')
  told('it is locked')
  vim.api.nvim_del_autocmd(refusal)
end)

test('stopping without a run is told', function()
  local server = with_hunks()
  server.answers['workspace/executeCommand'] = function()
    return { stopped = false }
  end
  vim.cmd('MewStop')
  told('nothing runs')
end)

test('what a decision about all leaves alone is told', function()
  local server = with_hunks()
  server.answers['workspace/executeCommand'] = function()
    return { hunks = 2, conflicts = 1 }
  end
  vim.cmd('MewAccept all')
  told('1 in conflict with your changes left alone')
end)

test('accepting a range leaves conflicts alone', function()
  local server = with_hunks()
  vim.cmd('%MewAccept')
  equal(sent(server, ACCEPT, 2), { { hunk = 'a' }, { hunk = 'b' } })
  told('1 in conflict with your changes left alone')
end)

for words, moved in pairs({
  ['cmd_2 goes on in the background'] = { 'cmd_2' },
  ['no run waits for a command'] = {},
}) do
  test('moving to the background: ' .. words, function()
    local server = with_hunks()
    server.answers['workspace/executeCommand'] = function()
      return { commands = moved }
    end
    vim.cmd('MewBackground')
    told(words)
    equal(sent(server, 'mewcode.moveToBackground'), { vim.empty_dict() })
  end)
end

test('a new mode is told', function()
  with_hunks()
  vim.cmd('MewMode plan')
  told('the mode is plan')
end)

test('no pending hunk opens no list', function()
  local server = with_hunks()
  server.answers['mewcode/pending'] = function()
    return { hunks = {} }
  end
  vim.cmd('MewReview')
  told('no hunk waits')
  equal(vim.fn.getqflist({ winid = 0 }).winid, 0)
end)

test('completion', function()
  local function complete(line)
    return vim.fn.getcompletion(line, 'cmdline')
  end
  equal(complete('MewMode '), { 'default', 'accept_edits', 'plan', 'bypass', 'dont_ask' })
  equal(complete('MewMode p'), { 'plan' })
  equal(complete('MewAccept a'), { 'all', 'agent' })
  equal(complete('MewReject '), { 'all' })
  local folder = vim.fs.dirname(harness.file('some file.txt', ''))
  equal(complete('Mew look at @' .. folder .. '/some'), { '@' .. folder .. '/some file.txt' })
  equal(complete('Mew look'), {})
  equal(complete('MewLog '), {})
end)

test('a file in a prompt is completed from the root on', function()
  local server = harness.serve({ config = { root_dir = vim.fs.dirname(harness.file('x/y', '')) } })
  local bufnr = harness.open(server, 'x/there.txt', '')
  local client = vim.lsp.get_clients({ bufnr = bufnr })[1]
  equal(client.root_dir, vim.fs.dirname(vim.api.nvim_buf_get_name(bufnr)))
  equal(vim.fn.getcompletion('Mew look at @the', 'cmdline'), { '@there.txt' })
  local complete = require('mewcode.complete')
  equal(complete.prompt_line('look at @the'), { 'look at @there.txt' })
  equal(complete.prompt_line('look at the'), {})
end)

test('completion of sessions asks the server', function()
  local server = with_hunks()
  server.answers['mewcode/sessions'] = function()
    return { sessions = { { session = 'b2' }, { session = 'a1' } } }
  end
  equal(vim.fn.getcompletion('MewLog ', 'cmdline'), { 'b2', 'a1' })
  equal(vim.fn.getcompletion('MewLog! a', 'cmdline'), { 'a1' })
end)

test('no key is mapped', function()
  for _, mode in ipairs({ 'n', 'x', 'i' }) do
    for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
      local ours = (map.rhs or ''):find('Mew', 1, true) or (map.desc or ''):find('Mew', 1, true)
      assert(not ours or vim.startswith(map.lhs, '<Plug>(mewcode-'), map.lhs .. ' is mapped')
    end
  end
end)

return tests
