-- Tells the user of hunks that wait where no window shows them. Once for each proposal.

local clients = require('mewcode.client')
local report = require('mewcode.report')

local M = {}

--- A proposal for several files comes file by file.
local PAUSE_MILLISECONDS = 100

--- @type table<string, true> by proposal
local told = {}

--- Clients whose hunks are looked at after the pause.
--- @type table<integer, true>
local looking = {}

--- @param client vim.lsp.Client
--- @param hunks mewcode.Hunk[]
--- @param uri string
--- @return boolean
local function is_unseen(client, hunks, uri)
  local hunk = hunks[1]
  if hunk.review ~= 'before' or told[hunk.proposal] then
    return false
  end
  local bufnr = clients.buffer(client, uri)
  return not bufnr or #vim.fn.win_findbuf(bufnr) == 0
end

--- @param client vim.lsp.Client
--- @param reviews table<string, mewcode.Hunk[]>
local function tell(client, reviews)
  local files, count, proposals = {}, 0, {}
  for uri, hunks in pairs(reviews) do
    if is_unseen(client, hunks, uri) then
      files[#files + 1] = vim.fs.basename(vim.uri_to_fname(uri))
      count = count + #hunks
      proposals[hunks[1].proposal] = true
    end
  end
  if count == 0 then
    return
  end
  told = vim.tbl_extend('force', told, proposals)
  local where = #files == 1 and files[1] or #files .. ' other files'
  local what = count == 1 and '1 hunk waits' or count .. ' hunks wait'
  report.info(('%s in %s; :MewReview goes there'):format(what, where))
end

--- The hunks of a client changed.
--- @param client vim.lsp.Client
--- @param reviews table<string, mewcode.Hunk[]> by URI
function M.look(client, reviews)
  if looking[client.id] then
    return
  end
  looking[client.id] = true
  vim.defer_fn(function()
    looking[client.id] = nil
    if not client:is_stopped() then
      tell(client, reviews)
    end
  end, PAUSE_MILLISECONDS)
end

return M
