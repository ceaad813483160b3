-- mewcode/applyEdit: all documents are checked, then all are changed, in one turn of the event loop, so that
-- no keystroke comes between check and change. Then files are moved and removed. All or none. Never saves.

local checksum = require('mewcode.checksum')
local clients = require('mewcode.client')
local edits = require('mewcode.edits')
local files = require('mewcode.files')
local marks = require('mewcode.marks')
local report = require('mewcode.report')
local selection = require('mewcode.selection')
local text = require('mewcode.text')
local undo = require('mewcode.undo')

local M = {}

--- @class mewcode.Target
--- @field bufnr integer
--- @field uri string
--- @field splices mewcode.Splice[]
--- @field file? mewcode.FileOperation

--- @param reason 'stale'|'unavailable'|'not_open'|'failed'
--- @param message string
--- @return mewcode.ApplyEditResult
local function refused(reason, message)
  return { applied = false, reason = reason, message = message }
end

--- @param client vim.lsp.Client
--- @param document mewcode.DocumentEdit
--- @return mewcode.Target?
--- @return mewcode.ApplyEditResult? refusal
local function check(client, document)
  local bufnr = clients.buffer(client, document.uri)
  if not bufnr then
    return nil, refused('not_open', ('%s is not open in Neovim'):format(document.uri))
  end
  local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ':~:.')
  local options = vim.bo[bufnr]
  if not options.modifiable or options.readonly then
    local option = options.modifiable and 'readonly' or 'nomodifiable'
    return nil, refused('unavailable', ('%s is %s in Neovim'):format(name, option))
  end
  local hash, problem = text.hash(bufnr)
  if not hash then
    return nil, refused('unavailable', ('%s: %s'):format(name, problem))
  end
  local version = vim.lsp.util.buf_versions[bufnr]
  if hash ~= document.sha256 or (document.version and document.version ~= version) then
    return nil, refused('stale', ('%s has changed since the edit was made'):format(name))
  end
  local barred = document.file and files.problem(bufnr, document.file)
  if barred then
    return nil, refused('unavailable', ('%s %s'):format(name, barred))
  end
  local splices, fault = edits.plan(bufnr, document.edits, client.offset_encoding)
  if not splices then
    return nil, refused('failed', ('the edit of %s is not valid: %s'):format(name, fault))
  end
  return { bufnr = bufnr, uri = document.uri, splices = splices, file = document.file }
end

--- @param client vim.lsp.Client
--- @param documents mewcode.DocumentEdit[]
--- @return mewcode.Target[]?
--- @return mewcode.ApplyEditResult? refusal
local function check_all(client, documents)
  local targets, seen = {}, {} --- @type mewcode.Target[], table<integer, true>
  local refusal --- @type mewcode.ApplyEditResult?
  for _, document in ipairs(documents) do
    local target, problem = check(client, document)
    if problem and problem.reason == 'stale' then
      -- Every stale document is told to the server, not only the first.
      clients.flush(client)
      local bufnr = assert(clients.buffer(client, document.uri))
      checksum.send(client, bufnr, { with_text = true })
    end
    refusal = refusal or problem
    if target and seen[target.bufnr] then
      refusal = refusal or refused('failed', ('%s is named twice'):format(document.uri))
    elseif target then
      seen[target.bufnr] = true
      targets[#targets + 1] = target
    end
  end
  if refusal then
    return nil, refusal
  end
  return targets
end

--- @param target mewcode.Target
--- @return fun() take_back
local function change(target)
  local modified = vim.bo[target.bufnr].modified
  local restore_marks = marks.keep(target.bufnr, target.splices)
  local restore_selection = selection.keep(target.bufnr)
  undo.break_step(target.bufnr)
  local take_back = edits.apply(target.bufnr, target.splices)
  restore_marks()
  restore_selection()
  return function()
    restore_selection = selection.keep(target.bufnr)
    take_back()
    restore_selection()
    vim.bo[target.bufnr].modified = modified
  end
end

--- @param target mewcode.Target
--- @return fun() take_back
local function operate(target)
  return target.file and files.carry_out(target.bufnr, target.file) or function() end
end

--- @param targets mewcode.Target[]
--- @return string? problem with texts and files as they were
local function change_all(targets)
  local done = {} --- @type fun()[]
  local problem --- @type string?
  -- Texts first: what happens to files is harder to take back.
  for _, step in ipairs({ change, operate }) do
    for _, target in ipairs(problem and {} or targets) do
      local ok, result = pcall(step, target)
      if not ok then
        problem = tostring(result)
        break
      end
      done[#done + 1] = result
    end
  end
  local lost = {} --- @type string[]
  for index = problem and #done or 0, 1, -1 do
    local ok, err = pcall(done[index])
    if not ok then
      lost[#lost + 1] = tostring(err)
    end
  end
  for _, target in ipairs(targets) do
    undo.break_step(target.bufnr)
  end
  if problem and #lost > 0 then
    problem = ('%s; and not all of it could be taken back: %s'):format(
      problem,
      table.concat(lost, '; ')
    )
  end
  return problem
end

--- The buffers of removed files go when nothing can fail any more.
--- @param targets mewcode.Target[]
local function close_removed(targets)
  for _, target in ipairs(targets) do
    if target.file and target.file.kind == 'remove' then
      files.close(target.bufnr)
    end
  end
end

--- @param client vim.lsp.Client
--- @param params mewcode.ApplyEditParams
--- @return mewcode.ApplyEditResult
local function apply(client, params)
  local targets, refusal = check_all(client, params.documents)
  if not targets then
    return assert(refusal)
  end
  local problem = change_all(targets)
  if not problem then
    close_removed(targets)
  end
  clients.flush(client)
  if problem then
    return refused('failed', ('Neovim refused the change: %s'):format(problem))
  end
  local documents = {}
  for _, target in ipairs(targets) do
    if not target.file or target.file.kind ~= 'remove' then
      local uri = target.file and target.file.uri or target.uri
      documents[#documents + 1] = { uri = uri, sha256 = text.hash(target.bufnr) }
    end
  end
  return { applied = true, documents = documents }
end

--- @param params mewcode.ApplyEditParams
--- @param context lsp.HandlerContext
--- @return mewcode.ApplyEditResult
function M.handle(_, params, context)
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  local ok, answer = pcall(apply, client, params)
  if ok then
    return answer
  end
  report.error(('an edit failed: %s. Please report this'):format(answer))
  return refused('failed', tostring(answer))
end

return M
