-- The quickfix list of pending hunks. Once made it follows the hunks, as long as Neovim keeps it.

local clients = require('mewcode.client')
local report = require('mewcode.report')

local M = {}

--- The list, and whose hunks it shows.
--- @type { id: integer, client_id: integer }?
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

--- @param client vim.lsp.Client
--- @param on_items fun(items: vim.quickfix.entry[])
local function fetch(client, on_items)
  local bufnr = vim.api.nvim_get_current_buf()
  clients.request(client, 'mewcode/pending', vim.empty_dict(), bufnr, function(result)
    on_items(vim.tbl_map(entry, result.hunks))
  end)
end

--- Goes to the first. What Neovim says of the file (a swap file, unsaved changes) is for the user.
local function go_to_first()
  local ok, err = pcall(vim.cmd.cfirst)
  if not ok then
    report.error((tostring(err):gsub('^.-Vim%b():', '')))
  end
end

--- @param client vim.lsp.Client
function M.open(client)
  fetch(client, function(items)
    if #items == 0 then
      return report.info('no hunk waits for you')
    end
    vim.fn.setqflist({}, ' ', { title = 'MewCode: pending hunks', items = items })
    list = { id = vim.fn.getqflist({ id = 0 }).id, client_id = client.id }
    vim.cmd('botright copen')
    go_to_first()
  end)
end

--- The hunks changed.
--- @param client vim.lsp.Client
function M.refresh(client)
  if not list or list.client_id ~= client.id or asking then
    return
  end
  asking = true
  vim.schedule(function()
    asking = false
    local kept = list and vim.fn.getqflist({ id = list.id, idx = 0 })
    if not list or kept.id ~= list.id or client:is_stopped() then
      list = nil
      return
    end
    fetch(client, function(items)
      local index = math.max(math.min(kept.idx, #items), 1)
      vim.fn.setqflist({}, 'r', { id = kept.id, items = items, idx = index })
    end)
  end)
end

return M
