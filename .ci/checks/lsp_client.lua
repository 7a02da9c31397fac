-- Neovim as the editor: it opens a program, waits for its faults, and asks where a name is declared.
local project = os.getenv("CONTEXTURE_LSP_PROJECT")

local function fail(reason)
  io.stderr:write("FAILED: " .. reason .. "\n")
  vim.cmd("cquit 1")
end

local function main()
  vim.cmd("edit " .. project .. "/main.as")
  local buffer = vim.api.nvim_get_current_buf()
  local id = vim.lsp.start_client({
    name = "contexture",
    cmd = { os.getenv("CONTEXTURE_BIN"), "lsp" },
    root_dir = project,
    get_language_id = function() return "agentscript" end,
  })
  vim.lsp.buf_attach_client(buffer, id)
  local client
  if not vim.wait(20000, function()
    client = vim.lsp.get_client_by_id(id)
    return client ~= nil and client.initialized == true
  end, 50) then
    return fail("the server does not answer")
  end
  vim.api.nvim_buf_set_lines(buffer, 6, 7, false, { '  "你好😀" + fuond' })
  local fault
  vim.wait(20000, function()
    for _, one in ipairs(vim.diagnostic.get(buffer)) do
      fault = one.code == "AS2001" and one or fault
    end
    return fault ~= nil
  end, 50)
  -- Neovim counts bytes: it was told units of UTF-16.
  if not fault or fault.lnum ~= 6 or fault.col ~= 17 then
    return fail("unexpected faults: " .. vim.inspect(vim.diagnostic.get(buffer)))
  end
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    position = { line = 0, character = 15 },
  }
  local answers = vim.lsp.buf_request_sync(buffer, "textDocument/definition", params, 20000)
  local found = answers and answers[id] and answers[id].result and answers[id].result[1]
  if not found or not found.uri:find("worker.as", 1, true) then
    return fail("no declaration: " .. vim.inspect(answers))
  end
  vim.cmd("qall!")
end

main()
