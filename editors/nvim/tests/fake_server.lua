-- A language server in this process: keeps the documents that Neovim tells it of as a plain server would, records
-- what it is sent, and lets a test call the client. Messages pass through JSON, as on the wire.

--- @class mewcode.FakeServer
--- @field encoding string
--- @field documents table<string, { text: string, version: integer }>
--- @field received { method: string, params: any }[] in wire order, answers to our calls included
--- @field answers table<string, fun(params: any): any, any> to requests of the client: result, error
--- @field private dispatchers vim.lsp.rpc.Dispatchers
--- @field private closing boolean
local FakeServer = {}
FakeServer.__index = FakeServer

--- @param value any
--- @return any
local function wire(value)
  if value == nil then
    return nil
  end
  return vim.json.decode(vim.json.encode(value), { luanil = { object = true } })
end

--- @param text string
--- @param position lsp.Position
--- @param encoding string
--- @return integer 0-based offset
local function offset_of(text, position, encoding)
  local start = 1
  for _ = 1, position.line do
    local stop = text:find('\n', start, true)
    if not stop then
      return #text
    end
    start = stop + 1
  end
  local line = text:sub(start):match('^[^\n]*')
  return start - 1 + vim.str_byteindex(line, encoding, position.character, false)
end

--- @param options? { encoding?: string, sync?: integer, capabilities?: table, plain?: boolean }
--- @return mewcode.FakeServer
function FakeServer.new(options)
  options = options or {}
  local self = setmetatable({}, FakeServer)
  self.encoding = options.encoding or 'utf-8'
  self.documents, self.received, self.closing = {}, {}, false
  local capabilities = vim.tbl_extend('force', {
    positionEncoding = self.encoding,
    textDocumentSync = { openClose = true, change = options.sync or 2, save = true },
    experimental = not options.plain and { mewcode = { version = 1 } } or nil,
  }, options.capabilities or {})
  self.answers = {
    initialize = function()
      return { capabilities = capabilities, serverInfo = { name = 'fake', version = '1' } }
    end,
    ['mewcode/checksum'] = function(params)
      local document = self.documents[params.uri]
      if params.text then
        self.documents[params.uri] = { text = params.text, version = params.version }
        return { match = true }
      end
      return { match = document ~= nil and self:hash(params.uri) == params.sha256 }
    end,
    ['mewcode/pending'] = function()
      return { hunks = {}, approvals = {} }
    end,
    ['workspace/executeCommand'] = function()
      return {}
    end,
  }
  return self
end

--- @param uri string
--- @return string
function FakeServer:logical(uri)
  local text = self.documents[uri].text:gsub('^\239\187\191', '')
  if text:sub(-1) ~= '\n' then
    text = text .. '\n'
  end
  return (text:gsub('\r\n', '\n'))
end

--- @param uri string
--- @return string
function FakeServer:hash(uri)
  return vim.fn.sha256(self:logical(uri))
end

--- @param method string
--- @param params any
function FakeServer:_track(method, params)
  if method == 'textDocument/didOpen' then
    local document = params.textDocument
    self.documents[document.uri] = { text = document.text, version = document.version }
  elseif method == 'textDocument/didClose' then
    self.documents[params.textDocument.uri] = nil
  elseif method == 'textDocument/didChange' then
    local document = assert(self.documents[params.textDocument.uri], 'a change of no document')
    for _, change in ipairs(params.contentChanges) do
      if change.range then
        local from = offset_of(document.text, change.range.start, self.encoding)
        local to = offset_of(document.text, change.range['end'], self.encoding)
        document.text = document.text:sub(1, from) .. change.text .. document.text:sub(to + 1)
      else
        document.text = change.text
      end
    end
    document.version = params.textDocument.version
  end
end

--- @return fun(dispatchers: vim.lsp.rpc.Dispatchers): vim.lsp.rpc.PublicClient
function FakeServer:command()
  return function(dispatchers)
    self.dispatchers = dispatchers
    local id = 0
    return {
      request = function(method, params, callback, on_reply)
        id = id + 1
        local own_id = id
        params = wire(params)
        self.received[#self.received + 1] = { method = method, params = params }
        local answer = self.answers[method]
        local result, err = nil, { code = -32601, message = 'no method ' .. method }
        if answer then
          result, err = answer(params)
        end
        vim.schedule(function()
          if on_reply then
            on_reply(own_id)
          end
          callback(wire(err), wire(result))
        end)
        return true, own_id
      end,
      notify = function(method, params)
        params = wire(params)
        self.received[#self.received + 1] = { method = method, params = params }
        self:_track(method, params)
        if method == 'exit' then
          self:_close()
        end
        return true
      end,
      is_closing = function()
        return self.closing
      end,
      terminate = function()
        self:_close()
      end,
    }
  end
end

function FakeServer:_close()
  if not self.closing then
    self.closing = true
    self.dispatchers.on_exit(0, 0)
  end
end

--- A request of the server. The answer is recorded too, so that a test can see what came before it.
--- @param method string
--- @param params any
--- @return any result
--- @return any err
function FakeServer:call(method, params)
  local result, err = self.dispatchers.server_request(method, wire(params))
  self.received[#self.received + 1] = { method = 'answer ' .. method, params = wire(result) }
  return wire(result), err
end

--- @param method string
--- @param params any
function FakeServer:notify(method, params)
  self.dispatchers.notification(method, wire(params))
end

--- @return string[]
function FakeServer:methods()
  return vim.tbl_map(function(message)
    return message.method
  end, self.received)
end

--- The parameters of the last message of a method.
--- @param method string
--- @return any
function FakeServer:last(method)
  for index = #self.received, 1, -1 do
    if self.received[index].method == method then
      return self.received[index].params
    end
  end
  return nil
end

--- The arguments of all commands sent with a name.
--- @param command string
--- @return any[]
function FakeServer:commands(command)
  local found = {}
  for _, message in ipairs(self.received) do
    if message.method == 'workspace/executeCommand' and message.params.command == command then
      found[#found + 1] = message.params.arguments[1]
    end
  end
  return found
end

return FakeServer
