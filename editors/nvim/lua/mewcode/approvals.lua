-- mewcode/approval: the questions that wait for an answer, of every server. Tells of new ones in a line, and shows
-- none by itself.

local clients = require('mewcode.client')
local literal = require('mewcode.literal')
local report = require('mewcode.report')

local M = {}

--- @class mewcode.Waiting a question and whose it is
--- @field client_id integer
--- @field approval mewcode.Approval

--- The questions of each client, oldest first.
--- @type table<integer, mewcode.Approval[]>
local lists = {}

--- @type fun()[]
local watchers = {}

--- @param client_id integer
--- @param id string
--- @return mewcode.Approval?
function M.find(client_id, id)
  return vim.iter(lists[client_id] or {}):find(function(approval)
    return approval.id == id
  end)
end

--- What waits, of all servers, oldest first.
--- @return mewcode.Waiting[]
function M.all()
  local all = {}
  for client_id, list in pairs(lists) do
    for _, approval in ipairs(list) do
      all[#all + 1] = { client_id = client_id, approval = approval }
    end
  end
  table.sort(all, function(a, b)
    local left, right = a.approval, b.approval
    return left.asked < right.asked or (left.asked == right.asked and left.id < right.id)
  end)
  return all
end

--- @param client_id integer
--- @return integer
function M.count(client_id)
  return #(lists[client_id] or {})
end

--- Has `run` called whenever the questions change.
--- @param run fun()
function M.watch(run)
  watchers[#watchers + 1] = run
end

--- @param new mewcode.Approval[]
local function tell(new)
  if #new == 1 then
    report.asks(('%s (:MewApprove)'):format(literal.line(new[1].title)))
  elseif #new > 1 then
    report.info(('%d questions wait for you (:MewApprove)'):format(#new))
  end
end

--- @param client_id integer
--- @param list? mewcode.Approval[]
local function set(client_id, list)
  local new = vim.tbl_filter(function(approval)
    return not M.find(client_id, approval.id)
  end, list or {})
  lists[client_id] = list
  vim.cmd.redrawstatus({ bang = true })
  vim.iter(watchers):each(function(watcher)
    watcher()
  end)
  tell(new)
end

--- @param params mewcode.ApprovalsParams
--- @param context lsp.HandlerContext
function M.handle(_, params, context)
  set(context.client_id, params.approvals)
  vim.api.nvim_exec_autocmds('User', {
    pattern = 'MewcodeApproval',
    modeline = false,
    data = { approvals = params.approvals },
  })
end

--- Asks the server what waits: it may have been asked before Neovim listened.
--- @param client vim.lsp.Client
--- @param on_done? fun()
function M.fetch(client, on_done)
  local bufnr = vim.api.nvim_get_current_buf()
  clients.request(client, 'mewcode/pending', vim.empty_dict(), bufnr, function(result)
    if not client:is_stopped() then
      set(client.id, result.approvals or {})
    end
    if on_done then
      on_done()
    end
  end)
end

--- A client has attached to a buffer, perhaps to its first one.
--- @param client vim.lsp.Client
function M.attached(client)
  if not lists[client.id] and clients.extended(client) then
    lists[client.id] = {}
    M.fetch(client)
  end
end

--- @param client_id integer
function M.forget(client_id)
  if lists[client_id] then
    set(client_id, nil)
  end
end

--- Sends an answer. Whether it counts is the server's word: somebody else may have been quicker.
--- @param waiting mewcode.Waiting
--- @param argument { answer: string, feedback?: string }
--- @param on_result fun(answered?: string, problem?: string)
function M.answer(waiting, argument, on_result)
  local client = vim.lsp.get_client_by_id(waiting.client_id)
  local params = {
    command = 'mewcode.approval.answer',
    arguments = { vim.tbl_extend('error', { id = waiting.approval.id }, argument) },
  }
  local bufnr = vim.api.nvim_get_current_buf()
  local sent = client
    and client:request('workspace/executeCommand', params, function(err, result)
      if err then
        on_result(nil, report.text(err))
      else
        on_result(vim.tbl_get(result or {}, 'answered') or 'answered')
      end
    end, bufnr)
  if not sent then
    on_result(nil, 'the server has stopped, and its questions with it')
  end
end

return M
