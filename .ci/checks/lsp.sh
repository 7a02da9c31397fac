#!/usr/bin/env bash
# `contexture lsp` against clients that aren't ours: pytest-lsp, which checks every message by the specification,
# and Neovim without a screen.
#
# Needs Python 3.10 with venv, and Neovim (Debian's packages are installed when they are missing and we are root).
# What is installed is kept in CONTEXTURE_CI_CACHE (default: ~/.cache/contexture-ci).
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh

version=1.0.1

venv=$cache/pytest-lsp-$version
make_venv "$venv" "pytest-lsp==$version"
command -v nvim >/dev/null || apt neovim
find_contexture

export HOME=$work/home
mkdir -p "$HOME" "$work/project/lib"
cat >"$work/project/lib/worker.as" <<'AS'
/// Answers a question.
agent Worker {
  func run(question) { question }
}
AS
cat >"$work/project/main.as" <<'AS'
import agent Worker from "lib/worker.as"
import file NOTES from "notes.md"

main func(input { question string }) {
  use NOTES max 1k as notes
  found = generate({ input: input.question }) -> { answer string, sure boolean }
  Worker.run(found.answer) + "你好😀"
}
AS
printf 'The server listens on port 7878.\n' >"$work/project/notes.md"

CONTEXTURE_BIN=$contexture CONTEXTURE_LSP_PROJECT=$work/project PYTHONDONTWRITEBYTECODE=1 \
  timeout 120 "$venv/bin/python" -m pytest -q -p no:cacheprovider -W error::pytest_lsp.LspSpecificationWarning \
  .ci/checks/lsp_client.py >"$work/pytest.log" 2>&1 || fail "the client of pytest-lsp"
ok "an editor with pytest-lsp $version"

CONTEXTURE_BIN=$contexture CONTEXTURE_LSP_PROJECT=$work/project \
  timeout 60 nvim --headless --clean -n +'luafile .ci/checks/lsp_client.lua' >"$work/nvim.log" 2>&1 \
  || fail "Neovim"
ok "Neovim: $(nvim --version | head -n 1)"
