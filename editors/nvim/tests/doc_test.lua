-- The help page against the plugin: what exists is described, and what is linked exists.

local harness = require('harness')
local equal = harness.equal

local folder = vim.fs.dirname(vim.api.nvim_get_runtime_file('lsp/mewcode.lua', false)[1])
local page = vim.fs.dirname(folder) .. '/doc/mewcode.txt'
local text = harness.read(page)

--- @return table<string, true> tags of our page
local function tags()
  local found = {}
  for tag in text:gmatch('%*([^%s*|]+)%*') do
    assert(not found[tag], 'the tag ' .. tag .. ' stands twice')
    found[tag] = true
  end
  return found
end

return {
  {
    'every command and every <Plug> map is described',
    function()
      local known = tags()
      for name in pairs(vim.api.nvim_get_commands({})) do
        if vim.startswith(name, 'Mew') then
          assert(known[':' .. name], name .. ' is not described')
        end
      end
      for _, map in ipairs(vim.api.nvim_get_keymap('n')) do
        if vim.startswith(map.lhs, '<Plug>(mewcode') then
          assert(known[map.lhs], map.lhs .. ' is not described')
        end
      end
    end,
  },
  {
    'the configuration that is shown is the default',
    function()
      local shown = text:match('\n(    vim%.g%.mewcode = {.-\n    })\n')
      assert(loadstring(shown))()
      local described = vim.g.mewcode
      vim.g.mewcode = nil
      equal(require('mewcode.config').get(), described)
    end,
  },
  {
    'no key of the example is taken by Neovim, or by one of its file types',
    function()
      local keys = {}
      for key in text:gmatch("map%(.-, '([^']+)', '<Plug>") do
        keys[#keys + 1] = key
        equal(vim.fn.maparg(key, 'n'), '', key)
      end
      equal(#keys > 5, true)
      for _, file in ipairs(vim.fn.globpath(vim.env.VIMRUNTIME, 'ftplugin/**/*.*', true, true)) do
        for line in harness.read(file):gmatch('[^\n]*map[^\n]*') do
          for _, key in ipairs(keys) do
            local taken = line:find('[%s\'"]' .. vim.pesc(key) .. '[%s\'"]')
            assert(not taken, ('%s takes %s'):format(vim.fs.basename(file), key))
          end
        end
      end
    end,
  },
  {
    'every highlight group is described with its link',
    function()
      require('mewcode.highlight').define()
      for name, group in pairs(vim.api.nvim_get_hl(0, {})) do
        if vim.startswith(name, 'Mew') then
          harness.contains(text:gsub('%s+', ' '), ('*hl-%s* %s '):format(name, group.link))
        end
      end
    end,
  },
  {
    'links lead somewhere, and Neovim takes the page',
    function()
      local known = tags()
      local neovim = harness.read(vim.env.VIMRUNTIME .. '/doc/tags')
      for link in text:gmatch('|([^%s|]+)|') do
        local there = known[link] or neovim:find('\n' .. link .. '\t', 1, true)
        assert(there, 'the link ' .. link .. ' leads nowhere')
      end
      local copy = harness.file('doc/mewcode.txt', text)
      vim.cmd.helptags(vim.fs.dirname(copy))
      for line in text:gmatch('[^\n]+') do
        local concealed = line:gsub('[*|`]', ''):gsub(' >%l+$', '')
        assert(vim.fn.strdisplaywidth(concealed) <= 80, 'too long: ' .. line)
      end
    end,
  },
}
