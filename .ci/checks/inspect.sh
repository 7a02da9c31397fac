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

timeout 400 node "$inspector/tests/browser/check.mjs" 2>"$work/browser.log" || fail "the page, over made-up records"

# The same over runs that are made here: those of docs/inspect.md, one with hostile and long texts, and one of many events.
project=$work/project
mkdir -p "$project"
document=$PWD/docs/inspect.md
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

port=$(free_port)
serve "$contexture" inspect --listen "127.0.0.1:$port" >"$work/inspect.out" 2>"$work/inspect.log"
ready "contexture inspect" connects "$port"
runs="{\"left\":\"$left\",\"right\":\"$right\",\"odd\":\"$odd\",\"many\":\"$many\",\"contexture\":\"$contexture\"}"
timeout 400 node "$inspector/tests/browser/check.mjs" "http://127.0.0.1:$port/" "$runs" 2>"$work/browser.log" \
  || fail "the page, with contexture inspect"
