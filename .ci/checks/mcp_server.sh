#!/usr/bin/env bash
# Tools of published MCP servers in programs: one over a process's pipes, one over streamable HTTP.
# What they say is accepted, called, refused when it changed, and timed out.
#
# Needs Node.js with npm (installed when it is missing and we are root). The servers are kept in
# CONTEXTURE_CI_CACHE (default: ~/.cache/contexture-ci).
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh

find_contexture

# -- the servers ------------------------------------------------------------------------------------------

version=2026.8.31
modules=$cache/mcp-servers-$version
npm_install "$modules" "@modelcontextprotocol/server-filesystem@$version" "@modelcontextprotocol/server-everything@$version"
bin=$modules/node_modules/.bin
ok "two published servers are installed"
# What is allowed here is remembered in this home alone.
export HOME=$work/home
mkdir "$HOME"

port=$(free_port)
PORT=$port serve "$bin/mcp-server-everything" streamableHttp >"$work/everything.log" 2>&1
ready "the server over HTTP" connects "$port"

mkdir "$work/project" "$work/project/notes" "$work/outside"
echo "The port is 7878." >"$work/project/notes/port.txt"
echo "not for you" >"$work/outside/secret.txt"
settings() {
  cat >"$work/project/contexture.toml" <<TOML
[mcp.servers.fs]
command = "$bin/mcp-server-filesystem"
args = ["."]
env = ["PATH"]
timeout_ms = ${1:-30000}

[mcp.servers.everything]
url = "http://127.0.0.1:$port/mcp"
timeout_ms = ${1:-30000}
TOML
}
settings
cd "$work/project"

# program FILE BODY: a program over both servers.
program() {
  {
    echo 'import tool Fs from "mcp://fs"'
    echo 'import tool Echo from "mcp://everything/echo"'
    echo 'import tool All from "mcp://everything"'
    printf 'main func(input) {\n%s\n}\n' "$2"
  } >"$1"
}
# gives FILE EXPRESSION WHAT: whether the program's value, as `v`, makes a JavaScript expression true.
gives() {
  "$contexture" run "$1" --quiet >value.json 2>said.txt || { cat said.txt >&2; fail "$3: the run failed"; }
  node -e 'const v = JSON.parse(require("fs").readFileSync("value.json", "utf8")); process.exit(eval(process.argv[1]) ? 0 : 1)' "$2" \
    || { cat value.json >&2; fail "$3: $2"; }
  ok "$3"
}
# refused CODE WHAT COMMAND…: whether a command fails and says a code.
refused() {
  code=$1 what=$2
  shift 2
  if "$@" >said.txt 2>&1; then cat said.txt >&2; fail "$what: it was done"; fi
  said said.txt "$code" "$what"
}

# -- accepting --------------------------------------------------------------------------------------------

program read.as '  Fs.read_text_file({ path: "notes/port.txt" })'
refused MCP1002 "a server that nobody accepted is refused by the check" "$contexture" check read.as
"$contexture" mcp-servers list fs everything >list.txt 2>&1 || { cat list.txt >&2; fail "the servers can't be listed"; }
grep -q 'new      read_text_file' list.txt && grep -q 'new      echo' list.txt \
  || { cat list.txt >&2; fail "the servers' tools are not listed as new"; }
for name in fs everything; do
  "$contexture" mcp-servers accept "$name" >accepted.txt 2>&1 || { cat accepted.txt >&2; fail "$name can't be accepted"; }
done
"$contexture" mcp-servers list >list.txt 2>&1 || { cat list.txt >&2; fail "accepted servers are not the same"; }
grep -Eq '^  (new|changed|gone)' list.txt && { cat list.txt >&2; fail "a tool differs from what was just accepted"; }
ok "both servers are accepted, and are the same when they are asked again"

# A home where nobody allowed anything: the lock came with the project.
mkdir "$work/nobody"
refused mcp_not_allowed "the lock of a project starts no program by itself" env HOME="$work/nobody" "$contexture" run read.as

