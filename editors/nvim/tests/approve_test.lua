local harness = require('harness')
local equal = harness.equal

local ANSWER = 'mewcode.approval.answer'

--- @param fields? table
--- @return mewcode.Approval
local function question(fields)
  return vim.tbl_extend('force', {
    id = 'q1',
    kind = 'permission',
    session = 's1',
    tool = 'bash',
    title = 'Run `cargo test`',
    details = { 'cargo test --all', 'in /work, sandbox workspace_write' },
    because = { 'No rule allows it.' },
    reason = 'to see that it works',
    answers = {
      { answer = 'deny', title = 'Deny' },
      { answer = 'once', title = 'Allow once' },
      { answer = 'session', title = 'Allow `cargo test:*` for this session' },
      { answer = 'always', title = 'Always allow `cargo test:*`' },
    },
    asked = 1,
  }, fields or {})
end

--- @param fields? table
--- @return mewcode.Approval
local function choice(fields)
  return question(vim.tbl_extend('force', {
    id = 'c1',
    kind = 'choice',
    tool = 'ask_user',
    title = 'Which one?\nThe first is quicker.',
    details = {},
    because = {},
    reason = '',
    answers = {
      { answer = 'deny', title = 'Do not answer' },
      { answer = 'the first', title = 'the first' },
      { answer = 'once', title = 'once' },
    },
  }, fields or {}))
end

--- @param server mewcode.FakeServer
--- @param list mewcode.Approval[]
local function ask(server, list)
  server:notify('mewcode/approval', { approvals = list })
end

--- @param list? mewcode.Approval[]
--- @return mewcode.FakeServer
local function serve(list)
  local server = harness.serve()
  harness.open(server, 'file.txt', 'a\nb\n')
  harness.wait('the question what waits', function()
    return server:last('mewcode/pending')
  end)
  if list then
    ask(server, list)
  end
  return server
end

--- @return integer?
local function float()
  return vim.iter(vim.api.nvim_list_wins()):find(function(window)
    return vim.api.nvim_win_get_config(window).relative ~= ''
  end)
end

--- @return string
local function shown()
  return table.concat(harness.lines(vim.api.nvim_win_get_buf(assert(float()))), '\n')
end

--- @return string
local function line()
  return vim.trim(vim.api.nvim_get_current_line())
end

--- @param keys string
local function press(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'xt', false)
end

--- @param server mewcode.FakeServer
--- @param count? integer
--- @return any[]
local function answers(server, count)
  harness.wait('an answer', function()
    return #server:commands(ANSWER) >= (count or 1)
  end)
  return server:commands(ANSWER)
end

local function open()
  vim.cmd('MewApprove')
  harness.wait('the float', float)
end

local function wait_closed()
  harness.wait('the float to close', function()
    return not float()
  end)
end

--- @param part string
local function told(part)
  harness.wait('a message of ' .. part, function()
    return vim.iter(harness.messages):any(function(message)
      return message:find(part, 1, true) ~= nil
    end)
  end)
end

