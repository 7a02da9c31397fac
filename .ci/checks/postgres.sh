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
cargo test "$(chosen contexture-store)" --features contexture-store/postgres --lib -- --ignored postgres >"$work/suites.log" 2>&1 \
  || fail "the stores do not do what their ports promise"
passed=$(sed -n 's/^test result: ok. \([0-9]*\) passed.*/\1/p' "$work/suites.log" | sort -n | tail -1)
[ "${passed:-0}" -ge 90 ] || fail "only ${passed:-0} tests ran"
ok "the stores over PostgreSQL pass $passed tests"

# -- faults of the database, and servers that follow each other; cluster.sh has several at a time --
find_contexture
[ -n "${pg_url:-}" ] || { ok "the faults need a database that is started here"; exit; }
printf 'main func(input) {\n  generate({ input: "Hello" }) -> { answer string }\n}\n' >"$work/hello.as"

# begin_server NAME: starts a server with a folder of its own; sets `url`.
begin_server() {
  local port
  port=$(free_port)
  mkdir -p "$work/$1"
  cp "$work/hello.as" "$work/$1/"
  url=http://127.0.0.1:$port
  serve env -C "$work/$1" "$contexture" serve hello.as --listen "127.0.0.1:$port" --data "$pg_url" >"$work/$1.log" 2>&1
}
# create ID: the status of making a context.
create() {
  curl -s -o "$work/answer.json" -w '%{http_code}' -m 30 "$url/v1/contexts" -H 'Content-Type: application/json' \
    -d "{\"contextId\": \"$1\", \"state\": {\"text\": \"你好\"}}"
}
export_of() { curl -fs -m 30 "$url/v1/contexts/$1/export"; }
health() { [ "$(curl -s -o /dev/null -w '%{http_code}' -m 10 "$url/readyz")" = "$1" ]; }

begin_server first
ready "a server on the database" health 200
[ "$(create ctx_1)" = 201 ] || fail "a context is not made: $(cat "$work/answer.json")"
export_of ctx_1 >"$work/before.jsonl"
first=$server

stop_postgres
code=$(create ctx_2)
[ "${code:0:1}" = 5 ] || fail "an update without a database is answered with $code"
grep -q '"recoverable"' "$work/answer.json" || fail "an update without a database has no defined error: $(cat "$work/answer.json")"
# An answer about readiness is used for a second.
server=$first
ready "the answer that a server without its database is not ready" health 503
start_postgres
ready "the same server after its database came back" health 200
[ "$(create ctx_2)" = 201 ] || fail "the database came back, and the server did not"
ok "a database that is gone is told, and the server goes on when it is back"

kill -STOP "$first"
sleep 6
begin_server second
ready "a server that takes over" health 200
second=$server
export_of ctx_1 | cmp - "$work/before.jsonl" || fail "what was acknowledged is not there"
kill -CONT "$first"
ended=0
wait "$first" || ended=$?
servers=("$pg_server" "$second")
[ "$ended" -ne 0 ] && grep -q "lease" "$work/first.log" || fail "a server that slept through its lease goes on ($ended)"
ok "a server that slept through its lease writes nothing more and ends"

kill -9 "$second"
wait "$second" 2>/dev/null || true
servers=("$pg_server")
sleep 5
begin_server third
ready "a server after one that was killed" health 200
export_of ctx_1 | cmp - "$work/before.jsonl" || fail "what was acknowledged is not there after a kill"
[ "$(create ctx_1)" = 409 ] || fail "an id was given twice"
ok "a killed server is followed by another one, with everything acknowledged"

# -- two servers on a database that takes no writes, is full, or slow --
one=$url
sql() { "$pg_bin/psql" -q -v ON_ERROR_STOP=1 "$pg_url" -c "$1" >>"$work/psql.log" 2>&1 || fail "psql: $1"; }
begin_server fourth
ready "another server beside it" health 200
other=$url
# both CODE ID: what both servers say to an update.
both() {
  local code
  for url in "$one" "$other"; do
    code=$(create "$2")
    [ "$code" = "$1" ] || fail "an update of $2 is answered with $code: $(cat "$work/answer.json")"
    grep -q '"recoverable"' "$work/answer.json" || fail "no defined error: $(cat "$work/answer.json")"
  done
}
sql "alter system set default_transaction_read_only = on"
sql "select pg_reload_conf()"
sleep 6
both 500 ctx_readonly
export_of ctx_1 | cmp - "$work/before.jsonl" || fail "a database that takes no writes is not read"
PGOPTIONS='-c default_transaction_read_only=off' sql "alter system reset default_transaction_read_only"
sql "select pg_reload_conf()"
url=$one
ready "a server after its database took no writes" health 200
url=$other
ready "the other one" health 200
ok "while the database takes no writes, two servers say so, read on, and go on afterwards"
sql "create function full_disk() returns trigger language plpgsql as \$\$ begin raise exception 'could not extend file' using errcode = '53100'; end \$\$;
     create trigger full_disk before insert on contexture_contexts execute function full_disk()"
