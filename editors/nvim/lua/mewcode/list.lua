-- The quickfix list of pending hunks, of all servers. Once made it follows the hunks, as long as Neovim keeps it.

local clients = require('mewcode.client')
local report = require('mewcode.report')

local M = {}

--- The id of the list.
--- @type integer?
local list

--- Whether the list is to be filled anew in this turn, so that a burst of reviews asks once.
local asking = false

--- @param hunk mewcode.PendingHunk
--- @return vim.quickfix.entry
local function entry(hunk)
  local what = hunk.title or ('+%d -%d'):format(hunk.added, hunk.removed)
  local state = hunk.state == 'conflicted' and ' (conflict)' or ''
  return {
    filename = vim.uri_to_fname(hunk.uri),
    lnum = math.max(hunk.startLine + 1, 1),
    end_lnum = hunk.file and 1 or math.max(hunk.endLine, hunk.startLine + 1),
    text = ('%s %s: %s%s'):format(what, hunk.tool, hunk.reason, state),
    type = hunk.state == 'conflicted' and 'W' or 'I',
  }
end

--- Asks every server, and hands on what all of them have said.
--- @param on_items fun(items: vim.quickfix.entry[])
local function fetch(on_items)
  local bufnr = vim.api.nvim_get_current_buf()
  local all = vim.lsp.get_clients({ name = clients.NAME })
  local missing, items = #all, {}
  for index, client in ipairs(all) do
    items[index] = {}
    local function answered(err, result)
      if err then
        report.error(report.text(err))
      elseif result then
        items[index] = vim.tbl_map(entry, result.hunks)
      end
      missing = missing - 1
      if missing == 0 then
        on_items(vim.iter(items):flatten():totable())
      end
    end
    if not client:request('mewcode/pending', vim.empty_dict(), answered, bufnr) then
      -- It ends at this moment, and its hunks wait for the next one.
      answered()
    end
  end
end

--- Goes to the first. What Neovim says of the file (a swap file, unsaved changes) is for the user.
local function go_to_first()
  local ok, err = pcall(vim.cmd.cfirst)
  if not ok then
    report.error((tostring(err):gsub('^.-Vim%b():', '')))
  end
end

--- Opens the list of what waits, whichever server told it.
function M.open()
  fetch(function(items)
    if #items == 0 then
      return report.info('no hunk waits for you')
    end
    vim.fn.setqflist({}, ' ', { title = 'MewCode: pending hunks', items = items })
    list = vim.fn.getqflist({ id = 0 }).id
    vim.cmd('botright copen')
    go_to_first()
  end)
end

--- The hunks of a server changed.
function M.refresh()
  if not list or asking then
    return
  end
  asking = true
  vim.schedule(function()
    asking = false
    local kept = list and vim.fn.getqflist({ id = list, idx = 0 })
    if not list or kept.id ~= list then
      list = nil
      return
    end
    fetch(function(items)
      local index = math.max(math.min(kept.idx, #items), 1)
      vim.fn.setqflist({}, 'r', { id = kept.id, items = items, idx = index })
    end)
  end)
end

return M
