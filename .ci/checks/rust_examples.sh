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
