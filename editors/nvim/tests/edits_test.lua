local harness = require('harness')
local edit, equal = harness.edit, harness.equal

--- Applies edits and compares the lines, the answer's hash, and what the server then holds.
--- @param name string
--- @param with { bytes: string, edits: lsp.TextEdit[], lines: string[], encoding?: string, disk?: string }
local function case(name, with)
  return {
    name,
    function()
      local server = harness.serve({ encoding = with.encoding })
      local bufnr, uri = harness.open(server, 'file.txt', with.bytes)
      local answer = harness.apply(server, uri, with.edits)
      equal(answer.applied, true, answer.message)
      equal(harness.lines(bufnr), with.lines)
      local logical = (table.concat(with.lines, '\n') .. '\n'):gsub('\r\n', '\n')
      local expected = vim.fn.sha256(logical)
      equal(answer.documents, { { uri = uri, sha256 = expected } })
      equal(server:hash(uri), expected, 'the server sees')
      local methods = server:methods()
      equal(methods[#methods], 'answer mewcode/applyEdit')
      if with.disk then
        vim.cmd('silent write')
        equal(harness.read(vim.uri_to_fname(uri)), with.disk)
      end
    end,
  }
end

local tests = {
  case('words inside lines', {
    bytes = 'one two\nthree four\n',
    edits = { edit({ 1, 0 }, { 1, 5 }, '3'), edit({ 0, 4 }, { 0, 7 }, '2') },
    lines = { 'one 2', '3 four' },
    disk = 'one 2\n3 four\n',
  }),
  case('insertions at one place keep their order', {
    bytes = 'ab\n',
    edits = { edit({ 0, 1 }, { 0, 1 }, '1'), edit({ 0, 1 }, { 0, 1 }, '2') },
    lines = { 'a12b' },
  }),
  case('an insertion at the start of a replacement comes first', {
    bytes = 'abc\n',
    edits = { edit({ 0, 1 }, { 0, 2 }, 'X'), edit({ 0, 1 }, { 0, 1 }, '-') },
    lines = { 'a-Xc' },
  }),
  case('a line after the last, as the server says it', {
    bytes = 'a\nb\n',
    edits = { edit({ 1, 1 }, { 1, 1 }, '\nc') },
    lines = { 'a', 'b', 'c' },
    disk = 'a\nb\nc\n',
  }),
  case('a line after the last, as other servers say it', {
    bytes = 'a\nb\n',
    edits = { edit({ 2, 0 }, { 2, 0 }, 'c\n') },
    lines = { 'a', 'b', 'c' },
    disk = 'a\nb\nc\n',
  }),
  case('the last lines deleted with the break before them', {
    bytes = 'a\nb\nc\n',
    edits = { edit({ 0, 1 }, { 2, 1 }, '') },
    lines = { 'a' },
    disk = 'a\n',
  }),
  case('the last lines deleted up to behind the last break', {
    bytes = 'a\nb\nc\n',
    edits = { edit({ 1, 0 }, { 3, 0 }, '') },
    lines = { 'a' },
  }),
  case('everything deleted', {
    bytes = 'a\nb\n',
    edits = { edit({ 0, 0 }, { 1, 1 }, '') },
    lines = { '' },
  }),
  case('an empty file filled by replacing its only line', {
    bytes = '',
    edits = { edit({ 0, 0 }, { 1, 0 }, 'x\ny\n') },
    lines = { 'x', 'y' },
    disk = 'x\ny\n',
  }),
  case('an empty file filled by an insertion', {
    bytes = '',
    edits = { edit({ 0, 0 }, { 0, 0 }, 'x\ny') },
    lines = { 'x', 'y' },
  }),
  case('no final newline', {
    bytes = 'a\nb',
    edits = { edit({ 1, 1 }, { 1, 1 }, '\nc'), edit({ 0, 0 }, { 0, 1 }, 'A') },
    lines = { 'A', 'b', 'c' },
  }),
  case('CRLF in a dos buffer', {
    bytes = 'a\r\nb\r\n',
    edits = { edit({ 0, 1 }, { 0, 1 }, '1\r\n2'), edit({ 1, 1 }, { 1, 1 }, '\r\nc') },
    lines = { 'a1', '2', 'b', 'c' },
    disk = 'a1\r\n2\r\nb\r\nc\r\n',
  }),
  case('mixed endings: each line keeps its own', {
    bytes = 'a\r\nb\nc\r\n',
    edits = {
      edit({ 0, 1 }, { 0, 1 }, '1'),
      edit({ 1, 1 }, { 1, 1 }, '2'),
      edit({ 2, 1 }, { 2, 1 }, '\r\nd'),
    },
    lines = { 'a1\r', 'b2', 'c\r', 'd\r' },
    disk = 'a1\r\nb2\nc\r\nd\r\n',
  }),
  case('a lone CR is a character', {
    bytes = 'a\rb\nc\n',
    edits = { edit({ 0, 2 }, { 0, 3 }, 'B') },
    lines = { 'a\rB', 'c' },
    disk = 'a\rB\nc\n',
  }),
  case('a BOM stays', {
    bytes = '\239\187\191a\nb\n',
    edits = { edit({ 0, 0 }, { 0, 1 }, 'A') },
    lines = { 'A', 'b' },
    disk = '\239\187\191A\nb\n',
  }),
  case('a column behind the end means the end', {
    bytes = 'ab\nc\n',
    edits = { edit({ 0, 1 }, { 0, 99 }, 'X') },
    lines = { 'aX', 'c' },
  }),
}

-- `é` has 2, 1 and 1 units, `😀` has 4, 2 and 1.
for encoding, columns in pairs({
  ['utf-8'] = { 2, 6, 7 },
  ['utf-16'] = { 1, 3, 4 },
  ['utf-32'] = { 1, 2, 3 },
}) do
  tests[#tests + 1] = case('emoji in ' .. encoding, {
    bytes = 'é😀x\n',
    encoding = encoding,
    edits = {
      edit({ 0, columns[1] }, { 0, columns[2] }, '🎉🎉'),
      edit({ 0, columns[2] }, { 0, columns[3] }, 'ü'),
    },
    lines = { 'é🎉🎉ü' },
  })
end

return tests
