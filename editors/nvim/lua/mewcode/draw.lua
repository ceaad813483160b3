-- One buffer's hunks as extmarks: real lines highlighted, the other side as virtual lines, a sign. The marks
-- move with the text while the user types. Knows nothing of servers; draws what it is given.

local config = require('mewcode.config')

local M = {}

--- Marks that stand for hunks, one each: highlight, sign, and the place of the hunk.
local PLACES = vim.api.nvim_create_namespace('mewcode.hunks')
--- Virtual lines, in a namespace of their own so that reading places stays cheap.
local LINES = vim.api.nvim_create_namespace('mewcode.lines')

--- @class mewcode.Look
--- @field line? string highlight of the real lines
--- @field sign string
--- @field sign_highlight string
--- @field virtual string[] the other side
--- @field virtual_highlight string
--- @field note? string a line over the virtual ones
--- @field above boolean virtual lines stand over the real ones

--- A hunk about the file as a whole: its words stand over the text.
--- @param hunk mewcode.Hunk
--- @param signs { add: string, delete: string, change: string, conflict: string }
--- @return mewcode.Look
local function look_of_file(hunk, signs)
  local conflicted = hunk.state == 'conflicted'
  local removal = hunk.file == 'remove'
  local sign = removal and signs.delete or signs.change
  local note = hunk.title .. (hunk.state == 'proposed' and '? :MewAccept or :MewReject' or '')
  if conflicted then
    sign, note = signs.conflict, hunk.title .. ': no longer, for you changed the text; :MewReject'
  end
  local highlight = removal and 'MewSignDelete' or 'MewSignChange'
  return {
    line = removal and hunk.state == 'proposed' and 'MewDelete' or nil,
    sign = sign,
    sign_highlight = conflicted and 'MewSignConflict' or highlight,
    virtual = {},
    virtual_highlight = 'MewNote',
    note = note,
    above = true,
  }
end

--- @param hunk mewcode.Hunk
--- @param signs { add: string, delete: string, change: string, conflict: string }
--- @return mewcode.Look
local function look_of(hunk, signs)
  if hunk.file then
    return look_of_file(hunk, signs)
  end
  if hunk.state == 'conflicted' then
    return {
      line = 'MewConflict',
      sign = signs.conflict,
      sign_highlight = 'MewSignConflict',
      virtual = hunk.newLines,
      virtual_highlight = 'MewAddVirtual',
      note = 'conflict: you changed this too; :MewAccept mine, agent or both',
      above = false,
    }
  end
  local sign, sign_highlight = signs.change, 'MewSignChange'
  if #hunk.oldLines == 0 then
    sign, sign_highlight = signs.add, 'MewSignAdd'
  elseif #hunk.newLines == 0 then
    sign, sign_highlight = signs.delete, 'MewSignDelete'
  end
  local applied = hunk.state == 'applied'
  -- A new file has no old lines, though its buffer has an empty one.
  local old = #hunk.oldLines > 0 and 'MewDelete' or nil
  return {
    line = applied and 'MewAdd' or old,
    sign = sign,
    sign_highlight = sign_highlight,
    virtual = applied and hunk.oldLines or hunk.newLines,
    virtual_highlight = applied and 'MewDeleteVirtual' or 'MewAddVirtual',
    above = applied,
  }
end

