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

--- Those that wait for a decision and were not told of, if no window shows them.
--- @param client vim.lsp.Client
--- @param hunks mewcode.Hunk[]
--- @param uri string
--- @return mewcode.Hunk[]
local function unseen(client, hunks, uri)
  local news = vim.tbl_filter(function(hunk)
    return hunk.review == 'before' and not told[hunk.proposal]
  end, hunks)
  local bufnr = #news > 0 and clients.buffer(client, uri)
  return bufnr and #vim.fn.win_findbuf(bufnr) > 0 and {} or news
end

--- @param client vim.lsp.Client
--- @param reviews table<string, mewcode.Hunk[]>
local function tell(client, reviews)
  local files, count, proposals = {}, 0, {}
  for uri, hunks in pairs(reviews) do
    local news = unseen(client, hunks, uri)
    if #news > 0 then
      files[#files + 1] = vim.fs.basename(vim.uri_to_fname(uri))
      count = count + #news
    end
    for _, hunk in ipairs(news) do
      proposals[hunk.proposal] = true
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
