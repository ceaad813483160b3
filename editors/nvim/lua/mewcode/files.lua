-- Removing and moving the file of a buffer, each with its way back. A buffer with unsaved changes is never removed,
-- and nothing is ever moved over something else. Knows nothing of clients.

local buffers = require('mewcode.buffers')

local M = {}

--- @param bufnr integer
--- @return string path on disk, links resolved
local function path_of(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  return vim.uv.fs_realpath(name) or name
end

--- Whether the next keys are text for this buffer.
--- @param bufnr integer
--- @return boolean
local function is_typed_in(bufnr)
  -- Insert, replace and select mode, or a single command that goes back to one of them.
  local mode = vim.api.nvim_get_mode().mode
  local typing = mode:match('^[iRsS\19]') or mode:match('^ni')
  return typing ~= nil and vim.api.nvim_get_current_buf() == bufnr
end

--- Why the operation cannot be done.
--- @param bufnr integer
--- @param operation mewcode.FileOperation
--- @return string? problem what is wrong with the buffer, to be said behind its name
function M.problem(bufnr, operation)
  if not vim.uv.fs_stat(path_of(bufnr)) then
    return 'is not on disk'
  end
  if vim.fn.getcmdwintype() ~= '' then
    -- No buffer can be closed from there, and no other one shown.
    return 'cannot be removed or moved while the command-line window is open'
  end
  if operation.kind == 'remove' then
    if vim.bo[bufnr].modified then
      return 'has unsaved changes, which would be lost'
    end
    -- They would land in whatever buffer takes its place.
    return is_typed_in(bufnr) and 'is being typed in' or nil
  end
  if operation.kind ~= 'move' then
    return ('cannot be changed by %s'):format(operation.kind)
  end
  local to = vim.uri_to_fname(operation.uri)
  local other = buffers.named(to)
  if vim.uv.fs_lstat(to) or (other and vim.api.nvim_buf_is_loaded(other)) then
    return ('cannot move to %s: something is there'):format(to)
  end
  return nil
end

--- @param bufnr integer
--- @return fun() take_back
local function remove(bufnr)
  local path = path_of(bufnr)
  local stat = assert(vim.uv.fs_stat(path))
  local file = assert(io.open(path, 'rb'))
  local bytes = file:read('*a')
  file:close()
  assert(vim.uv.fs_unlink(path))
  return function()
    local handle = assert(vim.uv.fs_open(path, 'wx', stat.mode))
    assert(vim.uv.fs_write(handle, bytes))
    assert(vim.uv.fs_close(handle))
    assert(vim.uv.fs_chmod(path, stat.mode))
  end
end

--- Renames a file, but not over another.
--- @param from string
--- @param to string
local function rename(from, to)
  vim.fn.mkdir(vim.fs.dirname(to), 'p')
  local linked, message, code = vim.uv.fs_link(from, to)
  if linked then
    local removed, problem = vim.uv.fs_unlink(from)
    if not removed then
      -- A folder that nothing may be taken out of. The file is not to be in both.
      assert(vim.uv.fs_unlink(to))
      error(problem, 0)
    end
  elseif code == 'EEXIST' then
    error(message, 0)
  else
    -- A file system without links.
    assert(vim.uv.fs_rename(from, to))
  end
end

--- After a new name Neovim refuses `:w` onto a file that is there (E13), until the buffer was written once with `!`.
--- A write that an autocommand takes over counts as that, and writes nothing.
--- @param bufnr integer
local function let_write(bufnr)
  if #vim.api.nvim_get_autocmds({ event = 'BufWriteCmd', buffer = bufnr }) > 0 then
    return
  end
  local id =
    vim.api.nvim_create_autocmd('BufWriteCmd', { buffer = bufnr, callback = function() end })
  pcall(vim.api.nvim_buf_call, bufnr, function()
    vim.cmd('silent lockmarks write!')
  end)
  vim.api.nvim_del_autocmd(id)
end

--- Gives the buffer another name. Marks, undo steps and windows stay; 'modified' is what it was.
--- @param bufnr integer
--- @param to string
local function rename_buffer(bufnr, to)
  local from = vim.api.nvim_buf_get_name(bufnr)
  local taken = buffers.named(to)
  if taken and not vim.api.nvim_buf_is_loaded(taken) then
    vim.api.nvim_buf_delete(taken, { force = true })
  end
  vim.api.nvim_buf_call(bufnr, function()
    vim.cmd('silent keepalt file ' .. vim.fn.fnameescape(vim.fn.fnamemodify(to, ':.')))
  end)
  -- Neovim keeps an empty buffer of the old name.
  local ghost = buffers.named(from)
  if ghost and ghost ~= bufnr and not vim.api.nvim_buf_is_loaded(ghost) then
    vim.api.nvim_buf_delete(ghost, { force = true })
  end
  let_write(bufnr)
end

--- @param bufnr integer
--- @param to string
--- @return fun() take_back
local function move(bufnr, to)
  local name, path = vim.api.nvim_buf_get_name(bufnr), path_of(bufnr)
  rename(path, to)
  local ok, err = pcall(rename_buffer, bufnr, to)
  if not ok then
    rename(to, path)
    error(err, 0)
  end
  return function()
    rename(to, path)
    rename_buffer(bufnr, name)
  end
end

--- Does the operation on disk, and gives a moved buffer its name. A removed one is left for `close`.
--- @param bufnr integer
--- @param operation mewcode.FileOperation
--- @return fun() take_back
function M.carry_out(bufnr, operation)
  if operation.kind == 'remove' then
    return remove(bufnr)
  end
  return move(bufnr, vim.uri_to_fname(operation.uri))
end

--- Wipes the buffer of a removed file. Its windows stay, with another buffer.
--- @param bufnr integer
function M.close(bufnr)
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    vim.api.nvim_win_call(window, function()
      for _, command in ipairs({ 'buffer #', 'bprevious', 'enew' }) do
        if vim.api.nvim_get_current_buf() == bufnr then
          vim.cmd('silent! ' .. command)
        end
      end
    end)
  end
  vim.api.nvim_buf_delete(bufnr, { force = true })
end

return M
