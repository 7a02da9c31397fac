#!/usr/bin/env bash
# The inspector's page: it compiles without a warning, its tests pass, the page that the server carries is the one that
# its sources make; in a headless Chromium every view in light and dark at three widths, by keys, with bad input, and
# axe finds nothing.
#
# Needs Chromium, npm and node as browser.sh.
# SCREENSHOTS=FOLDER keeps pictures of the page.
set -euo pipefail
cd "$(dirname "$0")/../.."
source .ci/lib/check.sh
source .ci/lib/typescript.sh

find_chromium
find_node
copy_clients
build_package "$inspector"
test_package "$inspector"
export TMPDIR=$work HOME=$work/home
mkdir -p "$HOME"

timeout 400 node "$inspector/tests/browser/check.mjs" 2>"$work/browser.log" || fail "the page, over made-up records"
