-- The logical text of a buffer and its hash, by the same definition as the server: no BOM, LF between
-- lines and at the end, CRLF folded. Knows nothing of clients or edits.

local M = {}

--- As a character of the buffer; the one that Neovim hides is the option 'bomb'.
M.BOM = '\239\187\191'

local lpeg = vim.lpeg
local tail = lpeg.R('\128\191')
local UTF8 = (lpeg.R('\0\127') ^ 1 + lpeg.R('\194\223') * tail + lpeg.P('\224') * lpeg.R(
      '\160\191'
    ) * tail + (lpeg.R('\225\236') + lpeg.R('\238\239')) * tail * tail + lpeg.P('\237') * lpeg.R(
      '\128\159'
    ) * tail + lpeg.P('\240') * lpeg.R('\144\191') * tail * tail + lpeg.R('\241\243') * tail * tail * tail + lpeg.P(
      '\244'
    ) * lpeg.R('\128\143') * tail * tail)
    ^ 0
  * -1

--- @class mewcode.CachedHash
--- @field tick integer
--- @field fileformat string
--- @field sha256? string
--- @field problem? string

--- @type table<integer, mewcode.CachedHash>
local cache = {}

--- @param bufnr integer
--- @return string? text
--- @return string? problem why there is no logical text, as a sentence
function M.read(bufnr)
  local fileformat = vim.bo[bufnr].fileformat
  if fileformat == 'mac' then
    return nil, 'the buffer has fileformat=mac; set another fileformat to let MewCode edit it'
  end
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  -- Without a final line break, an empty last line is the line break of the line before.
  if vim.bo[bufnr].endofline or #lines == 1 or lines[#lines] ~= '' then
    lines[#lines + 1] = ''
  end
  local text = table.concat(lines, '\n')
  if text:find('\0', 1, true) then
    return nil, 'the buffer holds a NUL byte, so it is not text that MewCode can edit'
  end
  if not UTF8:match(text) then
    return nil,
      'the buffer holds bytes that are not UTF-8; reopen it with the right encoding (:e ++enc=…)'
  end
  if vim.startswith(text, M.BOM) then
    text = text:sub(#M.BOM + 1)
  end
  -- A CR before the line break of a dos buffer is text; of a unix buffer it is the line's own ending.
  if fileformat ~= 'dos' and text:find('\r\n', 1, true) then
    text = text:gsub('\r\n', '\n')
  end
  return text
end

--- The text as Neovim sends it to servers, with the buffer's own line breaks. A BOM that Neovim hides is not
--- in it, and never was.
--- @param bufnr integer
--- @return string
function M.wire(bufnr)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  if vim.bo[bufnr].endofline then
    lines[#lines + 1] = ''
  end
  return table.concat(lines, vim.bo[bufnr].fileformat == 'dos' and '\r\n' or '\n')
end

--- @param bufnr integer
--- @return string? sha256
--- @return string? problem
function M.hash(bufnr)
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  local fileformat = vim.bo[bufnr].fileformat
  local known = cache[bufnr]
  if not known or known.tick ~= tick or known.fileformat ~= fileformat then
    local text, problem = M.read(bufnr)
    known = {
      tick = tick,
      fileformat = fileformat,
      sha256 = text and vim.fn.sha256(text),
      problem = problem,
    }
    cache[bufnr] = known
  end
  return known.sha256, known.problem
end

--- @param bufnr integer
function M.forget(bufnr)
  cache[bufnr] = nil
end

return M
