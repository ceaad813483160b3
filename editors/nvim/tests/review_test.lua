local harness = require('harness')
local equal, hunk = harness.equal, harness.hunk
local review = require('mewcode.review')

--- @param server mewcode.FakeServer
--- @param uri string
--- @param hunks mewcode.Hunk[]
local function send(server, uri, hunks)
  local document = server.documents[uri]
  local version = document and document.version or vim.NIL
  server:notify('mewcode/review', { uri = uri, version = version, hunks = hunks })
end

--- What is drawn, one table for each extmark of ours.
--- @param bufnr integer
--- @return table[]
local function marks(bufnr)
  local found = {}
  for _, name in ipairs({ 'mewcode.hunks', 'mewcode.lines' }) do
    local namespace = vim.api.nvim_create_namespace(name)
    local options = { details = true }
    for _, item in ipairs(vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, options)) do
      local details = item[4]
      local virtual
      for _, chunks in ipairs(details.virt_lines or {}) do
        virtual = virtual or { above = details.virt_lines_above }
        virtual[#virtual + 1] = chunks[1][2] .. ' ' .. chunks[1][1]
      end
      found[#found + 1] = {
        row = item[2],
        last = details.virt_lines and item[2] or details.end_row,
        line = details.line_hl_group,
        sign = details.sign_text and vim.trim(details.sign_text),
        virtual = virtual,
      }
    end
  end
  return found
end

--- @return string[] words of the virtual lines of the current buffer
local function virtual_words()
  local words = {}
  for _, mark in ipairs(marks(0)) do
    for _, line in ipairs(mark.virtual or {}) do
      words[#words + 1] = line:match(' (.*)')
    end
  end
  return words
end

local TEXT = 'one\ntwo\nthree\nfour\n'

--- @param name string
--- @param hunks table[] fields of hunks
--- @param expected table[]
--- @param bytes? string
local function drawing(name, hunks, expected, bytes)
  return {
    name,
    function()
      local server = harness.serve()
      local bufnr, uri = harness.open(server, 'file.txt', bytes or TEXT)
      send(server, uri, vim.tbl_map(hunk, hunks))
      equal(marks(bufnr), expected)
      send(server, uri, {})
      equal(marks(bufnr), {})
    end,
  }
end

local tests = {
  drawing('proposed change: old lines real, new ones virtual below', {
    { startLine = 1, endLine = 3, oldLines = { 'two', 'three' }, newLines = { 'TWO' } },
  }, {
    { row = 1, last = 2, line = 'MewDelete', sign = '~' },
    { row = 2, last = 2, virtual = { above = false, 'MewAddVirtual TWO' } },
  }),
  drawing('proposed insertion', {
    { startLine = 2, endLine = 2, newLines = { 'a', 'b' } },
  }, {
    { row = 1, last = 1, sign = '+' },
    { row = 1, last = 1, virtual = { above = false, 'MewAddVirtual a', 'MewAddVirtual b' } },
  }),
  drawing('proposed insertion at the top', {
    { startLine = 0, endLine = 0, newLines = { 'a' } },
  }, {
    { row = 0, last = 0, sign = '+' },
    { row = 0, last = 0, virtual = { above = true, 'MewAddVirtual a' } },
  }),
  drawing('proposed insertion at the end', {
    { startLine = 4, endLine = 4, newLines = { 'a' } },
  }, {
    { row = 3, last = 3, sign = '+' },
    { row = 3, last = 3, virtual = { above = false, 'MewAddVirtual a' } },
  }),
  drawing('proposed deletion', {
    { startLine = 0, endLine = 1, oldLines = { 'one' } },
  }, {
    { row = 0, last = 0, line = 'MewDelete', sign = '-' },
  }),
  drawing('proposed text of a new file', {
    { startLine = 0, endLine = 1, newLines = { 'a' } },
  }, {
    { row = 0, last = 0, sign = '+' },
    { row = 0, last = 0, virtual = { above = false, 'MewAddVirtual a' } },
  }, ''),
  drawing('applied change: new lines real, old ones virtual above', {
    {
      state = 'applied',
      startLine = 1,
      endLine = 3,
      oldLines = { 'x' },
      newLines = { 'two', 'three' },
    },
  }, {
    { row = 1, last = 2, line = 'MewAdd', sign = '~' },
    { row = 1, last = 1, virtual = { above = true, 'MewDeleteVirtual x' } },
  }),
  drawing('applied insertion', {
    { state = 'applied', startLine = 1, endLine = 2, newLines = { 'two' } },
  }, {
    { row = 1, last = 1, line = 'MewAdd', sign = '+' },
  }),
  drawing('applied deletion, inside and at the end', {
    { id = 'a', state = 'applied', startLine = 2, endLine = 2, oldLines = { 'x' } },
    { id = 'b', state = 'applied', startLine = 4, endLine = 4, oldLines = { 'y' } },
  }, {
    { row = 1, last = 1, sign = '-' },
    { row = 3, last = 3, sign = '-' },
    { row = 2, last = 2, virtual = { above = true, 'MewDeleteVirtual x' } },
    { row = 3, last = 3, virtual = { above = false, 'MewDeleteVirtual y' } },
  }),
  drawing('conflict: marked so, with the agent’s lines', {
    {
      state = 'conflicted',
      startLine = 1,
      endLine = 2,
      oldLines = { 'zwei' },
      newLines = { 'deux' },
    },
  }, {
    { row = 1, last = 1, line = 'MewConflict', sign = '!' },
    {
      row = 1,
      last = 1,
      virtual = {
        above = false,
        'MewNote conflict: you changed this too; :MewAccept mine, agent or both',
        'MewAddVirtual deux',
      },
    },
  }),
  drawing('lines outside the buffer are drawn at its end', {
    { startLine = 9, endLine = 12, oldLines = { 'x' }, newLines = { 'y' } },
  }, {
    { row = 3, last = 3, sign = '~' },
    { row = 3, last = 3, virtual = { above = false, 'MewAddVirtual y' } },
  }),
  drawing('tabs and control characters are made visible', {
    { startLine = 1, endLine = 1, newLines = { '\ta\tb', 'x\27y' } },
  }, {
    { row = 0, last = 0, sign = '+' },
    {
      row = 0,
      last = 0,
      virtual = { above = false, 'MewAddVirtual         a       b', 'MewAddVirtual x^[y' },
    },
  }),
}

--- @param name string
--- @param run fun()
local function test(name, run)
  tests[#tests + 1] = { name, run }
end

test('a long hunk is cut and says so', function()
  vim.g.mewcode = { max_virtual_lines = 2 }
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'file.txt', TEXT)
  send(server, uri, { hunk({ startLine = 1, endLine = 1, newLines = { 'a', 'b', 'c', 'd' } }) })
  equal(marks(bufnr)[2].virtual, {
    above = false,
    'MewAddVirtual a',
    'MewAddVirtual b',
    'MewNote … 2 more lines, see :MewDiff',
  })
end)

test('hunks stay at their lines while the user types, until the next review', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'file.txt', TEXT)
  send(server, uri, {
    hunk({ id = 'a', startLine = 1, endLine = 3, oldLines = { 'two', 'three' } }),
    hunk({ id = 'b', startLine = 3, endLine = 4, oldLines = { 'four' } }),
    hunk({ id = 'c', startLine = 4, endLine = 4, newLines = { 'five' } }),
  })
  vim.api.nvim_buf_set_lines(bufnr, 0, 0, true, { 'new', 'new' })
  vim.api.nvim_buf_set_lines(bufnr, 4, 4, true, { 'inside' })
  vim.api.nvim_buf_set_lines(bufnr, 6, 6, true, { 'between' })
  vim.api.nvim_buf_set_text(bufnr, 3, 0, 3, 0, { 'typed' })
  local function places()
    return vim.tbl_map(function(located)
      return { located.hunk.id, located.first, located.last }
    end, review.hunks(bufnr))
  end
  equal(places(), { { 'a', 3, 6 }, { 'b', 7, 8 }, { 'c', 8, 8 } })
  send(server, uri, { hunk({ id = 'b', startLine = 7, endLine = 7, newLines = { 'five' } }) })
  equal(places(), { { 'b', 7, 7 } })
end)

test('which hunk is meant by a line or a range', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'file.txt', TEXT)
  send(server, uri, {
    hunk({ id = 'top', startLine = 0, endLine = 0, newLines = { 'x' } }),
    hunk({ id = 'line', startLine = 1, endLine = 2, oldLines = { 'two' } }),
    hunk({ id = 'insertion', startLine = 3, endLine = 3, newLines = { 'x' } }),
  })
  local at = {}
  for row = 0, 3 do
    local located = review.at(bufnr, row)
    at[#at + 1] = located and located.hunk.id or 'none'
  end
  equal(at, { 'top', 'line', 'insertion', 'insertion' })
  local function meeting(first, last)
    return vim.tbl_map(function(located)
      return located.hunk.id
    end, review.meeting(bufnr, first, last))
  end
  equal(meeting(0, 3), { 'top', 'line', 'insertion' })
  equal(meeting(1, 1), { 'line' })
  equal(meeting(2, 2), { 'insertion' })
end)

test('a document that is opened later, or read again, is drawn then', function()
  local server = harness.serve()
  harness.open(server, 'first.txt', 'a\n')
  local path = harness.file('later.txt', TEXT)
  local uri = vim.uri_from_fname(path)
  send(server, uri, { hunk({ startLine = 1, endLine = 2, oldLines = { 'two' } }) })
  local bufnr = harness.open(server, 'later.txt', TEXT)
  local expected = { { row = 1, last = 1, line = 'MewDelete', sign = '-' } }
  equal(marks(bufnr), expected)
  vim.cmd('silent edit!')
  harness.wait('the drawing', function()
    return #marks(bufnr) > 0
  end)
  equal(marks(bufnr), expected)
  harness.write(path, TEXT .. 'five\n')
  vim.cmd('silent checktime')
  harness.wait('the new text', function()
    return server:logical(uri) == TEXT .. 'five\n'
  end)
  harness.wait('the drawing', function()
    return #marks(bufnr) > 0
  end)
  equal(marks(bufnr), expected)
end)

test('nothing stays when the server ends', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'file.txt', TEXT)
  send(server, uri, { hunk({ startLine = 1, endLine = 2, oldLines = { 'two' } }) })
  vim.lsp.enable('mewcode', false)
  harness.wait('the end', function()
    return #vim.lsp.get_clients() == 0
  end)
  equal(marks(bufnr), {})
  equal(review.hunks(bufnr), {})
end)

