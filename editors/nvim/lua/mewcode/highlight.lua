-- Highlight groups, each a default link to a group of the user's colour scheme.

local M = {}

local LINKS = {
  MewAdd = 'DiffAdd',
  MewDelete = 'DiffDelete',
  MewConflict = 'DiffText',
  MewAddVirtual = 'DiffAdd',
  MewDeleteVirtual = 'DiffDelete',
  MewNote = 'DiffChange',
  MewSignAdd = 'Added',
  MewSignDelete = 'Removed',
  MewSignChange = 'Changed',
  MewSignConflict = 'WarningMsg',
  MewTitle = 'Title',
  MewHeading = 'Statement',
  MewKey = 'Special',
  MewWords = 'Comment',
  MewUnseen = 'WarningMsg',
}

--- A colour scheme clears default links, so they are set again with each.
local function link()
  for name, target in pairs(LINKS) do
    vim.api.nvim_set_hl(0, name, { link = target, default = true })
  end
end

local defined = false

function M.define()
  if defined then
    return
  end
  defined = true
  link()
  vim.api.nvim_create_autocmd('ColorScheme', {
    group = vim.api.nvim_create_augroup('mewcode.highlight', {}),
    callback = link,
  })
end

return M
