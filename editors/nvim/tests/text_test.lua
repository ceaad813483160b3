local harness = require('harness')
local text = require('mewcode.text')

--- @param bytes string
--- @param command? string how the file is opened
--- @return integer bufnr
local function open(bytes, command)
  vim.cmd((command or 'edit') .. ' ' .. harness.file('text.txt', bytes))
  return vim.api.nvim_get_current_buf()
end

--- @param name string
--- @param bytes string
--- @param logical string
--- @param command? string
local function case(name, bytes, logical, command)
  return {
    name,
    function()
      local bufnr = open(bytes, command)
      harness.equal(text.read(bufnr), logical)
      harness.equal(text.wire(bufnr), vim.lsp._buf_get_full_text(bufnr))
      harness.equal(text.hash(bufnr), vim.fn.sha256(logical))
    end,
  }
end

--- @param name string
--- @param bytes string
--- @param part string
--- @param command? string
local function unavailable(name, bytes, part, command)
  return {
    name,
    function()
      local hash, problem = text.hash(open(bytes, command))
      harness.equal(hash, nil)
      harness.contains(problem, part)
    end,
  }
end

return {
  case('unix', 'a\nb\n', 'a\nb\n'),
  case('no final newline', 'a\nb', 'a\nb\n'),
  case('empty', '', '\n'),
  case('one newline', '\n', '\n'),
  case('dos', 'a\r\nb\r\n', 'a\nb\n'),
  case('dos without final newline', 'a\r\nb', 'a\nb\n'),
  case('dos with a CR before CRLF', 'a\r\r\nb\r\n', 'a\r\nb\n'),
  case('unix lines that end in CR', 'a\r\nb\r\n', 'a\nb\n', 'edit ++ff=unix'),
  case('mixed endings and a lone CR', 'a\r\nb\nc\rd\r\n', 'a\nb\nc\rd\n'),
  case('BOM', '\239\187\191a\n', 'a\n'),
  case('latin1', 'caf\233\n', 'café\n', 'edit ++enc=latin1'),
  unavailable('NUL', 'a\0b\n', 'NUL'),
  unavailable('mac', 'a\rb\r', 'fileformat=mac', 'edit ++ff=mac'),
  unavailable('not UTF-8', 'caf\233\n', 'not UTF-8', 'edit ++bad=keep ++enc=utf-8'),
  {
    'a BOM that is text of the buffer',
    function()
      local bufnr = open('a\n')
      vim.api.nvim_buf_set_text(bufnr, 0, 0, 0, 0, { text.BOM })
      harness.equal(text.hash(bufnr), vim.fn.sha256('a\n'))
    end,
  },
  {
    'an empty last line without a final newline is the newline of the line before',
    function()
      local bufnr = open('a\nb')
      vim.api.nvim_buf_set_lines(bufnr, -1, -1, true, { '' })
      harness.equal(vim.bo[bufnr].endofline, false)
      harness.equal(text.hash(bufnr), vim.fn.sha256('a\nb\n'))
      harness.equal(text.wire(bufnr), 'a\nb\n')
    end,
  },
  {
    'the hash is computed once for each text',
    function()
      local bufnr = open('a\n')
      local calls, real = 0, vim.fn.sha256
      vim.fn.sha256 = function(...)
        calls = calls + 1
        return real(...)
      end
      local first = text.hash(bufnr)
      harness.equal(text.hash(bufnr), first)
      harness.equal(calls, 1)
      vim.api.nvim_buf_set_text(bufnr, 0, 0, 0, 0, { 'x' })
      local second = text.hash(bufnr)
      vim.bo[bufnr].fileformat = 'mac'
      local third = text.hash(bufnr)
      vim.fn.sha256 = real
      harness.equal(calls, 2)
      harness.equal(second, real('xa\n'))
      harness.equal(third, nil)
    end,
  },
}
