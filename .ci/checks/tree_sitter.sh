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
mkdir "$work/editors"
cp -r editors/tree-sitter-agentscript editors/zed "$work/editors"
grammar=$work/editors/tree-sitter-agentscript
mkdir "$work/programs" "$work/home"
export HOME=$work/home XDG_CONFIG_HOME=$work/home XDG_CACHE_HOME=$work/home
TREE_SITTER=$tree_sitter timeout 300 bash "$grammar/build.sh" >"$work/build.log" 2>&1 || fail "the grammar can't be built"
[ -s "$grammar/agentscript.so" ] || fail "build.sh writes no library"
ok "the grammar is built"
(cd "$grammar" && timeout 120 "$tree_sitter" test) >"$work/test.log" 2>&1 || fail "tests of the grammar"
ok "tests of the grammar: $(grep -c '✓' "$work/test.log")"
tour=$PWD/crates/script/tests/specimens/syntax/tour.as
for query in "$grammar"/queries/*.scm "$PWD"/editors/zed/languages/agentscript/*.scm; do
  (cd "$grammar" && timeout 60 "$tree_sitter" query "$query" "$tour") >"$work/query.out" 2>"$work/query.log" || fail "$query"
  grep -q pattern "$work/query.out" || fail "$query finds nothing"
done
ok "the queries are valid"
timeout 600 python3 .ci/checks/tree_sitter.py "$contexture" "$tree_sitter" "$grammar" "$work/programs" || fail "the parsers differ"
ok "both parsers accept and refuse the same programs"

# The settings that are shown, as far as they can be read without their editors.
python3 - editors/README.md editors/zed <<'PY' || fail "the settings of editors/README.md"
import json, pathlib, re, sys, tomllib
page, zed = map(pathlib.Path, sys.argv[1:])
blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page.read_text(), re.M | re.S)
read = {"toml": tomllib.loads, "json": json.loads}
kinds = [kind for kind, text in blocks if kind in read and read[kind](text)]
assert sorted(kinds) == ["json", "toml"], kinds
for path in zed.rglob("*.toml"):
    tomllib.loads(path.read_text())
PY
ok "the settings of editors/README.md"
PATH=$tools/bin:$PATH timeout 120 bash "$work/editors/zed/build.sh" "$work/zed" >"$work/zed.log" 2>&1 || fail "the extension for Zed is not laid out"
grep -q 'rev = "[0-9a-f]\{40\}"' "$work/zed/extension/extension.toml" || fail "the extension for Zed names no grammar"
ok "the extension for Zed is laid out"
