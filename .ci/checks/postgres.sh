#!/usr/bin/env bash
# The stores over a real PostgreSQL pass the suites of their ports, and keep what they say through its faults (WA-11).
#
# CONTEXTURE_POSTGRES names a database to use instead of one that is started here.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh
. .ci/lib/postgres.sh
cleanup() { remove_postgres; }

[ -n "${CONTEXTURE_POSTGRES:-}" ] || { make_postgres; export CONTEXTURE_POSTGRES=$pg_url; }
cargo test "$(chosen contexture-store)" --features contexture-store/postgres --lib postgres >"$work/suites.log" 2>&1 \
  || fail "the stores do not do what their ports promise"
passed=$(sed -n 's/^test result: ok. \([0-9]*\) passed.*/\1/p' "$work/suites.log" | sort -n | tail -1)
[ "${passed:-0}" -ge 60 ] || fail "only ${passed:-0} tests ran"
ok "the stores over PostgreSQL pass $passed tests"
