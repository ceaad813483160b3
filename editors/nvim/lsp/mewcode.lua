-- The client configuration that `vim.lsp.enable('mewcode')` starts. Handlers are required when they
-- are first called, so that enabling costs nothing at start-up.

--- The nearest folder above the file that holds a marker; else the current directory.
--- @param bufnr integer
--- @return string
local function root(bufnr)
  local git = vim.fs.root(bufnr, '.git') or ''
  local own = vim.fs.root(bufnr, '.mewcode.yaml') or ''
  local nearest = #own > #git and own or git
  return nearest ~= '' and nearest or vim.fn.getcwd()
end

--- @param module string
--- @return lsp.Handler
local function lazy(module)
  return function(...)
    return require(module).handle(...)
  end
end

--- @type vim.lsp.Config
return {
  cmd = { 'mewcode', 'lsp' },
  -- No `filetypes`: every file is worth asking about.
  get_language_id = function(_, filetype)
    return filetype ~= '' and filetype or 'plaintext'
  end,
  root_dir = function(bufnr, on_dir)
    -- Buffers without a name, or of another plugin's scheme (fugitive://, oil://), are no files.
    local name = vim.api.nvim_buf_get_name(bufnr)
    if name ~= '' and not name:match('^%a[%w+.-]+://') then
      on_dir(root(bufnr))
    end
  end,
  capabilities = {
    experimental = {
      mewcode = {
        applyEdit = true,
        save = true,
        review = true,
        event = true,
        status = true,
        checksum = true,
        transcript = true,
        files = true,
        approvals = true,
        reload = true,
        query = true,
      },
    },
  },
  on_exit = function(code, signal, client_id)
    require('mewcode.life').ended(code, signal, client_id)
  end,
  -- A code action or lens of the server that the plugin does itself.
  commands = {
    ['mewcode.openTranscript'] = function(command, context)
      require('mewcode.commands').open_transcript(command, context)
    end,
    ['mewcode.approval.show'] = function(command, context)
      require('mewcode.commands').show_approval(command, context)
    end,
  },
  handlers = {
    ['mewcode/applyEdit'] = lazy('mewcode.apply'),
    ['mewcode/save'] = lazy('mewcode.save'),
    ['mewcode/query'] = lazy('mewcode.query'),
    ['mewcode/review'] = lazy('mewcode.review'),
    ['mewcode/event'] = lazy('mewcode.event'),
    ['mewcode/approval'] = lazy('mewcode.approvals'),
    ['mewcode/status'] = lazy('mewcode.status'),
    ['window/showDocument'] = lazy('mewcode.show'),
    ['window/showMessage'] = lazy('mewcode.message'),
  },
}
