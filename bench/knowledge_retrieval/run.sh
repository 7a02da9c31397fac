#!/usr/bin/env bash
# Retrieval on documentation that was not written for it (MA-8): packs from three public trees, questions with
# the texts of their answers, and bare BM25 beside the resolver. The texts are fetched and not kept.
#
#   bench/knowledge_retrieval/run.sh [tuned|held-out] [FOLDER]
#
# FOLDER holds the trees of an earlier run, or copies: FOLDER/rust-book, FOLDER/mcp-docs, FOLDER/sa-token. `CONTEXTURE`
# is the program [default: contexture of the release build]; its other options may follow in `OPTIONS`.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
half=${1:-held-out}
trees=${2:-$(mktemp -d)}
contexture=${CONTEXTURE:-$here/../../target/release/contexture}

# Name, repository, commit, folder of the documents.
sources='rust-book https://github.com/rust-lang/book 917544888a55e4da7109bdba8c88c893c0da70f4 src
mcp-docs https://github.com/modelcontextprotocol/modelcontextprotocol b0f60ba5409db7a6582440a7b473cc0398890f15 docs
sa-token https://github.com/dromara/sa-token a4ef404d73474150ec19de1a6d88fbf60beeba4a sa-token-doc'
# The same pages in five languages; all their questions are of the tuned half.
for language in de es fr pt ru; do
  sources+="
fastapi-$language https://github.com/fastapi/fastapi c3f316b7e814667e8ee81e03a7330d00ee61e45c docs/$language"
done

# fetch NAME REPOSITORY COMMIT FOLDER: the documents at that commit, in $trees/NAME.
fetch() {
  local clone
  [ ! -d "$trees/$1" ] || return 0
  clone=$(mktemp -d)
  git -C "$clone" init -q
  git -C "$clone" fetch -q --depth 1 "$2" "$3"
  mkdir -p "$trees/$1.part"
  git -C "$clone" archive "$3" "$4" | tar x -C "$trees/$1.part" --strip-components "$(tr / '\n' <<<"$4" | wc -l)"
  mv "$trees/$1.part" "$trees/$1"
  rm -rf "$clone"
}

# pack NAME: a pack whose wiki is the tree.
pack() {
  local root=$trees/packs/$1 file
  rm -rf "$root"
  mkdir -p "$root/wiki"
  printf -- '---\nname: %s\ndescription: Documentation of %s.\ntype: domain-reference\nstatus: ready\ntrust: official\nprofile: wiki-first\n---\n\nThe documentation.\n' "$1" "$1" >"$root/KNOWLEDGE.md"
  (cd "$trees/$1" && find . -type f \( -name "*.md" -o -name "*.mdx" \) -print0 | tar c --null -T -) | tar x -C "$root/wiki"
}

while read -r name repository commit folder; do
  [ -f "$here/questions/$name.$half.json" ] || continue
  fetch "$name" "$repository" "$commit" "$folder"
  pack "$name"
  # Questions without their answer are counted, and do not end the run.
  # shellcheck disable=SC2086
  "$contexture" knowledge eval "$trees/packs/$name" --root "$trees/packs" \
    --suite "$here/questions/$name.$half.json" ${OPTIONS:-} || [ $? -eq 1 ]
done <<<"$sources"
