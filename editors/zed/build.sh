#!/usr/bin/env bash
# Lays out the extension for Zed in a folder, for "zed: install dev extension".
#
# usage: build.sh [FOLDER]
#
# Zed takes grammars from commits, and the generated parser is not in this repository: a repository of its own
# in FOLDER has it. Needs what ../tree-sitter-agentscript/build.sh needs, and git.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-${XDG_DATA_HOME:-$HOME/.local/share}/contexture/zed}
grammar=$here/../tree-sitter-agentscript

bash "$grammar/build.sh"
mkdir -p "$folder/extension/languages/agentscript" "$folder/grammar/src"
cp -r "$here/Cargo.toml" "$here/src" "$here/languages" "$folder/extension/"
cp "$grammar"/queries/{highlights,injections}.scm "$folder/extension/languages/agentscript/"
cp -r "$grammar"/src/{parser.c,scanner.c,tree_sitter} "$folder/grammar/src/"

in_grammar() { git -C "$folder/grammar" -c user.name=contexture -c user.email=contexture@localhost "$@"; }
[ -d "$folder/grammar/.git" ] || in_grammar init --quiet
in_grammar add --all
in_grammar diff --cached --quiet || in_grammar commit --quiet --message "The generated parser"
{
  cat "$here/extension.toml"
  printf '\n[grammars.agentscript]\nrepository = "file://%s"\nrev = "%s"\n' "$folder/grammar" "$(in_grammar rev-parse HEAD)"
} >"$folder/extension/extension.toml"
echo "In Zed, run \"zed: install dev extension\" and choose $folder/extension"
