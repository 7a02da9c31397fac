#!/usr/bin/env bash
# The extension for VS Code: its types are right, its tests pass, and the package that one command writes has all it
# needs and nothing else, and starts (TY-11).
#
# Needs npm and node as typescript_client.sh, Python, and Rust.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh
. .ci/lib/typescript.sh

find_node
find_contexture
root=$PWD
# Built in a copy, so that the repository stays as it is. The tests read the programs of the repository.
copy=$work/repository
mkdir -p "$copy"
git ls-files -z -- '*.as' editors/vscode LICENSE-MIT LICENSE-APACHE | tar --null -T - -c | tar -C "$copy" -x
git -C "$copy" init -q
git -C "$copy" add .
extension=$copy/editors/vscode
# No package needs a script to be installed.
fetch "the extension's tools" 300 npm --prefix "$extension" ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-timeout=30000
cd "$extension"
timeout 120 npm run --silent check >"$work/types.log" 2>&1 || { cat "$work/types.log" >&2; fail "the types of the extension"; }
ok "the types of the extension"
timeout 180 node --test --test-timeout=20000 "tests/*.test.ts" >"$work/tests.log" 2>&1 || fail "the extension's tests"
grep -E '^# (tests|pass|fail)|^ℹ (tests|pass|fail)' "$work/tests.log"
ok "the extension's tests"
timeout 180 npm run --silent package >"$work/package.log" 2>&1 || fail "npm run package"
python3 -m zipfile -e contexture.vsix "$work/unpacked"
timeout 60 node scripts/check_vsix.mjs "$work/unpacked" >"$work/vsix.log" 2>&1 || fail "the package"
ok "the package: $(cat "$work/vsix.log")"
[ "$(wc -c <contexture.vsix)" -lt 1000000 ] || fail "the package is over a megabyte"

# What the panel shows of a real dry run.
cat >"$work/panel.mts" <<'TS'
import { readReport } from "./src/dry_run.ts";
import { page } from "./src/page.ts";
import { ask } from "./src/program.ts";
import { dryRunArguments } from "./src/target.ts";

const [program, folder] = process.argv.slice(2);
const words = dryRunArguments("examples/summarize_file.as", { uri: "" }, "path=README.md");
const done = await ask(program!, words, folder);
const report = readReport(done.stdout);
if (report?.prompts[0]?.items[0]?.label !== "document") throw new Error(done.stdout + done.stderr);
if (!page("x", report, "n").includes("<td>document</td>")) throw new Error("the page lacks the item");
TS
mv "$work/panel.mts" check_panel.mts
mkdir "$work/home"
HOME=$work/home timeout 60 node check_panel.mts "$contexture" "$root" >"$work/panel.log" 2>&1 || fail "the panel of a real dry run"
ok "the panel shows a real dry run"
