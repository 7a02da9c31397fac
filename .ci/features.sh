#!/usr/bin/env bash
# Checks that each offered feature builds alone, and that none, the default ones and all of them do.
set -euo pipefail
cd "$(dirname "$0")/.."

# The names of a package's features, without `default`.
features() {
  sed -n '/^\[features\]/,/^\[[^f]/s/^\([a-z][a-z-]*\) = .*/\1/p' "crates/$1/Cargo.toml" | grep -vx default
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
