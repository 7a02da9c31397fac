#!/usr/bin/env bash
# Any number of servers share one PostgreSQL database (WA-11): what one acknowledged is read, followed, answered and
# gone on with by the others, and nothing is lost or done twice when servers are killed or stopped under load.
#
# CONTEXTURE_CLUSTER_SECONDS is the time under load, 10 by default; the bar is 600. CONTEXTURE_CLUSTER_LONGEST is the longest
# wait of a writer in seconds, 40 by default, as the machine may have other things to do; the bar is 5.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh
. .ci/lib/postgres.sh
cleanup() { remove_postgres; }

make_postgres
find_contexture
mkdir "$work/servers"
python3 -B .ci/checks/cluster.py "$contexture" "$work/servers" "$pg_url" "${CONTEXTURE_CLUSTER_SECONDS:-10}" \
  || { tail -n 30 "$work"/servers/*.log >&2; fail "the servers on one database"; }
! grep -rl "secret-of-the-check" "$work" --include='*.log' --include='*.jsonl' --include='*.json' || fail "the password is told"
ok "the password of the address stands nowhere"
