#!/usr/bin/env bash
# The programs of docs/serve.md do what the page says: the client in Node, and a page in a headless Chromium
# whose tool an agent calls (CP-16).
#
# Needs npm and node as typescript_client.sh, and Chromium as browser.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh
. .ci/lib/typescript.sh

find_chromium
find_node
copy_clients
build_package "$client"
find_contexture
tutorial=$PWD/.ci/checks/serve_docs.mjs
document=$PWD/docs/serve.md
export TMPDIR=$work HOME=$work/home
mkdir -p "$HOME" "$work/project"
cd "$work/project"
cp -r "$client/dist" client
node "$tutorial" write "$document" . || fail "the blocks can't be taken out of the page"
# The page's console block has the agent.
sed -n "/^\$ cat > faq.md <<'END'/,/^\$ contexture serve/p" "$document" | sed '/^\$ contexture serve/,$d; s/^\$ //' >write.sh
sh write.sh

port=$(free_port)
serve "$contexture" serve app.as --listen "127.0.0.1:$port" >"$work/app.out" 2>"$work/app.log"
ready "the agent of the page" connects "$port"
timeout 60 node talk.mjs "http://127.0.0.1:$port" >said.txt || { cat said.txt >&2; fail "talk.mjs"; }
said said.txt "We deliver in two days within Europe." "the first turn is answered"
said said.txt "A parcel can be sent back within 30 days." "the second turn is answered"
stop_server "$server" INT

port=$(free_port)
pages=$(free_port)
printf '[serve]\norigins = ["http://127.0.0.1:%s"]\n' "$pages" >contexture.toml
serve "$contexture" serve marker.as --listen "127.0.0.1:$port" >"$work/marker.out" 2>"$work/marker.log"
ready "the agent that calls the page" connects "$port"
timeout 120 node "$tutorial" page "$client/tests/browser/chrome.mjs" . "http://127.0.0.1:$port" "$pages" || fail "page.html"
ok "the agent marks a part of the page"
