-- mewcode/save: writes a buffer as the user's own :update would, with all autocommands, but only the very text
-- that the server means. Never asks the user anything: what would be a question is a refusal.

local clients = require('mewcode.client')
local report = require('mewcode.report')
local text = require('mewcode.text')
local undo = require('mewcode.undo')

local M = {}

--- What tells one state of a file from another.
--- @param path string
--- @return string? nothing for a file that does not exist
local function state_of(path)
  local stat = vim.uv.fs_stat(path)
  return stat and ('%d.%d.%d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size)
end

--- The buffer was read or written just now: unless it is still modified (`:write other`), it holds what the disk
--- holds.
--- @param bufnr integer
function M.in_step(bufnr)
  if vim.bo[bufnr].modified then
    return
  end
  vim.b[bufnr].mewcode_disk = state_of(vim.api.nvim_buf_get_name(bufnr))
end

--- Whether Neovim finds the file changed since it last looked. Its question to the user is answered with "leave
--- it alone".
--- @param bufnr integer
--- @return boolean
local function neovim_finds_change(bufnr)
  local changed = false
  local autocommand = vim.api.nvim_create_autocmd('FileChangedShell', {
    buffer = bufnr,
    callback = function()
      changed = true
      vim.v.fcs_choice = ''
    end,
  })
  local ok, err = pcall(vim.cmd.checktime, bufnr)
  vim.api.nvim_del_autocmd(autocommand)
  if not ok then
    error(err, 0)
  end
  return changed
end

--- Whether the file changed behind the buffer. Writing would ask the user about it, and take the keyboard. Neovim
--- tells of a change only once, so what it tells is remembered until the next read or write.
--- @param bufnr integer
--- @param path string
--- @return boolean
local function changed_on_disk(bufnr, path)
  local known = vim.b[bufnr].mewcode_disk
  if known and known ~= state_of(path) then
    return true
  end
  if neovim_finds_change(bufnr) then
    vim.b[bufnr].mewcode_disk = 'changed'
    return true
  end
  return false
end

--- @param reason string
--- @return mewcode.SaveResult
local function refused(reason)
  return { saved = false, reason = reason }
end

--- @param client vim.lsp.Client
--- @param params mewcode.SaveParams
--- @return mewcode.SaveResult
local function save(client, params)
  local bufnr = clients.buffer(client, params.uri)
  if not bufnr then
    return refused('it is not open in Neovim')
  end
  local hash, problem = text.hash(bufnr)
  if hash ~= params.sha256 then
    return refused(problem or 'it has changed since')
  end
  local path = vim.api.nvim_buf_get_name(bufnr)
  if params.onDisk then
    return require('mewcode.reload').take_as_saved(bufnr, path, params.onDisk.finalNewline)
  end
  local exists = vim.uv.fs_stat(path) ~= nil
  if exists and not vim.bo[bufnr].modified then
    return { saved = true, sha256 = hash }
  end
  if vim.fn.getcmdwintype() ~= '' then
    -- Neovim does not look at files from there.
    report.warn(('%s was not saved: the command-line window is open'):format(path))
    return refused('the command-line window is open')
  end
  if exists and changed_on_disk(bufnr, path) then
    report.warn(
      ('%s changed on disk too, so it was not saved. Use :w! or :e! to decide'):format(path)
    )
    return refused('the file changed on disk behind the buffer')
  end
  if not exists then
    -- A new file may be the first of its folder.
    pcall(vim.fn.mkdir, vim.fs.dirname(path), 'p')
  end
  undo.break_step(bufnr)
  local ok, err = pcall(vim.api.nvim_buf_call, bufnr, function()
    vim.cmd(('lockmarks silent %s'):format(exists and 'update' or 'write'))
  end)
  undo.break_step(bufnr)
  if not ok then
    local message = tostring(err):gsub('^.-Vim%b():', '')
    report.error(('could not save %s: %s'):format(path, message))
    return refused(message)
  end
  if vim.bo[bufnr].modified then
    return refused('Neovim did not write it (see your BufWriteCmd and BufWritePost autocommands)')
  end
  return { saved = true, sha256 = (text.hash(bufnr)) }
end

--- @param params mewcode.SaveParams
--- @param context lsp.HandlerContext
--- @return mewcode.SaveResult
function M.handle(_, params, context)
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  local ok, answer = pcall(save, client, params)
  if not ok then
    report.error(('saving failed: %s. Please report this'):format(answer))
    answer = refused(tostring(answer))
  end
  clients.flush(client)
  return answer
end

return M
