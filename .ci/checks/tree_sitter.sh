#!/usr/bin/env bash
# The tree-sitter grammar of the language: it is generated, its tests pass, its queries are valid, and it accepts
# and refuses the same programs as the language's own parser (TY-11).
#
# Needs a C compiler and Python. The command line of tree-sitter is installed from crates.io into a folder that is kept.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh
. .ci/lib/typescript.sh

find_node
. editors/tree-sitter-agentscript/version.sh
tools=$cache/tree-sitter-$tree_sitter_version
tree_sitter=$tools/bin/tree-sitter
# As with mdbook, a debug build takes half the time.
[ -x "$tree_sitter" ] || CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR=$work/target fetch tree-sitter 1200 \
  cargo install tree-sitter-cli --version "$tree_sitter_version" --locked --no-default-features --debug --root "$tools"
ok "$("$tree_sitter" --version)"
find_contexture

# Built in a copy, so that the repository stays as it is.
grammar=$work/grammar
cp -r editors/tree-sitter-agentscript "$grammar"
mkdir "$work/programs" "$work/home"
export HOME=$work/home XDG_CONFIG_HOME=$work/home XDG_CACHE_HOME=$work/home
TREE_SITTER=$tree_sitter timeout 300 bash "$grammar/build.sh" >"$work/build.log" 2>&1 || fail "the grammar can't be built"
[ -s "$grammar/agentscript.so" ] || fail "build.sh writes no library"
ok "the grammar is built"
(cd "$grammar" && timeout 120 "$tree_sitter" test) >"$work/test.log" 2>&1 || fail "tests of the grammar"
ok "tests of the grammar: $(grep -c '✓' "$work/test.log")"
tour=$PWD/crates/script/tests/specimens/syntax/tour.as
for query in "$grammar"/queries/*.scm; do
  (cd "$grammar" && timeout 60 "$tree_sitter" query "$query" "$tour") >"$work/query.out" 2>"$work/query.log" || fail "$query"
  grep -q pattern "$work/query.out" || fail "$query finds nothing"
done
ok "the queries are valid"
timeout 600 python3 .ci/checks/tree_sitter.py "$contexture" "$tree_sitter" "$grammar" "$work/programs" || fail "the parsers differ"
ok "both parsers accept and refuse the same programs"