--- Text for a virtual line, where Neovim expands no tabs and prints control characters raw.
--- @param line string
--- @param tabstop integer
--- @return string
local function printable(line, tabstop)
  if not line:find('%c') then
    return line
  end
  local out, width = {}, 0
  for before, tab in line:gmatch('([^\t]*)(\t?)') do
    local part = vim.fn.strtrans(before)
    width = width + vim.fn.strdisplaywidth(part)
    out[#out + 1] = part
    if tab ~= '' then
      local fill = tabstop - width % tabstop
      width = width + fill
      out[#out + 1] = (' '):rep(fill)
    end
  end
  return table.concat(out)
end

--- Cuts a line where a window that wraps would, which Neovim does not do for virtual lines.
--- @param line string
--- @param width? integer nothing is cut without it
--- @return string[]
local function wrapped(line, width)
  -- No character has more cells than bytes.
  if not width or #line <= width then
    return { line }
  end
  local parts = {}
  while vim.fn.strdisplaywidth(line) > width do
    local count = width
    local part = vim.fn.strcharpart(line, 0, count, true)
    while vim.fn.strdisplaywidth(part) > width do
      count = count - math.max(math.floor((vim.fn.strdisplaywidth(part) - width) / 2), 1)
      part = vim.fn.strcharpart(line, 0, count, true)
    end
    if part == '' then
      break
    end
    parts[#parts + 1] = part
    line = line:sub(#part + 1)
  end
  parts[#parts + 1] = line
  return parts
end

--- The room for text in the narrowest window that wraps the buffer's lines.
--- @param bufnr integer
--- @return integer?
local function wrap_width(bufnr)
  local width --- @type integer?
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    if vim.wo[window].wrap then
      -- The sign column may come with these hunks.
      local signs = vim.startswith(vim.wo[window].signcolumn, 'auto') and 2 or 0
      local info = vim.fn.getwininfo(window)[1]
      local room = math.max(info.width - info.textoff - signs, 1)
      width = math.min(width or room, room)
    end
  end
  return width
end

--- @class mewcode.Canvas what is the same for all hunks of a buffer
--- @field bufnr integer
--- @field count integer lines in the buffer
--- @field tabstop integer
--- @field width? integer where virtual lines are cut
--- @field fill string to colour a virtual line to the edge of the screen
--- @field config mewcode.Config

--- @param canvas mewcode.Canvas
--- @param look mewcode.Look
--- @return [string, string][][]
local function virtual_lines(canvas, look)
  local lines = {}
  local function add(line, highlight)
    lines[#lines + 1] = { { line, highlight }, { canvas.fill, highlight } }
  end
  if look.note then
    add(look.note, 'MewNote')
  end
  local limit = canvas.config.max_virtual_lines
  for index, line in ipairs(look.virtual) do
    if index > limit then
      add(('… %d more lines, see :MewDiff'):format(#look.virtual - limit), 'MewNote')
      break
    end
    for _, part in ipairs(wrapped(printable(line, canvas.tabstop), canvas.width)) do
      add(part, look.virtual_highlight)
    end
  end
  return lines
end

--- @class mewcode.Place
--- @field hunk mewcode.Hunk
--- @field empty boolean the hunk has no real line; it stands below the mark's line
--- @field at_top boolean it stands above the first line

--- @param canvas mewcode.Canvas
--- @param hunk mewcode.Hunk
--- @return integer mark
--- @return mewcode.Place place
local function draw_hunk(canvas, hunk)
  local bufnr, last = canvas.bufnr, canvas.count - 1
  local look = look_of(hunk, canvas.config.signs)
  local first = math.min(hunk.startLine, canvas.count)
  local final = math.min(hunk.endLine, canvas.count) - 1
  local empty = final < first
  local at_top = empty and first == 0
  local row = empty and math.max(first - 1, 0) or first
  local mark = vim.api.nvim_buf_set_extmark(bufnr, PLACES, row, 0, {
    end_row = empty and row or final,
    end_col = 0,
    -- A line put in above the last line of the hunk belongs to it.
    end_right_gravity = true,
    line_hl_group = not empty and look.line or nil,
    sign_text = look.sign ~= '' and look.sign or nil,
    sign_hl_group = look.sign_highlight,
    priority = 20,
  })
  local lines = virtual_lines(canvas, look)
  if #lines > 0 then
    -- Lines over a hunk hang on its own first line, so that they move with it.
    local above = at_top or (look.above and first <= last)
    vim.api.nvim_buf_set_extmark(bufnr, LINES, above and first or math.max(row, final), 0, {
      virt_lines = lines,
      virt_lines_above = above,
      -- Without 'wrap' they move with the lines of the buffer.
      virt_lines_overflow = canvas.width and 'trunc' or 'scroll',
    })
  end
  return mark, { hunk = hunk, empty = empty, at_top = at_top }
end

--- Neovim shows lines above line 1 only to a window that leaves room for them. Each window that shows the buffer
--- newly begins without.
--- @param bufnr integer
function M.make_room_at_top(bufnr)
  local mark = vim.api.nvim_buf_get_extmarks(bufnr, LINES, { 0, 0 }, { 0, -1 }, { details = true })
  local height = 0
  for _, item in ipairs(mark) do
    if item[4].virt_lines_above then
      height = height + #item[4].virt_lines
    end
  end
  for _, window in ipairs(height > 0 and vim.fn.win_findbuf(bufnr) or {}) do
    local room = math.min(height, vim.api.nvim_win_get_height(window) - 1)
    vim.api.nvim_win_call(window, function()
      local view = vim.fn.winsaveview()
      if view.topline == 1 and view.topfill < room then
        vim.fn.winrestview({ topfill = room })
      end
    end)
  end
end

--- Where the virtual lines of a buffer are cut, if it wraps lines.
--- @type table<integer, integer>
local widths = {}

--- Draws the hunks in place of what was drawn before.
--- @param bufnr integer
--- @param hunks mewcode.Hunk[]
--- @return table<integer, mewcode.Place> places by mark
function M.draw(bufnr, hunks)
  M.clear(bufnr)
  local places = {} --- @type table<integer, mewcode.Place>
  if #hunks == 0 then
    return places
  end
  require('mewcode.highlight').define()
  widths[bufnr] = wrap_width(bufnr)
  --- @type mewcode.Canvas
  local canvas = {
    bufnr = bufnr,
    count = vim.api.nvim_buf_line_count(bufnr),
    tabstop = vim.bo[bufnr].tabstop,
    width = widths[bufnr],
    fill = (' '):rep(vim.o.columns),
    config = config.get(),
  }
  for _, hunk in ipairs(hunks) do
    local mark, place = draw_hunk(canvas, hunk)
    places[mark] = place
  end
  M.make_room_at_top(bufnr)
  return places
end

--- Draws hunks anew, where they stand now, if the windows of the buffer cut lines elsewhere than when they were drawn.
--- @param bufnr integer
--- @param places table<integer, mewcode.Place>
--- @return table<integer, mewcode.Place>
function M.fit(bufnr, places)
  if #vim.fn.win_findbuf(bufnr) == 0 or wrap_width(bufnr) == widths[bufnr] then
    return places
  end
  return M.draw(
    bufnr,
    vim.tbl_map(function(located)
      local place = { startLine = located.first, endLine = located.last }
      return vim.tbl_extend('force', located.hunk, place)
    end, M.positions(bufnr, places))
  )
end

--- @param bufnr integer
function M.clear(bufnr)
  widths[bufnr] = nil
  vim.api.nvim_buf_clear_namespace(bufnr, PLACES, 0, -1)
  vim.api.nvim_buf_clear_namespace(bufnr, LINES, 0, -1)
end

--- Where the marks stand now, top to bottom: 0-based rows, half open; empty for a mere insertion.
--- @param bufnr integer
--- @param places table<integer, mewcode.Place>
--- @return { hunk: mewcode.Hunk, first: integer, last: integer }[]
function M.positions(bufnr, places)
  local found = {}
  local marks = vim.api.nvim_buf_get_extmarks(bufnr, PLACES, 0, -1, { details = true })
  for _, item in ipairs(marks) do
    local place = places[item[1]]
    if place and place.empty then
      local row = place.at_top and item[2] or item[2] + 1
      found[#found + 1] = { hunk = place.hunk, first = row, last = row }
    elseif place then
      found[#found + 1] = { hunk = place.hunk, first = item[2], last = item[4].end_row + 1 }
    end
  end
  return found
end

return M
