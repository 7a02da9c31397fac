#!/usr/bin/env bash
# Checks that the program builds without features, and that commands and programs say which feature they lack.
#
# With CONTEXTURE_EACH_FEATURE, as the nightly run sets it, each offered feature is built alone too.
set -euo pipefail
cd "$(dirname "$0")/.."

# Prints the names of a crate's features, without `default`.
features() {
  sed -n '/^\[features\]/,/^\[[^f]/s/^\([a-z][a-z-]*\) = .*/\1/p' "crates/$1/Cargo.toml" | sed '/^default$/d'
}

check() {
  echo "-- cargo check $*"
  cargo check --quiet "$@"
}

# The runs below need a program, so this is built and not only checked.
echo "-- cargo build -p contexture-cli --no-default-features"
cargo build --quiet -p contexture-cli --no-default-features
# The command line with one feature contains the library with that feature, so both are checked at once.
if [ -n "${CONTEXTURE_EACH_FEATURE:-}" ]; then
  for feature in $(features cli); do
    library=()
    ! features contexture | grep -qx "$feature" || library=(-p contexture)
    check "${library[@]}" -p contexture-cli --no-default-features --features "contexture-cli/$feature"
  done
  for feature in $(features contexture); do
    features cli | grep -qx "$feature" || check -p contexture --no-default-features --features "$feature"
  done
fi
# The default features of the library are built by .ci/checks/rust_examples.sh; the tests build those of all crates, with Restate.
check -p contexture-server --no-default-features

# Runs the command line without features: it must end with the exit code and name the feature.
refuses() {
  local expected=$1 feature=$2 code=0 said
  shift 2
  said=$("${CARGO_TARGET_DIR:-target}/debug/contexture" "$@" 2>&1) || code=$?
  if [ "$code" != "$expected" ] || ! grep -q "feature.*$feature" <<<"$said"; then
    printf 'contexture %s: expected exit code %s and the feature %s, found %s:\n%s\n' \
      "$*" "$expected" "$feature" "$code" "$said" >&2
    exit 1
  fi
}

refuses 2 flow flow list
refuses 2 knowledge knowledge list
refuses 2 mcp mcp-servers list --json
refuses 2 server serve --help

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/knowledge.as" <<'PROGRAM'
import knowledge Acme from "knowledge://acme"

main func(input) {
  use Acme as facts
  generate({ input: "What does it cost?" }) -> { answer string }
}
PROGRAM
cat >"$folder/mcp.as" <<'PROGRAM'
import tool Fs from "mcp://fs"

main func(input) {
  Fs.list_directory({ path: "notes" })
}
PROGRAM
cat >"$folder/http.as" <<'PROGRAM'
import tool Web from "https://api.example.com"

main func(input) {
  Web.get({ url: "/" })
}
PROGRAM
cat >"$folder/ask.as" <<'PROGRAM'
main func(input) {
  generate({ input: "Hello" }) -> { answer string }
}
PROGRAM
refuses 2 knowledge check "$folder/knowledge.as"
refuses 2 mcp check "$folder/mcp.as"
refuses 1 http run "$folder/http.as" --workspace "$folder"
refuses 1 http run "$folder/ask.as" --workspace "$folder" --model openai://gpt-4o
cat >"$folder/memory.as" <<'PROGRAM'
import memory Notes from "sqlite://notes.db#tea"

main func(input) {
  Notes.add({ text: "tea" })
}
PROGRAM
refuses 1 store-sqlite run "$folder/memory.as" --workspace "$folder"
refuses 1 references-ssh ref load @sftp://example.com/a.md
