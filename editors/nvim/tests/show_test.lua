local harness = require('harness')
local equal, hunk = harness.equal, harness.hunk

--- @param path string
--- @return any result of window/showDocument
local function show(server, path)
  return server:call('window/showDocument', { uri = vim.uri_from_fname(path), takeFocus = true })
end

--- @param part string
local function told(part)
  harness.wait('a message', function()
    return harness.messages[1]
  end)
  harness.contains(harness.messages[1], part)
end

--- @param server mewcode.FakeServer
--- @param uri string
--- @param hunks mewcode.Hunk[]
local function review(server, uri, hunks)
  server:notify('mewcode/review', { uri = uri, version = vim.NIL, hunks = hunks })
end

return {
  {
    'a diff opens in a split of its own, and goes with its window',
    function()
      local server = harness.serve()
      local bufnr = harness.open(server, 'file.txt', 'a\n')
      local window = vim.api.nvim_get_current_win()
      local diff = harness.file('proposal.diff', '--- a/file.txt\n+++ b/file.txt\n')
      equal(show(server, diff), { success = true })
      equal(vim.api.nvim_win_get_buf(window), bufnr, 'the file stays in its window')
      local shown = vim.api.nvim_get_current_buf()
      equal(harness.lines(shown), { '--- a/file.txt', '+++ b/file.txt' })
      equal({ vim.bo.filetype, vim.bo.modifiable, vim.bo.buflisted }, { 'diff', false, false })
      equal(vim.api.nvim_win_get_height(0), 2)
      harness.write(diff, 'another\n')
      show(server, diff)
      equal(#vim.api.nvim_list_wins(), 2, 'a second diff takes the same window')
      equal(harness.lines(0), { 'another' })
      vim.cmd.close()
      equal(vim.api.nvim_buf_is_valid(shown), false)
      equal(vim.api.nvim_get_current_win(), window)
    end,
  },
  {
    'another document is Neovim’s to show',
    function()
      local server = harness.serve()
      harness.open(server, 'file.txt', 'a\n')
      local other = harness.file('other.txt', 'b\n')
      equal(show(server, other), { success = true })
      equal(vim.api.nvim_buf_get_name(0), other)
    end,
  },
  {
    'the transcript of a code action is the live one',
    function()
      local server = harness.serve()
      local bufnr = harness.open(server, 'file.txt', 'a\n')
      server.answers['mewcode/transcript'] = function()
        return { session = 's1', markdown = 'hello\n' }
      end
      local client = vim.lsp.get_clients({ name = 'mewcode' })[1]
      local command = { title = 'Open transcript', command = 'mewcode.openTranscript' }
      client:exec_cmd(command, { bufnr = bufnr })
      harness.wait('the view', function()
        return vim.api.nvim_buf_get_name(0) == 'mewcode://session/s1'
      end)
      equal(server:commands('mewcode.openTranscript'), {})
    end,
  },
  {
    'words of the server carry its name once',
    function()
      local server = harness.serve()
      harness.open(server, 'file.txt', 'a\n')
      server:notify('window/showMessage', { type = 2, message = 'MewCode: a.txt was not saved' })
      told('MewCode: a.txt was not saved')
      equal(harness.messages, { 'MewCode: a.txt was not saved' })
    end,
  },
  {
    'hunks that no window shows are told, once for a proposal of several files',
    function()
      local server = harness.serve()
      local _, uri = harness.open(server, 'file.txt', 'a\n')
      local one = vim.uri_from_fname(harness.file('one.txt', 'a\n'))
      local two = vim.uri_from_fname(harness.file('two.txt', 'a\n'))
      local function add(id)
        return hunk({ id = id, proposal = 'unseen', startLine = 0, endLine = 0, newLines = { 'x' } })
      end
      review(server, uri, { hunk({ id = 's', proposal = 'seen', startLine = 0, endLine = 0 }) })
      review(server, one, { add('a') })
      review(server, two, { add('b'), add('c') })
      told('3 hunks wait in 2 other files; :MewReview goes there')
      review(server, two, { add('c') })
      review(server, vim.uri_from_fname(harness.file('three.txt', 'a\n')), {
        hunk({ id = 'd', proposal = 'next', startLine = 0, endLine = 0, newLines = { 'x' } }),
      })
      harness.wait('the second message', function()
        return harness.messages[2]
      end)
      equal(harness.messages[2], 'MewCode: 1 hunk waits in three.txt; :MewReview goes there')
      equal(#harness.messages, 2)
    end,
  },
  {
    'hunks that wait are told beside those that are applied or were told of',
    function()
      local server = harness.serve()
      harness.open(server, 'file.txt', 'a\n')
      local closed = vim.uri_from_fname(harness.file('closed.txt', 'a\n'))
      local function at(id, fields)
        return hunk(vim.tbl_extend('error', { id = id, startLine = 0, endLine = 0 }, fields))
      end
      local applied = at('a', { proposal = 'applied', state = 'applied' })
      local first = at('b', { proposal = 'first of closed' })
      review(server, closed, { applied, first })
      told('1 hunk waits in closed.txt')
      harness.messages = {}
      local second =
        { at('c', { proposal = 'second of closed' }), at('d', { proposal = 'second of closed' }) }
      review(server, closed, { applied, first, second[1], second[2] })
      told('2 hunks wait in closed.txt')
    end,
  },
  {
    'the end of a run is told to who does not see the transcript',
    function()
      local server = harness.serve()
      harness.open(server, 'file.txt', 'a\n')
      local function ends(outcome, message)
        harness.messages = {}
        server:notify('mewcode/event', {
          session = 's1',
          run = 'r1',
          sequence = 1,
          time = 0,
          event = { kind = 'run_ended', outcome = outcome, message = message },
        })
      end
      ends('done')
      told('done; :MewLog')
      ends('limit', '50 turns')
      told('stopped by a limit: 50 turns')
      server.answers['mewcode/transcript'] = function()
        return { session = 's1', markdown = 'hello\n' }
      end
      vim.cmd('MewLog')
      harness.wait('the view', function()
        return vim.fn.bufwinid('mewcode://session/s1') ~= -1
      end)
      ends('done')
      vim.wait(20)
      equal(harness.messages, {})
    end,
  },
}
