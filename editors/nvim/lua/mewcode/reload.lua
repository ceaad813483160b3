-- A buffer whose text the disk has already, because a command changed the file and the server brought the buffer up to
-- date: Neovim learns that the two are the same, and asks nothing at the next write or look at the file.
--
-- Neovim learns that by writing alone. So the buffer is written over the very bytes that are there: without
-- autocommands, and only after it was seen, by writing it elsewhere, that it comes to these bytes.

local report = require('mewcode.report')
local text = require('mewcode.text')
local undo = require('mewcode.undo')

local M = {}

--- @param path string
--- @return string? bytes
local function read(path)
  local handle = io.open(path, 'rb')
  if not handle then
    return nil
  end
  local bytes = handle:read('*a')
  handle:close()
  return bytes
end

--- @param bufnr integer
--- @param path string
local function write(bufnr, path)
  vim.api.nvim_buf_call(bufnr, function()
    vim.cmd(('noautocmd keepalt lockmarks silent write! %s'):format(vim.fn.fnameescape(path)))
  end)
end

--- @param bufnr integer
--- @param path string
--- @return string? problem
local function write_what_is_there(bufnr, path)
  local copy = vim.fn.tempname()
  local ok, err = pcall(write, bufnr, copy)
  local bytes = read(copy)
  vim.fn.delete(copy)
  if not ok then
    return tostring(err)
  end
  if not bytes or bytes ~= read(path) then
    return 'the file holds something else by now'
  end
  if vim.fn.filewritable(path) ~= 1 then
    return 'the file may not be written'
  end
  ok, err = pcall(write, bufnr, path)
  return not ok and tostring(err) or nil
end

--- @param bufnr integer
--- @param path string
--- @param final_newline boolean
--- @return mewcode.SaveResult
function M.take_as_saved(bufnr, path, final_newline)
  local options = vim.bo[bufnr]
  local before = { endofline = options.endofline, fixendofline = options.fixendofline }
  options.endofline, options.fixendofline = final_newline, false
  undo.break_step(bufnr)
  local problem = write_what_is_there(bufnr, path)
  undo.break_step(bufnr)
  options.fixendofline = before.fixendofline
  if problem then
    options.endofline = before.endofline
    local name = vim.fn.fnamemodify(path, ':~:.')
    local words = '%s changed on disk, and Neovim takes its text for unsaved (%s). Use :e! or :w!'
    report.warn(words:format(name, problem))
    return { saved = false, reason = problem }
  end
  require('mewcode.save').in_step(bufnr)
  return { saved = true, sha256 = (text.hash(bufnr)) }
end

return M
