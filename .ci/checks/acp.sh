#!/usr/bin/env bash
# `contexture acp` against an editor that isn't ours: the client of the official Python SDK of the Agent Client
# Protocol, which checks every message by the schema of the protocol.
#
# Needs Python 3.10 with venv (Debian's package is installed when it is missing and we are root). What is
# installed is kept in CONTEXTURE_CI_CACHE (default: ~/.cache/contexture-ci).
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh

sdk=0.12.1

venv=$cache/acp-python-$sdk
make_venv "$venv" "agent-client-protocol==$sdk"
find_contexture

export HOME=$work/home
mkdir -p "$HOME" "$work/project"
printf 'The server listens on port 7878.\n' >"$work/project/notes.md"
printf 'answer.txt' >"$work/project/where.txt"
cat >"$work/project/ask.as" <<'AS'
import tool File from "file://workspace"
main agent Ask {
  main func(input { text string, attachments list }) {
    notes = File.read({ path: "notes.md" })
    if input.text == "write" {
      File.write({ path: File.read({ path: "where.txt" }), content: "written" })
      return "done"
    }
    use notes
    use input.attachments
    generate({ input: input.text })
  }
}
AS
timeout 120 "$venv/bin/python" .ci/checks/acp_client.py "$contexture" "$work/project" 2>"$work/acp.log" \
  || fail "the client of the SDK"
ok "an editor with the Python SDK $sdk"
