-- What the tests in a real Neovim share: the server with or without the plugin, waiting inside a coroutine
-- while Neovim's own loop runs on (keys are typed, timers fire), and the end of the process with its verdict.

local M = {}

local PATIENCE_MILLISECONDS = 30000
local environment = vim.env

--- Where the test's files are; also the current directory.
M.root = environment.MEWCODE_TEST_ROOT
--- Is the plugin in use?
M.plugin = (environment.MEWCODE_TEST_PLUGIN or '') ~= ''

--- Events of the agent, in order.
M.events = {} --- @type table[]
--- Edit requests of the server so far.
M.applies = 0
--- Called with each edit request.
--- @type fun(params: table)
M.on_apply = function() end
--- Called with each event of the agent.
--- @type fun(event: table)
M.on_event = function() end

--- @param file string
--- @return string
function M.disk(file)
  local handle = assert(io.open(M.root .. '/' .. file, 'rb'))
  local bytes = handle:read('*a')
  handle:close()
  return bytes
end

--- Waits without stopping Neovim's loop. To be called inside `M.run`.
--- @param what string
--- @param condition fun(): any
--- @param milliseconds? integer
--- @return any answer of the condition
function M.await(what, condition, milliseconds)
  local co = assert(coroutine.running())
  local answer = condition()
  if answer then
    return answer
  end
  local timer = assert(vim.uv.new_timer())
  local give_up = vim.uv.now() + (milliseconds or PATIENCE_MILLISECONDS)
  timer:start(
    1,
    2,
    vim.schedule_wrap(function()
      if timer:is_closing() then
        return
      end
      local ok, result = pcall(condition)
      if ok and not result and vim.uv.now() < give_up then
        return
      end
      timer:close()
      answer = ok and result or nil
      M.resume(co, ok and (answer and '' or 'waited in vain for ' .. what) or tostring(result))
    end)
  )
  local problem = coroutine.yield()
  if problem ~= '' then
    error(problem, 2)
  end
  return answer
end

--- Lets Neovim's loop run for a time.
--- @param milliseconds integer
function M.pause(milliseconds)
  local co = assert(coroutine.running())
  vim.defer_fn(function()
    M.resume(co, '')
  end, milliseconds)
  coroutine.yield()
end

--- @param verdict integer
--- @param words string
local function finish(verdict, words)
  io.stdout:write(words .. '\n')
  io.stdout:flush()
  if verdict ~= 0 then
    vim.cmd('cquit ' .. verdict)
  end
  -- The server ends with Neovim; its clean end is judged by the tests without an editor.
  vim.cmd('qall!')
end

--- @param co thread
--- @param ... any
function M.resume(co, ...)
  local ok, problem = coroutine.resume(co, ...)
  if not ok then
    local messages = vim.trim(vim.fn.execute('messages'))
    local trace = debug.traceback(co, tostring(problem))
    local log = vim.fn.filereadable(vim.lsp.log.get_filename()) == 1
        and table.concat(vim.fn.readfile(vim.lsp.log.get_filename(), '', -40), '\n')
      or ''
    finish(1, ('FAILED %s\nmessages: %s\nlog: %s'):format(trace, messages, log))
  elseif coroutine.status(co) == 'dead' then
    local printed = vim.v.errmsg
    finish(printed == '' and 0 or 1, printed == '' and 'ok' or 'FAILED Neovim printed: ' .. printed)
  end
end

--- Runs a test as soon as Neovim has started, and ends Neovim with it.
--- @param test fun()
function M.run(test)
  vim.v.errmsg = ''
  local co = coroutine.create(test)
  vim.schedule(function()
    M.resume(co)
  end)
end

--- @param actual any
--- @param expected any
--- @param what? string
function M.equal(actual, expected, what)
  if not vim.deep_equal(actual, expected) then
    local label = what and what .. ': ' or ''
    error(('%sexpected %s\n got %s'):format(label, vim.inspect(expected), vim.inspect(actual)), 2)
  end
end

--- @return table
local function options()
  return {
    provider = 'scripted',
    script = environment.MEWCODE_TEST_SCRIPT,
    mode = environment.MEWCODE_TEST_MODE,
    max_turns = 1000,
  }
end

