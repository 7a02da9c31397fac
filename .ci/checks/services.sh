#!/usr/bin/env bash
# The example 9.1 of the protocol's source with four processes: a user, a model service, a tool service that is
# killed while it has the call and comes back, and the server (WA-6).
#
# Needs Python 3.9.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh

find_contexture
examples=$PWD/crates/protocol/tests/examples
script=$PWD/.ci/checks/services.py
export HOME=$work/home
mkdir -p "$HOME" "$work/project"
cd "$work/project"
cat >contexture.toml <<'TOML'
[serve]
require_token = true
model_service = "model_gpt4"
TOML
echo 'main func(text string) { text }' >app.as

# token NAME SENDER: a new token of the one owner.
token() { "$contexture" token add "$1" --owner shop --sender "$2" 2>/dev/null; }
user=$(token user USER)
model=$(token model MODEL)
tool=$(token tool TOOL)

port=$(free_port)
serve "$contexture" serve app.as --listen "127.0.0.1:$port" >"$work/serve.out" 2>"$work/serve.log"
ready "contexture serve" connects "$port"

# has LINE: whether a tool service wrote it.
has() { grep -qx "$1" "$work/calls" 2>/dev/null; }

serve python3 "$script" tool "$port" "$tool" "$work/calls" stuck >"$work/stuck.log" 2>&1
stuck=$server
ready "a tool service" has ready
serve python3 "$script" model "$port" "$model" "$examples" >"$work/model.log" 2>&1

timeout 60 python3 "$script" user "$port" "$user" "$examples" >"$work/by" 2>"$work/user.log" &
talk=$!
server=$stuck
ready "the call" has call
kill -9 "$stuck"
wait "$stuck" 2>/dev/null || true
: >"$work/calls"
serve python3 "$script" tool "$port" "$tool" "$work/calls" >"$work/tool.log" 2>&1
other=$server
wait "$talk" || { cat "$work/user.log" >&2; fail "the user's turn"; }
[ "$(cat "$work/by")" = "$other" ] || fail "the call was not answered by the process that came back"
ok "a call moved to the process that came back, and the turn was answered"
