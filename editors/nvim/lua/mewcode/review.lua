-- mewcode/review: which hunks wait, by client and document, and their drawing in the buffers that show them.
-- Decides nothing: hunks come and go only as the server says.

local clients = require('mewcode.client')
local draw = require('mewcode.draw')
local lenses = require('mewcode.lenses')

local M = {}

--- @class mewcode.Located
--- @field hunk mewcode.Hunk
--- @field first integer 0-based
--- @field last integer outside

--- Hunks of documents, also of those that are not open, by client and URI.
--- @type table<integer, table<string, mewcode.Hunk[]>>
local reviews = {}

--- What is drawn, by buffer.
--- @type table<integer, table<integer, mewcode.Place>>
local drawn = {}

--- @param client vim.lsp.Client
--- @param bufnr integer
--- @param hunks mewcode.Hunk[]
local function show(client, bufnr, hunks)
  local had_hunks = drawn[bufnr] ~= nil
  if #hunks == 0 and not had_hunks then
    return
  end
  local places = draw.draw(bufnr, hunks)
  drawn[bufnr] = next(places) and places or nil
  lenses.refresh(client, bufnr, drawn[bufnr] ~= nil)
end

--- @param params mewcode.ReviewParams
--- @param context lsp.HandlerContext
function M.handle(_, params, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if not client then
    return
  end
  local of_client = reviews[client.id] or {}
  reviews[client.id] = of_client
  of_client[params.uri] = #params.hunks > 0 and params.hunks or nil
  local bufnr = clients.buffer(client, params.uri)
  if bufnr then
    show(client, bufnr, params.hunks)
  end
  if #params.hunks > 0 then
    require('mewcode.unseen').look(client, of_client)
  end
  if package.loaded['mewcode.list'] then
    require('mewcode.list').refresh()
  end
  vim.api.nvim_exec_autocmds('User', {
    pattern = 'MewcodeReview',
    modeline = false,
    data = { uri = params.uri, hunks = #params.hunks },
  })
end

--- Draws what is known of a buffer that was opened or read again; its marks are gone.
--- @param client vim.lsp.Client
--- @param bufnr integer
function M.redraw(client, bufnr)
  for uri, hunks in pairs(reviews[client.id] or {}) do
    if clients.buffer(client, uri) == bufnr then
      show(client, bufnr, hunks)
    end
  end
end

--- @param bufnr integer
local function fit(bufnr)
  if drawn[bufnr] and vim.api.nvim_buf_is_loaded(bufnr) then
    drawn[bufnr] = draw.fit(bufnr, drawn[bufnr])
  end
end

--- A window shows a buffer that it did not show before.
--- @param bufnr integer
function M.in_window(bufnr)
  if not drawn[bufnr] then
    return
  end
  -- Neovim puts the window where it was when it last showed the buffer, after it tells of it.
  vim.schedule(function()
    fit(bufnr)
    if drawn[bufnr] and vim.api.nvim_buf_is_loaded(bufnr) then
      draw.make_room_at_top(bufnr)
    end
  end)
end

--- Windows have another room for text than before.
function M.resized()
  for bufnr in pairs(drawn) do
    fit(bufnr)
  end
end

--- @param client_id integer
--- @param bufnr integer
function M.detach(client_id, bufnr)
  if drawn[bufnr] and vim.api.nvim_buf_is_valid(bufnr) then
    draw.clear(bufnr)
    lenses.clear(client_id, bufnr)
  end
  drawn[bufnr] = nil
end

--- @param client_id integer
function M.forget(client_id)
  reviews[client_id] = nil
end

--- The hunks of a buffer where they stand now, top to bottom.
--- @param bufnr integer
--- @return mewcode.Located[]
function M.hunks(bufnr)
  return drawn[bufnr] and draw.positions(bufnr, drawn[bufnr]) or {}
end

--- Hunks that meet the rows `first` to `last` (inclusive). An insertion meets the lines on both its sides.
--- @param bufnr integer
--- @param first integer 0-based
--- @param last integer
--- @return mewcode.Located[]
function M.meeting(bufnr, first, last)
  return vim.tbl_filter(function(located)
    if located.first == located.last then
      return located.first >= first and located.first <= last + 1
    end
    return located.first <= last and located.last > first
  end, M.hunks(bufnr))
end

--- The one hunk at a row: one that holds the line, the smallest if the agent changed lines of its own again, else an
--- insertion beside it, else the one about the whole file.
--- @param bufnr integer
--- @param row integer 0-based
--- @return mewcode.Located?
function M.at(bufnr, row)
  local near = M.meeting(bufnr, row, row)
  local on, beside, whole --- @type mewcode.Located?, mewcode.Located?, mewcode.Located?
  for _, located in ipairs(near) do
    local height = located.last - located.first
    if located.hunk.file then
      whole = whole or located
    elseif height == 0 then
      beside = beside or located
    elseif not on or height <= on.last - on.first then
      on = located
    end
  end
  return on or beside or whole
end

return M