--- Puts the test's own ear before a handler, which is called all the same.
--- @param client vim.lsp.Client
--- @param method string
--- @param ear fun(params: table)
local function listen(client, method, ear)
  local before = client.handlers[method] or vim.lsp.handlers[method]
  client.handlers[method] = function(err, params, context, config)
    ear(params)
    if before then
      return before(err, params, context, config)
    end
    return nil
  end
end

--- Hears the events and the edit requests of a server.
--- @param client vim.lsp.Client
function M.listen_to(client)
  listen(client, 'mewcode/event', function(params)
    M.events[#M.events + 1] = params.event
    M.on_event(params.event)
  end)
  for _, method in ipairs({ 'mewcode/applyEdit', 'workspace/applyEdit' }) do
    listen(client, method, function(params)
      M.applies = M.applies + 1
      M.on_apply(params)
    end)
  end
end

--- Opens a file with a server of its own attached to it: the plugin's, or one by `vim.lsp.start` with the default
--- handlers (and an ear for events).
--- @param file string
--- @return vim.lsp.Client
--- @return integer bufnr
function M.open(file)
  vim.o.swapfile = false
  vim.o.hidden = true
  local command = { environment.MEWCODE_TEST_BINARY }
  if M.plugin then
    vim.opt.runtimepath:prepend(environment.MEWCODE_TEST_PLUGIN)
    vim.cmd('runtime plugin/mewcode.lua')
    vim.lsp.config('mewcode', { cmd = command, init_options = options() })
    vim.lsp.enable('mewcode')
  end
  vim.cmd.edit(file)
  local bufnr = vim.api.nvim_get_current_buf()
  if not M.plugin then
    local capabilities = vim.lsp.protocol.make_client_capabilities()
    capabilities.experimental = { mewcode = { event = true } }
    vim.lsp.start({
      name = 'mewcode',
      cmd = command,
      root_dir = M.root,
      init_options = options(),
      capabilities = capabilities,
    }, { bufnr = bufnr })
  end
  local client = M.await('the server', function()
    local client = vim.lsp.get_clients({ bufnr = bufnr, name = 'mewcode' })[1]
    return client and client.initialized and client
  end)
  M.listen_to(client)
  return client, bufnr
end

--- The process of the server, which is the only child of this Neovim.
--- @return integer
function M.child()
  local children = vim.api.nvim_get_proc_children(vim.fn.getpid())
  M.equal(#children, 1, 'one child')
  return children[1]
end

--- The first event of a kind.
--- @param kind string
--- @return table?
function M.event(kind)
  return vim.iter(M.events):find(function(event)
    return event.kind == kind
  end)
end

--- Sends a request and waits for its result.
--- @param client vim.lsp.Client
--- @param bufnr integer
--- @param method string
--- @param params table
--- @return any
function M.request(client, bufnr, method, params)
  local answer
  client:request(method, params, function(err, result)
    answer = { err = err, result = result }
  end, bufnr)
  M.await('the response to ' .. method, function()
    return answer
  end)
  if answer.err then
    error(method .. ': ' .. vim.inspect(answer.err), 2)
  end
  return answer.result
end

--- Prompts the agent, as a user does.
--- @param client vim.lsp.Client
--- @param bufnr integer
--- @param text string
function M.prompt(client, bufnr, text)
  if M.plugin then
    vim.cmd('Mew ' .. text)
  else
    M.request(client, bufnr, 'workspace/executeCommand', {
      command = 'mewcode.prompt',
      arguments = { { text = text } },
    })
  end
end

--- The logical text of a buffer, by its definition.
--- @param bufnr integer
--- @return string
function M.logical(bufnr)
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), '\n') .. '\n'
  if vim.bo[bufnr].fileformat ~= 'dos' then
    text = text:gsub('\r\n', '\n')
  end
  return text
end

--- Has the server the text of the buffer? Asked in the order of the changes, so it holds at any moment.
--- @param client vim.lsp.Client
--- @param bufnr integer
function M.check_hash(client, bufnr)
  local params = {
    uri = vim.uri_from_bufnr(bufnr),
    version = vim.lsp.util.buf_versions[bufnr],
    sha256 = vim.fn.sha256(M.logical(bufnr)),
  }
  local answer = M.request(client, bufnr, 'mewcode/checksum', params)
  M.equal(answer.match, true, 'server and buffer are hash-equal')
end

return M
