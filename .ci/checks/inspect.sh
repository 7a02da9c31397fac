#!/usr/bin/env bash
# The inspector's page: it compiles without a warning, its tests pass, the page that the server carries is the one that
# its sources make; in a headless Chromium every view in light and dark at three widths, by keys, with bad input, and
# axe finds nothing.
#
# Needs Chromium, npm and node as browser.sh.
# SCREENSHOTS=FOLDER keeps pictures of the page.
set -euo pipefail
cd "$(dirname "$0")/../.."
source .ci/lib/check.sh
source .ci/lib/typescript.sh

find_chromium
find_node
find_contexture
copy_clients
build_package "$inspector"
test_package "$inspector"
export TMPDIR=$work HOME=$work/home
mkdir -p "$HOME"

timeout 600 node "$inspector/tests/browser/check.mjs" 2>"$work/browser.log" || fail "the page, over made-up records"

# The same over runs that are made here: those of docs/inspect.md, one with hostile and long texts, and one of many events.
project=$work/project
mkdir -p "$project"
document=$PWD/docs/inspect.md
examples=$PWD/examples
cd "$project"

# shown FILE: a file as the document writes it.
shown() { awk -v first="\$ cat > $1 <<'END'" '$0 == first { on = 1; next } on && $0 == "END" { exit } on' "$document" >"$1"; }

# made COMMAND…: runs a program and sets `made` to the id of its run.
made() {
  "$contexture" run "$@" --quiet >>"$work/runs.log" 2>&1 || true
  made=$("$contexture" trace list --json --limit 1 | node -p 'JSON.parse(require("fs").readFileSync(0)).runs[0].run')
}

for name in policy.md history.md support.as; do shown "$name"; done
question='{"question":"How long does an order to an island take?"}'
made support.as --input "$question"
left=$made
sed -i -e 's/max 60/max 400/' -e 's/max_input: 200/max_input: 600/' support.as
made support.as --input "$question"
right=$made

node -e 'process.stdout.write("<script>document.title = \"hacked\"</script>\u202Etext\u202C ".repeat(2000))' >odd.txt
cat >odd.as <<'AS'
import tool File from "file://workspace"

main func(input) {
  text = File.read({ path: "odd.txt" })
  use text max 400k as odd
  generate({ input: "Summarise it." }) -> { summary string }
}
AS
made odd.as --mock
odd=$made

cat >many.as <<'AS'
import tool File from "file://workspace"

main func(input) {
  for number in range(3000) max 3000 {
    File.read({ path: "policy.md" })
  }
  "done"
}
AS
made many.as
many=$made

cat >rules.md <<'MD'
# 发货规定

中午之前付款的订单当天发货。
易碎商品在下一个工作日用单独的箱子发货。
寄往岛屿需要多两天，因为渡轮夜间不开。
MD
cat >han.as <<'AS'
import tool File from "file://workspace"

main func(input) {
  rules = File.read({ path: "rules.md" })
  use input.question as "客户问题 🙂"
  use rules max 60 as 规定
  use input.family as 家人
  generate({ input: "用中文回答。🙂" }) -> { answer string }
}
AS
made han.as --mock --input '{"question":"订单 A-1042 🙂🙂 什么时候发货？𠮷野家","family":"👩‍👩‍👧 é ☂️"}'
han=$made
cat >asks.as <<'AS'
import tool File from "file://workspace"

main func(input) {
  use input.account as account
  use input.question as question
  generate({ input: "Answer the question.", tools: [File.read], max_input: 400 }) -> { answer string }
}
AS
cat >turns.jsonl <<'JSON'
{"tool_calls":[{"name":"File_read","arguments":{"path":"policy.md"}}]}
{"json":{"answer":"Two days more."}}
JSON
made asks.as --mock=turns.jsonl --input '{"account":{"user":"ann","password":"open sesame"},"question":"How long does it take?"}'
asks=$made
"$contexture" context import "$examples/serve/conversation.jsonl" --id ctx_1 >>"$work/runs.log" 2>&1 || fail "a context"
mkdir -p pages
cp rules.md pages/
"$contexture" knowledge add shipping --from pages >>"$work/runs.log" 2>&1 || fail "a pack"

port=$(free_port)
serve "$contexture" inspect --listen "127.0.0.1:$port" >"$work/inspect.out" 2>"$work/inspect.log"
ready "contexture inspect" connects "$port"
runs="{\"left\":\"$left\",\"right\":\"$right\",\"odd\":\"$odd\",\"many\":\"$many\",\"han\":\"$han\",\"asks\":\"$asks\",\"contexture\":\"$contexture\"}"
timeout 400 node "$inspector/tests/browser/check.mjs" "http://127.0.0.1:$port/" "$runs" 2>"$work/browser.log" \
  || fail "the page, with contexture inspect"
