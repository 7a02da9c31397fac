#!/usr/bin/env bash
# The server is killed again and again under load and started again: no acknowledged update is lost, none is there
# in half or twice, turns that were broken off are told. Prints the counts (CP-7, CP-12).
#
# CONTEXTURE_CRASH_ROUNDS says how often; .ci/nightly kills it 200 times.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh

export CONTEXTURE_CRASH_ROUNDS=${CONTEXTURE_CRASH_ROUNDS:-40}
test=cp_12_server_killed_under_load_loses_nothing_acknowledged
timeout 1500 cargo test "$(chosen contexture-cli)" --test serve_crash -- --nocapture --exact "$test" >"$work/crash.log" 2>&1 \
  || fail "a server that is killed does not come back as it was"
grep -q "1 passed" "$work/crash.log" || fail "the test did not run"
ok "$(grep -o 'Counts {.*}' "$work/crash.log")"
