#!/usr/bin/env bash
# The commands of Agent Knowledge's reference CLI, side by side with ours: the same arguments, the same exit codes
# (MA-6). It needs node and the network, or AGENTKNOWLEDGE_REF, the folder of a copy of the reference.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=.ci/lib/check.sh
. .ci/lib/check.sh

# The reference at its release 0.4.0; it has no dependencies.
repository=https://github.com/limecloud/agentknowledge
commit=64913c6cc3d82facc5bba8850337f6da3245def0
reference=${AGENTKNOWLEDGE_REF:-$cache/agentknowledge-$commit}
if [ ! -f "$reference/bin/agentknowledge-ref.mjs" ]; then
  mkdir -p "$reference"
  git -C "$reference" init -q
  if ! timeout 60 git -C "$reference" fetch -q --depth 1 "$repository" "$commit" 2>/dev/null; then
    echo "skipped: $repository can't be reached; AGENTKNOWLEDGE_REF names a copy"
    exit 0
  fi
  git -C "$reference" checkout -q "$commit"
fi
find_contexture

cd "$work"
# pack NAME FIELDS: a pack with a page and a suite of selection evals.
pack() {
  mkdir -p "$1/compiled" "$1/evals"
  printf -- '---\nname: %s\n%b---\n\n# Guide\n' "$1" "$2" >"$1/KNOWLEDGE.md"
  printf '# Price\n\nThe widget costs 12 euros.\n' >"$1/compiled/briefing.md"
}
good='description: Prices of the Acme widget.\ntype: brand-product\nstatus: ready\ntrust: official\nprofile: wiki-first\n'
pack acme "$good"
pack undescribed 'type: brand-product\nstatus: ready\n'
pack mapped "$good"
mkdir -p mapped/indexes empty loose
echo '{"claims": [{"claim_id": "c1", "text": "It costs 12 euros.", "status": "confirmed", "source": {"path": "sources/none.md"}}]}' \
  >mapped/indexes/source-map.json
cases() { printf '{"pack_name": "acme", "cases": [{"id": "a", "prompt": "%s", "expected": "%s"}]}' "$1" "$2"; }
cases 'What are the prices of the Acme widget?' select >acme/evals/good.json
cases 'What are the prices of the Acme widget?' reject >acme/evals/bad.json
echo '{"cases": 7}' >loose/broken.json
echo '{' >loose/torn.json
echo '{}' >loose/empty.json

# same WANTED COMMAND…: both end with that exit code.
same() {
  local wanted=$1 theirs=0 ours=0
  shift
  node "$reference/bin/agentknowledge-ref.mjs" "$@" >theirs.txt 2>&1 || theirs=$?
  "$contexture" knowledge "$@" >ours.txt 2>&1 || ours=$?
  [ "$theirs" = "$wanted" ] || fail "the reference ends with $theirs, not $wanted: $* ($(tail -n 3 theirs.txt))"
  [ "$ours" = "$wanted" ] || fail "contexture ends with $ours, not $wanted: $* ($(tail -n 3 ours.txt))"
  ok "exit code $wanted: $*"
}

same 0 validate ./acme
same 1 validate ./undescribed
same 1 validate ./mapped
same 1 validate ./empty
same 1 validate ./none
same 0 read-properties ./acme
same 2 read-properties ./empty
same 0 to-catalog ./acme
same 2 to-catalog ./none
same 0 resolve-context ./acme --query 'What does the widget cost?'
same 0 resolve-context ./acme --query 'What does the widget cost?' --dry-run
same 2 resolve-context ./empty --query 'What does the widget cost?'
same 0 eval ./acme --suite evals/good.json
same 1 eval ./acme --suite evals/bad.json
same 1 eval ./acme --suite ../loose/broken.json
same 2 eval ./acme --suite evals/none.json
same 0 validate-run ./acme/evals/good.json
same 1 validate-run ./loose/empty.json
same 2 validate-run ./loose/torn.json
same 2 validate-run ./loose/none.json
