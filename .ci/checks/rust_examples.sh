#!/usr/bin/env bash
# The applications in examples/rust, each a package of its own that only uses the public API: they are formatted,
# and their tests pass.
set -euo pipefail
cd "$(dirname "$0")/../.."
source .ci/lib/check.sh

for manifest in examples/rust/*/Cargo.toml; do
  folder=$(dirname "$manifest")
  # The versions that the workspace was tested with; what is missing is added.
  [ -e "$folder/Cargo.lock" ] || cp Cargo.lock "$folder/"
  (cd "$folder" && cargo fmt --check && cargo test --quiet) || fail "$folder"
  ok "$folder"
done

# The first program of docs/rust.md is whole: copied into a new package with one dependency, it runs. As an example of
# the package it has the features of tests, with which the library was built above.
outside=$work/outside
mkdir -p "$outside/examples"
awk '/^```rust$/ { on = 1; next } on && /^```$/ { exit } on' docs/rust.md >"$outside/examples/first.rs"
cat >"$outside/Cargo.toml" <<MANIFEST
[package]
name = "outside"
version = "0.1.0"
edition = "2024"

[workspace]

[dependencies]
contexture = { path = "$PWD/crates/contexture" }

[dev-dependencies]
contexture = { path = "$PWD/crates/contexture", features = ["contract"] }

[profile.dev]
debug = false
MANIFEST
cp Cargo.lock "$outside/"
CARGO_TARGET_DIR=$PWD/target cargo run --quiet --manifest-path "$outside/Cargo.toml" --example first >"$outside/said" ||
  fail "the first program of docs/rust.md"
grep -q "city_unknown\|no station in Atlantis" "$outside/said" || fail "what the program of docs/rust.md says"
ok "docs/rust.md"
