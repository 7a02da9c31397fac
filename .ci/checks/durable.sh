#!/usr/bin/env bash
# Runs with a journal are killed at random points and taken up again: no effect is lost, none happens twice, no model
# is asked again without need, and what is uncertain is told (WA-3). Prints the counts.
#
# CONTEXTURE_DURABLE_KILLS says how often.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh

export CONTEXTURE_DURABLE_KILLS=${CONTEXTURE_DURABLE_KILLS:-30}
test=wa_3_runs_killed_at_random_points_lose_and_double_nothing
timeout 1500 cargo test "$(chosen contexture-cli)" --test durable -- --nocapture --exact "$test" >"$work/durable.log" 2>&1 \
  || fail "a run that is killed is not taken up as it was"
grep -q "1 passed" "$work/durable.log" || fail "the test did not run"
ok "$(grep -o 'Counts {.*}' "$work/durable.log")"
