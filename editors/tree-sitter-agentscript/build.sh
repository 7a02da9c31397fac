#!/usr/bin/env bash
# Generates the parser and compiles it to `agentscript.so` beside this file, for Neovim and other editors.
#
# The generated parser is over a megabyte and changes whole with each change of the grammar, so it is not in git.
# Needs a C compiler, node, and the command line of tree-sitter: `cargo install tree-sitter-cli --version 0.27.1`.
set -euo pipefail
cd "$(dirname "$0")"
tree_sitter=${TREE_SITTER:-tree-sitter}
command -v "$tree_sitter" >/dev/null || {
  . ./version.sh
  echo "tree-sitter is not in PATH: cargo install tree-sitter-cli --version $tree_sitter_version" >&2
  exit 1
}
"$tree_sitter" generate
"$tree_sitter" build --output agentscript.so
