#!/usr/bin/env bash
# Checks that each offered feature builds alone, that none, the default ones and all of them do, and
# that commands and programs say which feature they lack.
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

for crate in contexture server cli; do
  package=contexture-$crate
  [ "$crate" = contexture ] && package=contexture
  check -p "$package" --no-default-features
  for feature in $(features "$crate"); do
    check -p "$package" --no-default-features --features "$feature"
  done
  check -p "$package"
  check -p "$package" --all-features
done
for crate in knowledge llm mcp reference tools; do
  check -p "contexture-$crate" --no-default-features --tests
done

# Runs the command line without features; it must refuse with exit code 2 and name the feature.
refuses() {
  local feature=$1 code=0 said
  shift
  said=$(cargo run --quiet -p contexture-cli --no-default-features -- "$@" 2>&1) || code=$?
  if [ "$code" != 2 ] || ! grep -q "feature.*$feature" <<<"$said"; then
    printf 'expected exit code 2 and the feature %s, found %s:\n%s\n' "$feature" "$code" "$said" >&2
    exit 1
  fi
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo '{"mcpServers":{}}' >"$folder/empty.json"
program() {
  printf '%s\n' "$2" >"$folder/$1.as"
}
program knowledge 'import knowledge "acme" as acme
main func(input) { use acme
  generate("What does it cost?") -> { answer string } }'
program mcp 'import tool "mcp://words" as words
main func(input) { words.shout({ text: "hey" }) }'
program http 'main func(input) { generate("Hello", { model: "openai://gpt-4o" }) -> { answer string } }'

refuses knowledge knowledge list
refuses flow flow list
refuses mcp mcp-servers list
refuses server serve --help
refuses server mcp --json
