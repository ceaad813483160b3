-- The main job in a real Neovim: prompt, inline diff (with the plugin) or hints (without), accept by a code action,
-- one undo step, saved where something can save.

local harness = require('harness')

local OLD = '    print("hi " + name)'
local NEW = '    print("Good day, " + name)'

--- All virtual lines in a buffer that MewCode draws.
--- @param bufnr integer
--- @return string[]
local function virtual_lines(bufnr)
  local found = {}
  for name, namespace in pairs(vim.api.nvim_get_namespaces()) do
    if name:find('mewcode', 1, true) then
      for _, mark in
        ipairs(vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, { details = true }))
      do
        for _, line in ipairs(mark[4].virt_lines or {}) do
          local text = vim.iter(line):fold('', function(all, chunk)
            return all .. chunk[1]
          end)
          found[#found + 1] = text
        end
      end
    end
  end
  return found
end

harness.run(function()
  local client, bufnr = harness.open('greet.py')
  local before = harness.logical(bufnr)
  harness.prompt(client, bufnr, 'make greet polite')

  local hints = harness.await('the hint', function()
    local found = vim.diagnostic.get(bufnr)
    return #found == 1 and found
  end)
  harness.equal(hints[1].lnum, 1)
  harness.equal(hints[1].severity, vim.diagnostic.severity.HINT)
  harness.equal(harness.logical(bufnr), before, 'a proposal changes nothing')
  if harness.plugin then
    harness.await('the inline diff', function()
      return vim.iter(virtual_lines(bufnr)):any(function(line)
        return line:find('Good day', 1, true)
      end)
    end)
  end

  local lenses = harness.request(client, bufnr, 'textDocument/codeLens', {
    textDocument = { uri = vim.uri_from_bufnr(bufnr) },
  })
  harness.equal(#lenses >= 3, true, 'lenses')

  local sequence = vim.fn.undotree(bufnr).seq_last
  vim.api.nvim_win_set_cursor(0, { 2, 0 })
  vim.lsp.buf.code_action({
    context = { only = { 'mewcode.review.accept' }, diagnostics = {} },
    filter = function(action)
      return action.title:lower():find('this hunk', 1, true) ~= nil
    end,
    apply = true,
  })
  harness.await('the end of the run', function()
    return harness.event('run_ended')
  end)
  harness.equal(harness.event('run_ended').outcome, 'done', vim.inspect(harness.event('run_ended')))

  local expected = before:gsub(vim.pesc(OLD), (NEW:gsub('%%', '%%%%')))
  harness.equal(harness.logical(bufnr), expected)
  harness.equal(vim.bo[bufnr].modified, not harness.plugin)
  harness.equal(harness.disk('greet.py'), harness.plugin and expected or before)
  harness.check_hash(client, bufnr)
  harness.await('the hint to go', function()
    return #vim.diagnostic.get(bufnr) == 0
  end)
  harness.await('the diff to go', function()
    return #virtual_lines(bufnr) == 0
  end)

  harness.equal(vim.fn.undotree(bufnr).seq_last, sequence + 1, 'one undo step')
  vim.cmd('silent undo')
  harness.equal(harness.logical(bufnr), before)
  harness.check_hash(client, bufnr)
end)
