#!/usr/bin/env bash
# The documents build as a site, and every link between its pages leads to a file and an anchor (HO-11).
#
# Needs Python. Uses the `mdbook` of the path, or installs one from crates.io into a folder that is kept.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh

mdbook=$(command -v mdbook || true)
if [ -z "$mdbook" ]; then
  tools=$cache/mdbook-0.5.4
  mdbook=$tools/bin/mdbook
  # A debug build takes half the time, and the site is small. The folder of the build is removed with the check's.
  [ -x "$mdbook" ] || CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR=$work/target fetch mdbook 900 \
    cargo install mdbook --version 0.5.4 --locked --no-default-features --debug --root "$tools"
fi

"$mdbook" build --dest-dir "$work/book" >"$work/build.log" 2>&1 || fail "mdbook build"
! grep -E 'WARN|ERROR' "$work/build.log" || fail "mdbook warns"
ok "the site is built"
python3 .ci/lib/site_links.py "$work/book" >"$work/links.log" 2>&1 || fail "links of the site"
ok "$(cat "$work/links.log")"