both 503 ctx_full
sql "drop trigger full_disk on contexture_contexts; drop function full_disk()"
ok "a full disk is told by two servers"

# -- a set whose journal the database does not take --
sql "create function full_disk() returns trigger language plpgsql as \$\$ begin raise exception 'could not extend file' using errcode = '53100'; end \$\$;
     create trigger full_disk before insert on contexture_entries execute function full_disk()"
curl -s -m 30 -o "$work/set.json" "$one/v1/messages" -H 'Content-Type: application/json' -d '{
  "messageId": "set_1", "timestamp": "2026-01-01T09:00:00Z", "type": "INSTRUCTION", "contextId": "ctx_2", "sender": { "id": "ann", "type": "USER" },
  "content": { "instructions": [{ "instructionId": "a", "action": "echo", "parameters": { "text": "你好" } }] } }' &
set=$!
sleep 3
[ ! -s "$work/set.json" ] || fail "a set without a journal is answered: $(cat "$work/set.json")"
sql "drop trigger full_disk on contexture_entries; drop function full_disk()"
wait "$set" || fail "a set is not answered after its database came back"
holds "$work/set.json" 'd["type"] == "INSTRUCTION_RESPONSE" and d["content"]["status"] == "COMPLETED"' "a set whose journal was not taken is run when it is"
"$pg_bin/psql" -q "$pg_url" -c "begin; lock table contexture_contexts in exclusive mode; select pg_sleep(20)" >>"$work/psql.log" 2>&1 &
slow=$!
sleep 1
both 429 ctx_slow
kill "$slow" 2>/dev/null || true
wait "$slow" 2>/dev/null || true
sql "select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep%' and pid <> pg_backend_pid()"
url=$one
[ "$(create ctx_after)" = 201 ] || fail "no update after the faults: $(cat "$work/answer.json")"
[ "$(url=$other create ctx_after)" = 409 ] || fail "an id was given twice"
stop_server "$server"
server=${servers[-1]}
ok "a database that holds a lock is told as slow, and nothing is lost"

# -- from the database to files, on to another schema of it, and back --
data() { (cd "$work/third" && "$contexture" data copy "$@") >"$work/copy.log" 2>&1; }
! data "$pg_url" moved || fail "a database was copied while a server works on it"
grep -q "a server works on" "$work/copy.log" || fail "a copy beside a server is refused without a reason"
stop_server "$server"
data "$pg_url" moved --json || fail "a database is not copied to files: $(cat "$work/copy.log")"
holds "$work/copy.log" 'd["contexts"] == 3' "a database is copied to files"
"$pg_bin/psql" -q "$pg_url" -c 'create schema other' >"$work/psql.log" 2>&1
data moved "$pg_url?options=-csearch_path%3Dother" || fail "files are not copied to a database: $(cat "$work/copy.log")"
! data moved "$pg_url?options=-csearch_path%3Dother" || fail "a database that is not empty was filled"
grep -q "is not empty: it holds contexts" "$work/copy.log" || fail "a copy to a database that is not empty is refused without a reason"
data "$pg_url?options=-csearch_path%3Dother" back || fail "a copy is not copied back"
for folder in moved back; do
  (cd "$work/third" && "$contexture" context export ctx_1 --data "$folder") | cmp - "$work/before.jsonl" || fail "the export of $folder differs"
  (cd "$work/third" && "$contexture" context verify --data "$folder") >"$work/verify.log" 2>&1 || fail "$folder is not whole"
done
ok "copies between a database and files have equal exports"

! grep -rl "secret-of-the-check" "$work" --include='*.log' --include='*.jsonl' --include='*.json' || fail "the password is told"
ok "the password of the address stands nowhere"
