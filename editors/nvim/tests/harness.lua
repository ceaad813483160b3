-- What tests share: a fresh fake server, files, assertions, and a second Neovim for keys and screens.

local FakeServer = require('fake_server')

local M = {}

--- Milliseconds; on a busy machine nothing waits so long unless it is going to fail.
local PATIENCE = 30000

--- @type string[]
M.messages = {}

local plugin_folder --- @type string
local files_folder --- @type string
local children = {} --- @type integer[]

--- @param folder string
function M.set_up(folder)
  plugin_folder = folder
  vim.opt.runtimepath:prepend(folder)
  vim.o.swapfile = false
  vim.o.hidden = true
  vim.cmd('runtime plugin/mewcode.lua')
  vim.notify = function(message)
    M.messages[#M.messages + 1] = message
  end
  files_folder = vim.fn.tempname()
  vim.fn.mkdir(files_folder .. '/.git', 'p')
  files_folder = assert(vim.uv.fs_realpath(files_folder))
end

--- Ends what a test began. An error that Neovim only printed fails the test.
function M.reset()
  local printed = vim.api.nvim_exec2('messages', { output = true }).output
  for _, channel in ipairs(children) do
    vim.fn.jobstop(channel)
  end
  vim.fn.jobwait(children, PATIENCE)
  children = {}
  vim.lsp.enable('mewcode', false)
  vim.lsp.config._configs.mewcode = nil
  M.wait('clients to stop', function()
    return #vim.lsp.get_clients() == 0
  end)
  vim.cmd('silent! only | silent! %bwipeout! | filetype off')
  vim.cmd('silent! tabonly | cclose')
  vim.g.mewcode = nil
  M.messages = {}
  vim.cmd('messages clear')
  if ('\n' .. printed):find('\nE%d+: ') or printed:find('Error') then
    error('Neovim printed an error: ' .. printed, 0)
  end
end

--- @param what string
--- @param condition fun(): any
function M.wait(what, condition)
  if not vim.wait(PATIENCE, condition, 5) then
    error('waited in vain for ' .. what, 2)
  end
end

--- @param actual any
--- @param expected any
--- @param what? string
function M.equal(actual, expected, what)
  if not vim.deep_equal(actual, expected) then
    local message = '%sexpected %s\n     got %s'
    local label = what and what .. ': ' or ''
    error(message:format(label, vim.inspect(expected), vim.inspect(actual)), 2)
  end
end

--- @param text string
--- @param part string
function M.contains(text, part)
  if not tostring(text):find(part, 1, true) then
    error(('%s does not contain %s'):format(vim.inspect(text), vim.inspect(part)), 2)
  end
end

--- @param options? table for FakeServer.new; `config` goes to vim.lsp.config
--- @return mewcode.FakeServer
function M.serve(options)
  local server = FakeServer.new(options)
  local config = vim.tbl_extend('force', { cmd = server:command() }, (options or {}).config or {})
  vim.lsp.config('mewcode', config)
  vim.lsp.enable('mewcode')
  return server
end

--- @param name string
--- @param bytes? string nothing is written when absent
--- @return string path
function M.file(name, bytes)
  local path = files_folder .. '/' .. name
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  if bytes then
    M.write(path, bytes)
  else
    vim.uv.fs_unlink(path)
  end
  return path
end

--- @param path string
--- @param bytes string
function M.write(path, bytes)
  local handle = assert(io.open(path, 'wb'))
  handle:write(bytes)
  handle:close()
end

--- @param path string
--- @return string bytes
function M.read(path)
  local handle = assert(io.open(path, 'rb'))
  local bytes = handle:read('*a')
  handle:close()
  return bytes
end

--- Opens a file and waits until the server knows it.
--- @param server mewcode.FakeServer
--- @param name string
--- @param bytes? string
--- @return integer bufnr
--- @return string uri
function M.open(server, name, bytes)
  local path = M.file(name, bytes)
  vim.cmd.edit(vim.fn.fnameescape(path))
  local bufnr = vim.api.nvim_get_current_buf()
  local uri = vim.uri_from_bufnr(bufnr)
  M.wait('didOpen of ' .. name, function()
    return server.documents[uri]
  end)
  return bufnr, uri
end

--- @param bufnr integer
--- @return string[]
function M.lines(bufnr)
  return vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
end

--- @param first [integer, integer]
--- @param last [integer, integer]
--- @param text string
--- @return lsp.TextEdit
function M.edit(first, last, text)
  return {
    range = {
      start = { line = first[1], character = first[2] },
      ['end'] = { line = last[1], character = last[2] },
    },
    newText = text,
  }
end

--- The parameters of an edit of one document as the server knows it.
--- @param server mewcode.FakeServer
--- @param uri string
--- @param edits lsp.TextEdit[]
--- @return mewcode.DocumentEdit
function M.document(server, uri, edits)
  local version = server.documents[uri].version
  return { uri = uri, version = version, sha256 = server:hash(uri), edits = edits }
end

--- @param server mewcode.FakeServer
--- @param uri string
--- @param edits lsp.TextEdit[]
--- @return mewcode.ApplyEditResult
function M.apply(server, uri, edits)
  return server:call('mewcode/applyEdit', { documents = { M.document(server, uri, edits) } })
end

--- @param fields table
--- @return mewcode.Hunk
function M.hunk(fields)
  return vim.tbl_extend('force', {
    id = 'h1',
    proposal = 'p1',
    session = 's1',
    call = 'c1',
    tool = 'edit_file',
    reason = 'because',
    review = fields.state == 'applied' and 'after' or 'before',
    state = 'proposed',
    oldLines = {},
    newLines = {},
    added = #(fields.newLines or {}),
    removed = #(fields.oldLines or {}),
  }, fields)
end

--- A second Neovim, in which keys are typed and the screen is looked at. It has this harness as `harness`.
--- @class mewcode.Child
--- @field lua fun(code: string, ...): any
--- @field start fun(code: string, ...) waits for nothing
--- @field input fun(keys: string)
--- @field mode fun(): string
--- @param options? { screen?: boolean } with `screen` it is attached to one, and its messages are Neovim's own
--- @return mewcode.Child
function M.child(options)
  local command = { vim.v.progpath, '--embed', '--headless', '--clean', '-u', 'NONE', '-n' }
  options = options or {}
  local channel = vim.fn.jobstart(command, { rpc = true })
  children[#children + 1] = channel
  local child = {}
  function child.lua(code, ...)
    return vim.rpcrequest(channel, 'nvim_exec_lua', code, { ... })
  end
  function child.start(code, ...)
    vim.rpcnotify(channel, 'nvim_exec_lua', code, { ... })
  end
  function child.input(keys)
    vim.rpcrequest(channel, 'nvim_input', keys)
  end
  function child.mode()
    return vim.rpcrequest(channel, 'nvim_get_mode').mode
  end
  child.lua(
    [[
      local folder, own_messages = ...
      local notify = vim.notify
      package.path = folder .. '/tests/?.lua;' .. package.path
      vim.o.lines, vim.o.columns = 20, 60
      harness = require('harness')
      harness.set_up(folder)
      vim.notify = own_messages and notify or vim.notify
    ]],
    plugin_folder,
    options.screen
  )
  if options.screen then
    vim.rpcrequest(channel, 'nvim_ui_attach', 60, 20, vim.empty_dict())
  end
  return child
end

return M