# -- calling ----------------------------------------------------------------------------------------------

"$contexture" check read.as >said.txt 2>&1 || { cat said.txt >&2; fail "the check finds fault"; }
gives read.as '(v.content ?? v).includes("The port is 7878.")' "a file is read through a server's process"
program list.as '  Fs.list_directory({ path: "notes" })'
gives list.as '(v.content ?? v).includes("port.txt")' "a folder is listed"
program echo.as '  Echo.run({ message: "über HTTP" })'
gives echo.as '(v.content ?? v).includes("über HTTP")' "a tool is called over streamable HTTP"
program sum.as '  All.get_sum({ a: 2, b: 40 })'
gives sum.as 'JSON.stringify(v).includes("42")' "a tool whose name has a dash is called with an underscore"
program image.as '  All.get_tiny_image()'
gives image.as 'v.some(part => part.type === "image" && part.bytes > 0 && !("data" in part))' "an image is described, not dumped"
program outside.as '  try { Fs.read_text_file({ path: "../outside/secret.txt" }) } else err { err.code }'
gives outside.as 'v === "mcp_tool_failed"' "the failure of a tool can be caught"

program wrong.as '  Fs.read_text_file({ pth: "notes/port.txt" })'
refused AS6005 "an argument that the schema does not have is told by the check" "$contexture" check wrong.as
program misspelt.as '  Fs.raed_text_file({ path: "notes/port.txt" })'
refused 'read_text_file' "a misspelt tool gets a suggestion" "$contexture" check misspelt.as

# -- refusing ---------------------------------------------------------------------------------------------

cp contexture.lock good.lock
# edit REDO: gives the tool echo another description in the lock, with or without its right digest.
edit() {
  REDO=$1 node -e '
    const fs = require("fs"), crypto = require("crypto");
    const lock = JSON.parse(fs.readFileSync("good.lock", "utf8"));
    const pin = lock.servers.everything.find(tool => tool.name === "echo");
    pin.description = "Something else.";
    const sorted = v => Array.isArray(v) ? v.map(sorted) : v && typeof v === "object"
      ? Object.fromEntries(Object.keys(v).sort().map(k => [k, sorted(v[k])])) : v;
    const { digest, ...definition } = pin;
    if (process.env.REDO === "yes")
      pin.digest = "sha256:" + crypto.createHash("sha256").update(JSON.stringify(sorted(definition))).digest("hex");
    fs.writeFileSync("contexture.lock", JSON.stringify(lock));
  '
}
edit no
refused MCP1003 "a lock that was edited is refused" "$contexture" run echo.as
edit yes
"$contexture" check echo.as >said.txt 2>&1 || { cat said.txt >&2; fail "a sound lock is refused"; }
refused mcp_changed "a definition that is not what was accepted is refused" "$contexture" run echo.as
"$contexture" mcp-servers list everything >list.txt 2>&1 && fail "a changed definition is no reason to fail"
grep -q 'changed  echo' list.txt || { cat list.txt >&2; fail "the changed definition is not shown"; }
"$contexture" mcp-servers accept everything >accepted.txt 2>&1 || fail "it can't be accepted again"
grep -q -- '- Something else.' accepted.txt || { cat accepted.txt >&2; fail "the difference is not shown"; }
gives echo.as '(v.content ?? v).includes("über HTTP")' "what is accepted again works again"

# -- time -------------------------------------------------------------------------------------------------

program slow.as '  try { All.trigger_long_running_operation({ duration: 60, steps: 2 }) } else err { [err.code, err.message] }'
settings 3000
gives slow.as 'v[0] === "mcp_timeout" && v[1].includes("3000 ms")' "a call that takes too long ends"
gives echo.as '(v.content ?? v).includes("über HTTP")' "the server serves on"

stop_server "$server"
refused mcp_unreachable "a server that is gone is an error" "$contexture" run echo.as
if pgrep -f "$bin/mcp-server-filesystem" >/dev/null; then fail "a server's process was left behind"; fi
ok "no server's process is left behind"
