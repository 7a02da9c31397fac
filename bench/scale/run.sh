#!/usr/bin/env bash
# What a turn costs a PostgreSQL database, and what changes when a million contexts are in it (docs/scale.md).
#
#   bench/scale/run.sh [CONTEXTS]        [1000000]; CONTEXTURE_BIN names the program, with the feature `postgres`
#
# Starts a database and a server of its own, and needs as much disk as the contexts: some 3 GB for a million.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh
. .ci/lib/postgres.sh
cleanup() { remove_postgres; }
contexts=${1:-1000000}
contexture=$(realpath "${CONTEXTURE_BIN:?names the program}")

make_postgres >/dev/null
export PGPASSWORD=secret-of-the-check
sql() { "$pg_bin/psql" -h 127.0.0.1 -p "$pg_port" -U contexture -d postgres -qAtX -v ON_ERROR_STOP=1 "$@"; }
printf 'main func(input) { "An answer of some sixty characters, as people get them in chats." }\n' >"$work/app.as"
printf '[serve]\nturns = 64\nrate_per_minute = 100000000\n[serve.limits]\naddress_rate_per_minute = 100000000\n' >"$work/contexture.toml"
port=$(free_port)
begin() {
  local began
  began=$(date +%s%N)
  serve env -C "$work" "$contexture" serve app.as --listen "127.0.0.1:$port" --data "$pg_url" --log off >"$work/server.log" 2>&1
  until "$contexture" doctor --server "http://127.0.0.1:$port" >/dev/null 2>&1; do sleep 0.02; done
  started=$(( ($(date +%s%N) - began) / 1000000 ))
  contexture_server=$server
}
measure() { python3 bench/scale/turns.py "http://127.0.0.1:$port" "$contexture_server" "$pg_bin/psql" "$pg_port" "$@"; }

begin
echo "== an empty database: ready after $started ms"
measure warm 200 16
measure "one client" 500 1
measure "64 clients" 4000 64
stop_server "$contexture_server"

echo "== $contexts contexts of 100 each for an owner, 10 messages in each"
sql -v "n=$contexts" <bench/scale/fill.sql
sql -c 'vacuum analyze'
sql -c "select 'database: ' || pg_database_size(current_database()) / 1000000 || ' MB, ' || pg_database_size(current_database()) / $contexts || ' bytes a context'"
begin
echo "ready after $started ms"
measure warm 200 16
measure "one client" 500 1
measure "64 clients" 4000 64
