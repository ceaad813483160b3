-- Text of strangers as it is, for a buffer or a message: what would be invisible, or would make other text look
-- different from what it is, is shown by its code.

local M = {}

--- Ranges of code points that show nothing, or turn the direction of what stands around them.
local UNSEEN = {
  { 0x00, 0x1f },
  { 0x7f, 0xa0 },
  { 0xad, 0xad },
  { 0x34f, 0x34f },
  { 0x61c, 0x61c },
  { 0x115f, 0x1160 },
  { 0x17b4, 0x17b5 },
  { 0x180b, 0x180f },
  { 0x2000, 0x200f },
  { 0x2028, 0x202f },
  { 0x205f, 0x206f },
  { 0x2800, 0x2800 },
  { 0x3000, 0x3000 },
  { 0x3164, 0x3164 },
  { 0xfe00, 0xfe0f },
  { 0xfeff, 0xfeff },
  { 0xffa0, 0xffa0 },
  { 0xfff0, 0xfffb },
  { 0x1bca0, 0x1bca3 },
  { 0x1d173, 0x1d17a },
  { 0xe0000, 0xe0fff },
}

M.OPEN, M.CLOSE = '⟨', '⟩'

--- @param code integer
--- @return boolean
local function is_unseen(code)
  for _, range in ipairs(UNSEEN) do
    if code <= range[2] then
      return code >= range[1]
    end
  end
  return false
end

--- @param text string
--- @return string
local function visible(text)
  if not text:find('[^\32-\126]') then
    return text
  end
  -- Neovim's own functions see the end of a text in it.
  text = text:gsub('%z', M.OPEN .. 'U+0000' .. M.CLOSE)
  local out = {}
  for _, start in ipairs(vim.str_utf_pos(text)) do
    local char = text:sub(start, start + vim.str_utf_end(text, start))
    local code = vim.fn.char2nr(char)
    if #char == 1 and code >= 0x80 then
      -- Bytes that are no UTF-8.
      char = ('%sbyte %02X%s'):format(M.OPEN, char:byte(), M.CLOSE)
    elseif is_unseen(code) then
      char = ('%sU+%04X%s'):format(M.OPEN, code, M.CLOSE)
    end
    out[#out + 1] = char
  end
  return table.concat(out)
end

--- A text in one line; its line breaks are shown too.
--- @param text string
--- @return string
function M.line(text)
  return visible((text:gsub('\r?\n', '⏎')))
end

--- A text in its lines.
--- @param text string
--- @return string[]
function M.lines(text)
  return vim.tbl_map(visible, vim.split(text, '\n', { plain = true }))
end

return M