test('the cursor goes from hunk to hunk and round', function()
  local server = harness.serve()
  local _, uri = harness.open(server, 'file.txt', TEXT)
  send(server, uri, {
    hunk({ id = 'a', startLine = 1, endLine = 2, oldLines = { 'two' } }),
    hunk({ id = 'b', startLine = 4, endLine = 4, newLines = { 'x' } }),
  })
  local function line()
    return vim.api.nvim_win_get_cursor(0)[1]
  end
  local visited = {}
  for _, command in ipairs({ 'MewNext', 'MewNext', 'MewNext', 'MewPrevious', '2MewNext' }) do
    vim.cmd(command)
    visited[#visited + 1] = line()
  end
  equal(visited, { 2, 4, 2, 4, 4 })
  vim.cmd('normal! gg')
  vim.cmd([[execute "normal \<Plug>(mewcode-previous-hunk)"]])
  equal(line(), 4)
  vim.cmd([[execute "normal \<Plug>(mewcode-next-hunk)"]])
  equal(line(), 2)
  vim.cmd("normal! ''")
  equal(line(), 4)
end)

test('without hunks the cursor stays and the user is told', function()
  local server = harness.serve()
  harness.open(server, 'file.txt', TEXT)
  vim.cmd('MewNext')
  equal(vim.api.nvim_win_get_cursor(0), { 1, 0 })
  harness.wait('the message', function()
    return harness.messages[1]
  end)
  harness.contains(harness.messages[1], ':MewReview')
end)

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

test('of hunks that hold a line the smallest is meant', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'file.txt', 'one\ntwo\nthree\nfour\n')
  local function applied(id, first, last)
    return hunk({
      id = id,
      state = 'applied',
      startLine = first,
      endLine = last,
      newLines = { 'x' },
    })
  end
  send(server, uri, { applied('outer', 0, 3), applied('inner', 1, 2) })
  local function at(row)
    local located = require('mewcode.review').at(bufnr, row)
    return located and located.hunk.id
  end
  equal({ at(0), at(1), at(2), at(3) }, { 'outer', 'inner', 'outer' })
end)

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