--- Has `vim.ui.input` give these words while `run` runs.
--- @param words? string
--- @param run fun(prompts: string[])
local function typing(words, run)
  local before, prompts = vim.ui.input, {}
  vim.ui.input = function(options, on_confirm)
    prompts[#prompts + 1] = options.prompt
    on_confirm(words)
  end
  local ok, err = pcall(run, prompts)
  vim.ui.input = before
  if not ok then
    error(err, 0)
  end
end

local tests = {}

--- @param name string
--- @param run fun()
local function test(name, run)
  tests[#tests + 1] = { name, run }
end

test('a question is told in a line, and takes neither focus nor window', function()
  local server = serve()
  local window, mode = vim.api.nvim_get_current_win(), vim.api.nvim_get_mode().mode
  ask(server, { question() })
  told('MewCode asks: Run `cargo test` (:MewApprove)')
  equal(
    { vim.api.nvim_get_current_win(), vim.api.nvim_get_mode().mode, float() },
    { window, mode, nil }
  )
  -- The same list again is no news, another question is.
  ask(server, { question(), question({ id = 'q2', title = 'Fetch docs.rs' }) })
  told('asks: Fetch docs.rs')
  equal(#harness.messages, 2)
end)

test('several at once are one message', function()
  local server = serve()
  ask(server, { question(), question({ id = 'q2' }), question({ id = 'q3' }) })
  told('3 questions wait for you (:MewApprove)')
  equal(#harness.messages, 1)
end)

test('the float shows all of a question, the safe answer first and under the cursor', function()
  serve({ question() })
  open()
  equal(vim.api.nvim_get_current_win(), float())
  equal(
    shown(),
    table.concat({
      'Run `cargo test`',
      '',
      '  d  Deny',
      '  D  Deny, with a word to the model…',
      '  o  Allow once',
      '  s  Allow `cargo test:*` for this session',
      '  A  Always allow `cargo test:*`',
      '',
      'What will happen',
      '  cargo test --all',
      '  in /work, sandbox workspace_write',
      '',
      'Why you are asked',
      '  No rule allows it.',
      '',
      'The model says, in words of its own',
      '  to see that it works',
      '',
      'q closes this; the question goes on waiting',
    }, '\n')
  )
  equal(line(), 'd  Deny')
  equal(vim.bo.modifiable, false)
end)

for key, argument in pairs({
  d = { id = 'q1', answer = 'deny' },
  o = { id = 'q1', answer = 'once' },
  s = { id = 'q1', answer = 'session' },
  A = { id = 'q1', answer = 'always' },
  ['<CR>'] = { id = 'q1', answer = 'deny' },
  ['jj<CR>'] = { id = 'q1', answer = 'once' },
}) do
  test(key .. ' answers, once, and the float goes', function()
    local server = serve({ question() })
    open()
    press(key)
    equal(answers(server), { argument })
    wait_closed()
    equal(#server:commands(ANSWER), 1)
  end)
end

for _, key in ipairs({ 'q', '<Esc>' }) do
  test(key .. ' closes the float and answers nothing', function()
    local server = serve({ question() })
    open()
    press(key)
    wait_closed()
    equal(server:commands(ANSWER), {})
    open()
    harness.contains(shown(), 'Run `cargo test`')
  end)
end

test('a key that is not shown answers nothing', function()
  local server = serve({
    question({
      answers = {
        { answer = 'deny', title = 'Deny' },
        { answer = 'once', title = 'Allow once' },
      },
    }),
  })
  open()
  for _, key in ipairs({ 's', 'A', '1', 'i', '0' }) do
    press(key)
  end
  equal(server:commands(ANSWER), {})
  equal(shown():find('session', 1, true), nil)
end)

test('deny with a word to the model, and without one nothing is decided', function()
  local server = serve({ question() })
  open()
  typing(nil, function()
    press('D')
  end)
  typing('  ', function()
    press('D')
  end)
  equal(server:commands(ANSWER), {})
  typing(' use nextest ', function(prompts)
    press('D')
    equal(prompts, { 'Why not: ' })
  end)
  equal(answers(server), { { id = 'q1', answer = 'deny', feedback = 'use nextest' } })
end)

test('a question of the model has its options on digits, and takes other words', function()
  local server = serve({ choice() })
  open()
  harness.contains(
    shown(),
    '  d  Do not answer\n  D  Do not answer, with a word to the model…\n  1  the first\n  2  once\n'
      .. '  i  Answer in your own words…'
  )
  equal(harness.lines(0)[1], 'Which one? …')
  harness.contains(shown(), 'The whole of it\n  Which one?\n  The first is quicker.')
  equal(shown():find('Why you are asked', 1, true), nil)
  equal(shown():find('The model says', 1, true), nil)
  press('o')
  equal(server:commands(ANSWER), {}, 'an option that is called `once` has no key of ours')
  press('2')
  equal(answers(server), { { id = 'c1', answer = 'once' } })
  wait_closed()
  ask(server, {})
  ask(server, { choice({ id = 'c2' }) })
  open()
  typing('neither', function(prompts)
    press('i')
    equal(prompts, { 'Your answer: ' })
  end)
  equal(answers(server, 2)[2], { id = 'c2', answer = 'neither' })
end)

test('ten options have a key each', function()
  local options = { { answer = 'deny', title = 'Do not answer' } }
  for number = 1, 10 do
    options[#options + 1] = { answer = 'option ' .. number, title = 'option ' .. number }
  end
  local server = serve({ choice({ answers = options }) })
  open()
  press('0')
  equal(answers(server), { { id = 'c1', answer = 'option 10' } })
end)

test('trust is asked for with what it grants', function()
  local server = serve({
    question({
      id = 't1',
      kind = 'trust',
      title = 'Trust /work?',
      details = { '.mewcode.yaml:3: allows `bash(make:*)`' },
      because = {},
      reason = '',
      answers = {
        { answer = 'deny', title = 'Do not trust it' },
        { answer = 'always', title = 'Trust it' },
      },
    }),
  })
  open()
  harness.contains(shown(), '  d  Do not trust it\n  A  Trust it\n')
  harness.contains(shown(), 'What the project would be granted\n  .mewcode.yaml:3')
  press('A')
  equal(answers(server), { { id = 't1', answer = 'always' } })
end)

test(
  'an answered question is not answered twice by a second key, nor the next one by it',
  function()
    local server =
      serve({ question(), question({ id = 'q2', title = 'Run `rm -r x`', asked = 2 }) })
    open()
    harness.contains(shown(), '1 more, <Tab> shows the next\n  Run `rm -r x`')
    server.answers['workspace/executeCommand'] = function()
      return { answered = 'allowed once' }
    end
    press('o')
    pcall(press, 'o<Esc>')
    vim.cmd('messages clear')
    equal(answers(server), { { id = 'q1', answer = 'once' } })
    ask(server, { question({ id = 'q2', title = 'Run `rm -r x`', asked = 2 }) })
    open()
    harness.contains(shown(), 'Run `rm -r x`')
    equal(line(), 'd  Deny')
    press('d')
    equal(answers(server, 2)[2], { id = 'q2', answer = 'deny' })
  end
)

test('the answer stays to be read while others wait, and <Tab> goes on', function()
  local server = serve({ question(), question({ id = 'q2', title = 'Fetch docs.rs', asked = 2 }) })
  server.answers['workspace/executeCommand'] = function()
    return { answered = 'allowed once' }
  end
  open()
  press('o')
  harness.wait('the answer', function()
    return shown():find('allowed once', 1, true)
  end)
  equal(shown():find('  o  ', 1, true), nil)
  ask(server, { question({ id = 'q2', title = 'Fetch docs.rs', asked = 2 }) })
  press('<Tab>')
  harness.contains(shown(), 'Fetch docs.rs\n\n  d  Deny')
  equal(line(), 'd  Deny')
end)

test('<Tab> and <S-Tab> go round', function()
  serve({
    question({ id = 'q2', title = 'two', asked = 2 }),
    question({ id = 'q1', title = 'one', asked = 1 }),
    question({ id = 'q3', title = 'three', asked = 3 }),
  })
  open()
  local seen = { harness.lines(0)[1] }
  for _, key in ipairs({ '<Tab>', '<Tab>', '<Tab>', '<S-Tab>', '<S-Tab>' }) do
    press(key)
    seen[#seen + 1] = harness.lines(0)[1]
  end
  equal(seen, { 'one', 'two', 'three', 'one', 'three', 'two' })
end)

test('a question that is withdrawn while it is shown answers to no key', function()
  local server = serve({ question(), question({ id = 'q2', title = 'Run `rm -r x`', asked = 2 }) })
  open()
  ask(server, { question({ id = 'q2', title = 'Run `rm -r x`', asked = 2 }) })
  harness.contains(shown(), 'Run `cargo test`\n\n  answered elsewhere, or no longer asked')
  equal(shown():find('  o  ', 1, true), nil)
  for _, key in ipairs({ 'o', 's', 'A', 'd', '<CR>' }) do
    press(key)
  end
  equal(server:commands(ANSWER), {})
  press('<Tab>')
  harness.contains(shown(), 'Run `rm -r x`')
end)

test(
  'with the last question gone the float stays until it is closed: no key goes elsewhere',
  function()
    local server = serve({ question() })
    open()
    ask(server, {})
    harness.contains(shown(), 'answered elsewhere, or no longer asked')
    equal(vim.api.nvim_get_current_win(), float())
    press('<Tab>')
    wait_closed()
    equal(server:commands(ANSWER), {})
  end
)

test('an answer that comes too late is told', function()
  local server = serve({ question() })
  server.answers['workspace/executeCommand'] = function()
    return nil, { code = -32602, message = 'this question was answered already: denied' }
  end
  open()
  typing('too late', function()
    press('D')
  end)
  ask(server, {})
  told('MewCode: this question was answered already: denied')
end)

test('an answer that the server refuses can be given again', function()
  local server = serve({ question() })
  server.answers['workspace/executeCommand'] = function()
    return nil, { code = -32602, message = 'no' }
  end
  open()
  press('o')
  told('MewCode: no')
  harness.wait('the answers to be there again', function()
    return shown():find('  o  Allow once', 1, true)
  end)
end)

test('a question that comes while another is shown only joins the list', function()
  local server = serve({ question() })
  open()
  press('jj')
  equal(line(), 'o  Allow once')
  ask(server, { question(), question({ id = 'q2', title = 'Fetch docs.rs', asked = 0 }) })
  harness.contains(shown(), 'Run `cargo test`\n\n  d  Deny')
  harness.contains(shown(), '1 more, <Tab> shows the next\n  Fetch docs.rs')
  equal(line(), 'o  Allow once')
  press('<CR>')
  equal(answers(server), { { id = 'q1', answer = 'once' } })
end)

test('what waited before Neovim listened is asked for', function()
  local server = harness.serve()
  server.answers['mewcode/pending'] = function()
    return { hunks = {}, approvals = { question() } }
  end
  harness.open(server, 'file.txt', 'a\n')
  told('asks: Run `cargo test`')
  open()
  harness.contains(shown(), 'Run `cargo test`')
end)

test('questions survive :e, and those of a stopped server go with it', function()
  local server = serve({ question() })
  vim.cmd('edit')
  open()
  harness.contains(shown(), 'Run `cargo test`')
  equal(server:commands(ANSWER), {})
  vim.lsp.enable('mewcode', false)
  harness.wait('the question to go', function()
    return shown():find('no longer asked', 1, true)
  end)
  press('q')
  equal(require('mewcode.approvals').all(), {})
end)

test('nothing waits', function()
  local server = serve()
  vim.cmd('MewApprove')
  told('no question waits for you')
  equal(float(), nil)
  equal(#vim.tbl_filter(function(method)
    return method == 'mewcode/pending'
  end, server:methods()), 2, 'it was asked for again')
end)

test('text of strangers is shown as it is', function()
  serve({
    question({
      title = 'Run `echo\27[2J\nrm`',
      details = {
        'echo a \226\128\174txt.exe',
        'b\tc\226\128\139d\0e',
        'two\nlines',
        '\255 ünïcode 日本',
      },
      because = { '# no *markup*' },
      reason = 'vim: set modifiable:\n<CR>|qall!',
    }),
  })
  open()
  local text = shown()
  for _, part in ipairs({
    'Run `echo⟨U+001B⟩[2J …\n',
    'The whole of it\n  Run `echo⟨U+001B⟩[2J\n  rm`',
    '  echo a ⟨U+202E⟩txt.exe',
    '  b⟨U+0009⟩c⟨U+200B⟩d⟨U+0000⟩e',
    '  two\n  lines',
    '  ⟨byte FF⟩ ünïcode 日本',
    '  # no *markup*',
    '  vim: set modifiable:\n  <CR>|qall!',
  }) do
    harness.contains(text, part)
  end
  equal(vim.bo.modifiable, false)
  told('asks: Run `echo⟨U+001B⟩[2J⏎rm`')
end)

test('a long question says that there is more, and begins at its top', function()
  local details = {}
  for number = 1, 200 do
    details[number] = 'line ' .. number
  end
  serve({ question({ details = details }) })
  open()
  local config = vim.api.nvim_win_get_config(assert(float()))
  harness.contains(config.footer[1][1], 'lines do not fit: scroll to read all')
  equal(config.height <= vim.o.lines * 0.8, true)
  equal(vim.fn.line('w0'), 1)
  equal(line(), 'd  Deny')
end)

test('the float can be opened again from elsewhere, and is one', function()
  serve({ question() })
  local window = vim.api.nvim_get_current_win()
  open()
  vim.api.nvim_set_current_win(window)
  open()
  equal(vim.api.nvim_get_current_win(), float())
  equal(#vim.api.nvim_list_wins(), 2)
end)

test('a float that has room for all of a page shows all of it, however it came to that', function()
  local function topline()
    return vim.api.nvim_win_call(assert(float()), function()
      return vim.fn.winsaveview().topline
    end)
  end
  local server = serve({ choice(), question({ asked = 2 }) })
  open()
  typing('words', function()
    press('i')
  end)
  answers(server)
  harness.wait('the answer to be shown', function()
    return float() and shown():find('Do not answer', 1, true) == nil
  end)
  equal(topline(), 1)

  local long = question({ id = 'q3', details = vim.fn['repeat']({ 'line' }, 100) })
  ask(server, { long })
  vim.cmd('MewApprove')
  press('G')
  vim.cmd('redraw')
  equal(topline() > 1, true)
  local lines = vim.o.lines
  vim.o.lines = 200
  vim.api.nvim_exec_autocmds('VimResized', {})
  equal(topline(), 1)
  vim.o.lines = lines
end)

test('the action that shows a question opens it', function()
  local server = serve({ question(), question({ id = 'q2', title = 'Fetch docs.rs', asked = 2 }) })
  local client = vim.lsp.get_clients({ name = 'mewcode' })[1]
  local function run(id)
    client:exec_cmd({
      title = 'Show',
      command = 'mewcode.approval.show',
      arguments = { { id = id } },
    })
  end
  run('q2')
  harness.contains(shown(), 'Fetch docs.rs\n\n  d  Deny')
  press('q')
  run('q9')
  told('this question does not wait any more')
  equal(float(), nil)
  equal(server:commands('mewcode.approval.show'), {})
end)

test('the float is for questions alone, and may be taken all the same', function()
  local server = serve({ question() })
  open()
  local window = assert(float())
  equal((pcall(vim.cmd, 'edit file.txt')), false)
  harness.contains(shown(), 'cargo test --all')
  vim.cmd('edit! ' .. harness.file('else.txt', 'else\n'))
  equal(vim.api.nvim_win_get_buf(window), vim.api.nvim_get_current_buf())
  ask(server, { question(), question({ id = 'q2', title = 'Fetch docs.rs' }) })
  equal(shown(), 'else')
  vim.api.nvim_win_close(window, true)
  open()
  harness.contains(shown(), 'Run `cargo test`')
  press('q')
end)

test('questions go with their server, also when it has no file any more', function()
  local server = serve({ question() })
  vim.cmd('bwipeout')
  equal(server.documents, {})
  equal(#require('mewcode.approvals').all(), 1)
  server.dispatchers.on_exit(1, 0)
  harness.wait('the questions to go', function()
    return #require('mewcode.approvals').all() == 0
  end)
end)

test(':MewTrust asks the server', function()
  local server = serve()
  vim.cmd('MewTrust')
  harness.wait('the command', function()
    return #server:commands('mewcode.trustWorkspace') == 1
  end)
  equal(server:commands('mewcode.trustWorkspace'), { {} })
end)

test('the statusline counts, and tells sandbox and trust', function()
  local server = serve()
  local status = { mode = 'plan', running = 1, pendingHunks = 0, provider = 'x' }
  for _, row in ipairs({
    { {}, 'mew plan · running' },
    {
      { pendingApprovals = 0, sandbox = 'workspace_write', trusted = true },
      'mew plan · running · sandbox',
    },
    {
      { pendingApprovals = 2, sandbox = 'read_only', trusted = false },
      'mew plan · ⏸ 2 · running · sandbox: read only · untrusted',
    },
    {
      { pendingApprovals = 1, sandbox = 'none', trusted = true },
      'mew plan · ⏸ 1 · running · no sandbox',
    },
    {
      { pendingApprovals = 0, sandbox = 'off', trusted = true },
      'mew plan · running · no sandbox',
    },
  }) do
    server:notify('mewcode/status', vim.tbl_extend('error', status, row[1]))
    equal(require('mewcode').statusline(), row[2])
  end
end)

test('the statusline counts in a transcript too, and is drawn again after :edit', function()
  local server = serve()
  server.answers['mewcode/transcript'] = function()
    return { session = 's1', markdown = 'words' }
  end
  server:notify('mewcode/status', {
    mode = 'plan',
    running = 0,
    pendingHunks = 0,
    pendingApprovals = 2,
    provider = 'x',
  })
  vim.cmd('MewLog!')
  harness.wait('the transcript', function()
    return vim.api.nvim_buf_get_name(0) == 'mewcode://session/s1'
  end)
  equal(require('mewcode').statusline(), 'mew plan · ⏸ 2')
  vim.cmd('new')
  equal(require('mewcode').statusline(), '')

  vim.cmd('buffer file.txt')
  local seen = {}
  rawset(vim.cmd, 'redrawstatus', function()
    seen[#seen + 1] = require('mewcode').statusline()
  end)
  vim.cmd('edit')
  harness.wait('the statusline to be drawn again', function()
    return seen[#seen] == 'mew plan · ⏸ 2'
  end)
  rawset(vim.cmd, 'redrawstatus', nil)
end)

test('other configuration hears of questions', function()
  local server = serve()
  local heard = {}
  vim.api.nvim_create_autocmd('User', {
    pattern = 'MewcodeApproval',
    callback = function(arguments)
      heard[#heard + 1] = #arguments.data.approvals
    end,
  })
  ask(server, { question() })
  ask(server, {})
  vim.api.nvim_clear_autocmds({ event = 'User', pattern = 'MewcodeApproval' })
  equal(heard, { 1, 0 })
end)

return tests
