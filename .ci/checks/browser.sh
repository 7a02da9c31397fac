#!/usr/bin/env bash
# The demo page in a headless Chromium: the four kinds of front-end tools, permission given and refused, markup in
# messages that stays text, a cut connection. Once with the server of the client's tests, and once with
# `contexture serve` and an agent that uses the page's tools.
#
# Needs Chromium (Debian's is installed when there is none and we are root), npm and node as typescript_client.sh.
# SCREENSHOTS=FOLDER keeps pictures of the page.
set -euo pipefail
cd "$(dirname "$0")/../.."
source .ci/lib/check.sh
source .ci/lib/typescript.sh

find_chromium
find_node
copy_clients
build_package "$client"
find_contexture
export TMPDIR=$work HOME=$work/home
mkdir -p "$HOME" "$work/project"

timeout 180 node "$client/tests/browser/check.mjs" 2>"$work/browser.log" || fail "the page, with the server of the tests"

cp "$client/tests/browser/agent.as" "$work/project"
port=$(free_port)
serve "$contexture" serve "$work/project/agent.as" --root "$work/project" --listen "127.0.0.1:$port" \
  >"$work/serve.out" 2>"$work/serve.log"
ready "contexture serve" connects "$port"
timeout 180 node "$client/tests/browser/check.mjs" "http://127.0.0.1:$port/demo/" 2>"$work/browser.log" \
  || fail "the page, with contexture serve"