test('the screen shows deleted lines marked, new lines below, and signs', function()
  local child = harness.child()
  local screen = child.lua([[
      vim.o.signcolumn = 'yes'
      local server = harness.serve()
      local _, uri = harness.open(server, 'file.txt', 'one\ntwo\nthree\n')
      server:notify('mewcode/review', { uri = uri, hunks = {
        harness.hunk({ id = 'a', startLine = 0, endLine = 0, newLines = { 'zero' } }),
        harness.hunk({ id = 'b', startLine = 1, endLine = 2, oldLines = { 'two' },
          newLines = { 'TWO', 'and more' } }),
        harness.hunk({ id = 'c', state = 'applied', startLine = 2, endLine = 3,
          oldLines = { 'drei' }, newLines = { 'three' } }),
      } })
      vim.cmd('redraw!')
      local rows = {}
      for row = 1, 7 do
        local text = ''
        for column = 1, 12 do
          text = text .. vim.fn.screenstring(row, column)
        end
        local group = {}
        for _, column in ipairs({ 3, 58 }) do
          group[#group + 1] = vim.fn.screenattr(row, column)
        end
        rows[row] = { vim.trim(text), group[1], group[2] }
      end
      return rows
    ]])
  local texts = vim.tbl_map(function(row)
    return row[1]
  end, screen)
  equal(texts, { 'zero', '+ one', '~ two', 'TWO', 'and more', 'drei', '~ three' })
  local add, plain, delete = screen[1][2], screen[2][2], screen[3][2]
  local colours = vim.tbl_map(function(row)
    return { row[2], row[3] }
  end, screen)
  equal(colours, {
    { add, add },
    { plain, plain },
    { delete, delete },
    { add, add },
    { add, add },
    { delete, delete },
    { add, add },
  })
  assert(add ~= plain and delete ~= plain and add ~= delete, 'the colours differ')
end)

test('a thousand hunks are drawn quickly', function()
  local server = harness.serve()
  local lines, hunks = {}, {}
  for number = 0, 9999 do
    lines[#lines + 1] = 'line ' .. number
    if number % 10 == 0 then
      hunks[#hunks + 1] = hunk({
        id = tostring(number),
        startLine = number,
        endLine = number + 1,
        oldLines = { 'line ' .. number },
        newLines = { '\tnew', 'new' },
      })
    end
  end
  local bufnr, uri = harness.open(server, 'file.txt', table.concat(lines, '\n') .. '\n')
  -- Of the processor: others may have it meanwhile.
  local began = os.clock()
  send(server, uri, hunks)
  review.at(bufnr, 5000)
  local milliseconds = (os.clock() - began) * 1000
  equal(#review.hunks(bufnr), 1000)
  -- About 15 ms; the bound leaves room for slow machines.
  assert(milliseconds < 200, ('took %d ms'):format(milliseconds))
end)

test('a long virtual line can be read to its end', function()
  local server = harness.serve()
  local bufnr, uri = harness.open(server, 'file.txt', TEXT)
  local width = vim.api.nvim_win_get_width(0) - 2
  local long = ('é'):rep(width) .. ('漢'):rep(width) .. 'end'
  local change =
    hunk({ startLine = 1, endLine = 2, oldLines = { 'two' }, newLines = { long, 'short' } })
  send(server, uri, { change })
  local words = virtual_words()
  equal({ words[1], words[#words] }, { ('é'):rep(width), 'short' })
  equal(table.concat(words), long .. 'short')
  for _, part in ipairs(words) do
    assert(vim.fn.strdisplaywidth(part) <= width, 'too long: ' .. part)
  end
  vim.wo.wrap = false
  send(server, uri, { change })
  equal(virtual_words(), { long, 'short' })
  local lines = vim.api.nvim_create_namespace('mewcode.lines')
  local mark = vim.api.nvim_buf_get_extmarks(bufnr, lines, 0, -1, { details = true })[1]
  equal(mark[4].virt_lines_overflow, 'scroll')
  vim.wo.wrap = true
end)

test('lines above the first are seen in every window that comes to show the buffer', function()
  local child = harness.child({ screen = true })
  child.lua([[
    local server = harness.serve()
    local bufnr, uri = harness.open(server, 'file.txt', 'one\ntwo\n')
    harness.open(server, 'other.txt', 'other\n')
    server:notify('mewcode/review', { uri = uri, hunks = {
      harness.hunk({ id = 'a', startLine = 0, endLine = 0, newLines = { 'null', 'zero' } }),
    } })
    buffer = bufnr
  ]])
  --- @param what string
  --- @param command string
  local function check(what, command)
    child.lua('vim.cmd((...):gsub("BUFFER", buffer))', command)
    harness.wait('the lines ' .. what, function()
      return child.lua([[
        vim.cmd('redraw')
        local row, column = unpack(vim.fn.win_screenpos(0))
        local words = {}
        for line = row, row + 1 do
          local text = ''
          for cell = column + 2, column + 5 do
            text = text .. vim.fn.screenstring(line, cell)
          end
          words[#words + 1] = text
        end
        return vim.deep_equal(words, { 'null', 'zero' })
      ]])
    end)
  end
  check('in place of another buffer', 'buffer BUFFER')
  check('in place of another buffer again', 'edit other.txt | buffer BUFFER')
  check('in a window split off', 'split')
  check('in a window of its own', 'sbuffer BUFFER')
end)

test('highlight groups are defaults and survive a colour scheme', function()
  local server = harness.serve()
  local _, uri = harness.open(server, 'file.txt', TEXT)
  vim.api.nvim_set_hl(0, 'MewDelete', { link = 'Error' })
  send(server, uri, { hunk({ startLine = 1, endLine = 2, oldLines = { 'two' } }) })
  local function link(name)
    return vim.api.nvim_get_hl(0, { name = name }).link
  end
  equal({ link('MewAdd'), link('MewDelete') }, { 'DiffAdd', 'Error' })
  vim.cmd('highlight clear')
  vim.cmd('colorscheme default')
  equal({ link('MewAdd'), link('MewDelete') }, { 'DiffAdd', 'DiffDelete' })
end)

return tests
