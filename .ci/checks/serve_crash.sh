#!/usr/bin/env bash
# The server is killed again and again under load and started again: no acknowledged update is lost, none is there
# in half or twice, turns that were broken off are reported (CP-7, CP-12). Garbage is written into what it left: it is
# never ready with acknowledged updates missing (GU-12). Prints the counts.
#
# CONTEXTURE_CRASH_ROUNDS and CONTEXTURE_GARBAGE_ROUNDS say how often; .ci/nightly does each 200 times.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh

export CONTEXTURE_CRASH_ROUNDS=${CONTEXTURE_CRASH_ROUNDS:-40}
test=cp_12_server_killed_under_load_loses_nothing_acknowledged
timeout 1500 cargo test "$(chosen contexture-cli)" --test serve_crash -- --nocapture --exact "$test" >"$work/crash.log" 2>&1 \
  || fail "a server that is killed does not come back as it was"
grep -q "1 passed" "$work/crash.log" || fail "the test did not run"
ok "$(grep -o 'Counts {.*}' "$work/crash.log")"

export CONTEXTURE_GARBAGE_ROUNDS=${CONTEXTURE_GARBAGE_ROUNDS:-40}
test=gu_12_server_is_never_ready_on_garbage_with_acknowledged_updates_missing
timeout 1500 cargo test "$(chosen contexture-cli)" --test serve_crash -- --nocapture --exact "$test" >"$work/garbage.log" 2>&1 \
  || fail "a server is ready on garbage"
grep -q "1 passed" "$work/garbage.log" || fail "the test did not run"
ok "$(grep -o 'garbage: .*' "$work/garbage.log")"
