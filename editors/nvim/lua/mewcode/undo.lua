-- Undo steps of a buffer. One fact of Neovim, kept in one place.

local M = {}

--- Ends the undo step that is open in this buffer, in insert mode too: what follows is a new one.
--- Setting 'undolevels' to its own value does this and changes nothing else.
--- @param bufnr integer
function M.break_step(bufnr)
  vim.api.nvim_buf_call(bufnr, function()
    vim.cmd('noautocmd let &l:undolevels = &l:undolevels')
  end)
end

return M
