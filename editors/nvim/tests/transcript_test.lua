local harness = require('harness')
local equal = harness.equal

local sequence = 0

--- @param server mewcode.FakeServer
--- @param kind string
--- @param fields? table
local function event(server, kind, fields)
  sequence = sequence + 1
  server:notify('mewcode/event', {
    session = 's1',
    run = 'r1',
    sequence = sequence,
    time = 0,
    event = vim.tbl_extend('error', { kind = kind }, fields or {}),
  })
end

--- @param markdown string
--- @return mewcode.FakeServer
local function serve(markdown)
  local server = harness.serve()
  harness.open(server, 'file.txt', 'a\n')
  server.answers['mewcode/transcript'] = function(params)
    return { session = params.session or 's1', markdown = markdown }
  end
  return server
end

--- @return integer
local function view()
  return vim.fn.bufnr('mewcode://session/s1')
end

local function open_log()
  vim.cmd('MewLog')
  harness.wait('the view', function()
    return view() ~= -1 and vim.fn.bufwinid(view()) ~= -1
  end)
end

return {
  {
    'the view opens in a split, read-only, and the cursor stays where it was',
    function()
      local server = serve('# Session\n\nhello\n')
      local window = vim.api.nvim_get_current_win()
      open_log()
      equal(vim.api.nvim_get_current_win(), window)
      equal(harness.lines(view()), { '# Session', '', 'hello', '' })
      local options = vim.bo[view()]
      equal(
        { options.modifiable, options.buftype, options.filetype, options.modified },
        { false, 'nofile', 'markdown', false }
      )
      equal(server:last('mewcode/transcript'), {})
    end,
  },
  {
    'with a bang the cursor enters it, and a second call opens no second window',
    function()
      serve('hello\n')
      open_log()
      local count = #vim.api.nvim_list_wins()
      vim.cmd('MewLog!')
      harness.wait('the cursor', function()
        return vim.api.nvim_get_current_buf() == view()
      end)
      equal(#vim.api.nvim_list_wins(), count)
    end,
  },
  {
    'another session takes the window, another tab page gets one of its own',
    function()
      serve('hello\n')
      open_log()
      local window, count = vim.fn.bufwinid(view()), #vim.api.nvim_list_wins()
      vim.cmd('MewLog s2')
      harness.wait('the other session', function()
        local shown = vim.api.nvim_win_get_buf(window)
        return vim.api.nvim_buf_get_name(shown) == 'mewcode://session/s2'
      end)
      equal(#vim.api.nvim_list_wins(), count)
      equal(vim.api.nvim_win_get_cursor(window), { 2, 0 })
      vim.cmd('tab split')
      vim.cmd('MewLog s2')
      harness.wait('its second window', function()
        return vim.fn.bufwinid('mewcode://session/s2') ~= -1
      end)
    end,
  },
  {
    'what a command printed stands below its line, and ends nothing',
    function()
      local server = serve('# Session\n')
      open_log()
      event(server, 'call_started', { call = 'c1', tool = 'bash', title = 'bash make' })
      event(server, 'call_started', { call = 'c2', tool = 'bash', title = 'bash true' })
      event(server, 'call_ended', {
        call = 'c1',
        tool = 'bash',
        status = 'ok',
        summary = 'Exit code 2 after 1 s.',
        output = 'make:\n  ```\n# no heading\n',
      })
      event(server, 'text', { delta = 'It failed.' })
      equal(harness.lines(view()), {
        '# Session',
        '',
        '- ✓ `bash make`: Exit code 2 after 1 s.',
        '',
        '````output',
        'make:',
        '  ```',
        '# no heading',
        '````',
        '',
        '- … `bash true`',
        '',
        'It failed.',
      })
    end,
  },
  {
    'outputs and diffs are folded, and nothing else',
    function()
      local server = serve(table.concat({
        '# Session',
        '```lua',
        '```',
        '```diff',
        '+x',
        '```',
        '````output',
        '```',
        'one',
        '````',
        'words',
        '',
      }, '\n'))
      open_log()
      local window = vim.fn.bufwinid(view())
      --- @return string the first lines of the closed folds, and the last
      local function closed()
        return vim.api.nvim_win_call(window, function()
          local found = {}
          for line = 1, vim.fn.line('$') do
            if vim.fn.foldclosed(line) == line then
              found[#found + 1] = ('%d-%d'):format(line, vim.fn.foldclosedend(line))
            end
          end
          return table.concat(found, ' ')
        end)
      end
      equal(closed(), '4-6 7-10')
      event(server, 'call_started', { call = 'c1', tool = 'bash', title = 'bash make' })
      event(server, 'call_ended', {
        call = 'c1',
        tool = 'bash',
        status = 'ok',
        summary = 'Exit code 2 after 1 s.',
        output = 'one\ntwo',
      })
      equal(harness.lines(view())[15], '```output')
      equal(closed(), '4-6 7-10 15-18')
      equal(vim.api.nvim_win_get_cursor(window)[1], vim.api.nvim_buf_line_count(view()))
    end,
  },
  {
    'questions, rules and plans are shown as they come, as the server tells them',
    function()
      local server = serve('# Session\n')
      open_log()
      for index, kind in ipairs({ 'approval_asked', 'approval_answered', 'rule_added', 'plan' }) do
        local markdown = ('told %d times'):format(index)
        server.answers['mewcode/transcript'] = function(params)
          return { session = params.session, markdown = markdown, sequence = sequence }
        end
        event(server, kind, { call = 'c1' })
        harness.wait(kind, function()
          return harness.lines(view())[1] == markdown
        end)
      end
    end,
  },
  {
    'what a command prints is shown above the last line, newest lines only, until it ends',
    function()
      local server = serve('# Session\n')
      open_log()
      --- @return string[]
      local function output()
        local namespace = vim.api.nvim_get_namespaces()['mewcode.output']
        local marks = vim.api.nvim_buf_get_extmarks(view(), namespace, 0, -1, { details = true })
        local lines = {}
        for _, mark in ipairs(marks) do
          equal(mark[2], vim.api.nvim_buf_line_count(view()) - 2)
          equal(mark[4].virt_lines_above, false)
          for _, line in ipairs(mark[4].virt_lines) do
            lines[#lines + 1] = line[1][1]
          end
        end
        return lines
      end
      event(server, 'call_started', { call = 'c1', tool = 'bash', title = 'bash make' })
      event(server, 'output', { call = 'c1', tail = '1\n2\n3\n4\n5\n6\27\n' })
      event(server, 'output', { call = 'c2', tail = 'other' })
      equal(output(), { 'bash make', '  2', '  3', '  4', '  5', '  6⟨U+001B⟩', '  other' })
      event(server, 'text', { delta = 'words\nand more' })
      event(server, 'output', { call = 'c1', tail = '7' })
      equal(output(), { 'bash make', '  7', '  other' })
      event(server, 'call_ended', { call = 'c2', tool = 'bash', status = 'ok', summary = 'done' })
      equal(output(), { 'bash make', '  7' })
      equal(harness.lines(view())[3], '- … `bash make`')
      event(server, 'run_ended', { outcome = 'cancelled' })
      equal(output(), {})
      event(server, 'output', { call = 'c3', tail = 'last words' })
      equal(output(), { '  last words' })
      vim.lsp.get_clients({ name = 'mewcode' })[1]:stop(true)
      harness.wait('what ran to end with the server', function()
        return #output() == 0
      end)
    end,
  },
  {
    'events extend it; a call is one line with its outcome',
    function()
      local server = serve('# Session\n')
      open_log()
      event(server, 'run_started', { prompt = 'fix it' })
      event(server, 'thinking', { delta = 'hm' })
      event(server, 'text', { delta = 'I will\nlo' })
      event(server, 'text', { delta = 'ok.' })
      local title = 'read_file a.txt'
      event(server, 'call_started', { call = 'c1', tool = 'read_file', title = title })
      event(server, 'text', { delta = 'Meanwhile' })
      event(server, 'call_ended', {
        call = 'c1',
        tool = 'read_file',
        status = 'ok',
        summary = '3 lines',
      })
      local edit = { call = 'c2', tool = 'edit_file', title = 'edit_file a.txt', purpose = 'mend' }
      event(server, 'call_started', edit)
      event(server, 'call_ended', {
        call = 'c2',
        tool = 'edit_file',
        status = 'failed',
        error_kind = 'not_read',
        summary = 'read it first',
      })
      equal(harness.lines(view()), {
        '# Session',
        '',
        '## Prompt',
        '',
        '> fix it',
        '',
        'I will',
        'look.',
        '',
        '- ✓ `read_file a.txt`: 3 lines',
        '',
        'Meanwhile',
        '',
        '- ✗ failed, `edit_file a.txt` (mend): not_read: read it first',
        '',
        '',
      })
      equal(vim.bo[view()].modifiable, false)
    end,
  },
  {
    'what the model said before it is asked again is void',
    function()
      local server = serve('')
      open_log()
      event(server, 'run_started', { prompt = 'fix it' })
      event(server, 'text', { delta = 'half an\nans' })
      event(server, 'retrying', { attempt = 1, attempts = 3, delay_ms = 1, reason = 'overloaded' })
      event(server, 'text', { delta = 'whole' })
      equal(harness.lines(view()), {
        '## Prompt',
        '',
        '> fix it',
        '',
        '*Retry 1 of 3: overloaded*',
        '',
        'whole',
      })
    end,
  },
  {
    'a turn or a call that began before the view was opened is fetched when it changes',
    function()
      local server = serve('half an\nans\n')
      open_log()
      local function fetched(markdown, kind, fields)
        server.answers['mewcode/transcript'] = function()
          return { session = 's1', markdown = markdown }
        end
        event(server, kind, fields)
        harness.wait(markdown, function()
          return table.concat(harness.lines(view()), '\n') == markdown
        end)
      end
      fetched('half an\nanswer\n', 'text', { delta = 'wer' })
      fetched(
        '*Retry 1 of 3: overloaded*\n',
        'retrying',
        { attempt = 1, attempts = 3, delay_ms = 1, reason = 'overloaded' }
      )
      fetched(
        '- ✓ `read_file a`: 3 lines\n',
        'call_ended',
        { call = 'c1', tool = 'read_file', status = 'ok', summary = '3 lines' }
      )
    end,
  },
  {
    'what is in a fetched text is not added again, and what came after it is',
    function()
      local server = serve('')
      server.answers['mewcode/transcript'] = function()
        -- The answer is made before the second event and read after it.
        event(server, 'run_started', { prompt = 'one' })
        local answer = { session = 's1', markdown = '> one', sequence = sequence }
        event(server, 'run_started', { prompt = 'two' })
        return answer
      end
      open_log()
      local both = { '> one', '', '## Prompt', '', '> two', '', '' }
      equal(harness.lines(view()), both)
      sequence = sequence - 2
      event(server, 'run_started', { prompt = 'one' })
      equal(harness.lines(view()), both)
    end,
  },
  {
    'the end of a run brings the server’s own words',
    function()
      local server = serve('')
      open_log()
      event(server, 'run_started', { prompt = 'x' })
      event(server, 'text', { delta = 'live' })
      equal(harness.lines(view()), { '## Prompt', '', '> x', '', 'live' })
      server.answers['mewcode/transcript'] = function(params)
        equal(params.session, 's1')
        return { session = 's1', markdown = '## Prompt\n\nthe whole truth\n' }
      end
      local replaced
      vim.api.nvim_buf_attach(view(), false, {
        on_lines = function(_, _, _, first, last)
          replaced = { first, last }
        end,
      })
      event(server, 'run_ended', { outcome = 'done' })
      harness.wait('the transcript', function()
        return harness.lines(view())[3] == 'the whole truth'
      end)
      equal(replaced, { 2, 5 }, 'what was the same is left alone')
    end,
  },
  {
    'a window at the end follows, another stays',
    function()
      local server = serve(('line\n'):rep(50))
      open_log()
      local follower = vim.fn.bufwinid(view())
      local reader = vim.api.nvim_open_win(view(), false, { split = 'right', win = follower })
      vim.api.nvim_win_set_cursor(reader, { 10, 2 })
      vim.api.nvim_win_set_cursor(follower, { 51, 0 })
      local here = vim.api.nvim_get_current_win()
      event(server, 'run_started', { prompt = 'go on' })
      event(server, 'text', { delta = 'a\nb' })
      local last = vim.api.nvim_buf_line_count(view())
      equal(harness.lines(view())[last], 'b')
      equal(vim.api.nvim_win_get_cursor(follower), { last, 0 })
      equal(vim.api.nvim_win_get_cursor(reader), { 10, 2 })
      equal(vim.api.nvim_get_current_win(), here)
    end,
  },
  {
    'what a command prints is seen in a window that is full',
    function()
      local child = harness.child({ screen = true })
      child.lua([[
        server = harness.serve()
        harness.open(server, 'file.txt', 'a\n')
        server.answers['mewcode/transcript'] = function()
          return { session = 's1', markdown = ('line\n'):rep(50), sequence = 0 }
        end
        vim.cmd('MewLog')
        harness.wait('the view', function()
          return vim.fn.bufwinid('mewcode://session/s1') ~= -1
        end)
        -- Somebody reads a little above the end, in a window of its own.
        log = vim.fn.bufwinid('mewcode://session/s1')
        reader = vim.api.nvim_open_win(vim.api.nvim_win_get_buf(log), false,
          { split = 'right', win = log })
        vim.api.nvim_win_set_cursor(reader, { 50, 0 })
      ]])
      --- @param tail string
      --- @param place string
      --- @return string rows at the end of a window
      local function seen(tail, place)
        return child.lua(
          [[
            local tail, place = ...
            server:notify('mewcode/event', { session = 's1', run = 'r1', sequence = 1, time = 0,
              event = { kind = 'output', call = 'c1', tail = tail } })
            vim.cmd('redraw')
            local window = place == 'log' and log or reader
            local first, column = unpack(vim.fn.win_screenpos(window))
            local rows = {}
            for row = first, first + vim.api.nvim_win_get_height(window) - 1 do
              local text = ''
              for cell = column, column + 10 do
                text = text .. vim.fn.screenstring(row, cell)
              end
              rows[#rows + 1] = vim.trim(text)
            end
            return table.concat(rows, '\n')
          ]],
          tail,
          place
        )
      end
      for count = 1, 6 do
        local lines = {}
        for number = math.max(count - 4, 1), count do
          lines[#lines + 1] = 'printed ' .. number
        end
        local tail = table.concat(lines, '\n')
        local rows = seen(tail, 'log')
        assert(vim.endswith(rows, 'line\n' .. tail .. '\n'), rows)
      end
      assert(not seen('printed 7', 'reader'):find('printed 6', 1, true), 'nothing old is left')
      -- What the user is about in another window goes on.
      for keys, mode in pairs({ ['Vl'] = 'V', ['itext'] = 'i', ['d'] = 'no' }) do
        child.input('<Esc>' .. keys)
        harness.wait('the mode of ' .. keys, function()
          return child.mode() == mode
        end)
        assert(seen('printed 8', 'log'):find('printed 8', 1, true))
        equal({ child.mode(), child.lua("return vim.fn.line('v')") }, { mode, 1 })
      end
    end,
  },
  {
    'events of a session that is not shown open nothing',
    function()
      local server = serve('')
      event(server, 'run_started', { prompt = 'x' })
      event(server, 'text', { delta = 'x' })
      equal(view(), -1)
      equal(#vim.api.nvim_list_wins(), 1)
    end,
  },
  {
    'the buffer opens by its name too, and :e fetches again',
    function()
      local server = serve('by name\n')
      vim.cmd('edit mewcode://session/s1')
      harness.wait('the text', function()
        return harness.lines(view())[1] == 'by name'
      end)
      equal(server:last('mewcode/transcript'), { session = 's1' })
      server.answers['mewcode/transcript'] = function()
        return { session = 's1', markdown = 'again\n' }
      end
      vim.cmd('edit')
      harness.wait('the text', function()
        return harness.lines(view())[1] == 'again'
      end)
      event(server, 'run_started', { prompt = 'x' })
      event(server, 'text', { delta = 'live' })
      equal(harness.lines(view()), { 'again', '', '## Prompt', '', '> x', '', 'live' })
    end,
  },
  {
    'a failed run is told, with where to look',
    function()
      local server = serve('')
      event(server, 'run_ended', { outcome = 'failed', message = 'no key' })
      harness.wait('the message', function()
        return harness.messages[1]
      end)
      harness.contains(harness.messages[1], 'the run failed: no key. :MewLog shows it')
    end,
  },
  {
    'an unknown session is told',
    function()
      local server = serve('')
      server.answers['mewcode/transcript'] = function()
        return nil, { code = -32602, message = 'there is no session s9' }
      end
      vim.cmd('MewLog s9')
      harness.wait('the message', function()
        return harness.messages[1]
      end)
      harness.contains(harness.messages[1], 'there is no session s9')
      equal(#vim.api.nvim_list_wins(), 1)
    end,
  },
}
