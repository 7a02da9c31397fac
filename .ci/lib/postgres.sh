# For checks that need PostgreSQL, which source it after `check.sh`: a server on a free port of this machine, with
# its data in a folder that goes with the check.

# postgres_binaries: sets `pg_bin`, the folder of the programs of PostgreSQL; installs them when they are missing.
postgres_binaries() {
  local all
  for all in /usr/lib/postgresql/*/bin; do pg_bin=$all; done
  [ -x "$pg_bin/initdb" ] || apt postgresql
  for all in /usr/lib/postgresql/*/bin; do pg_bin=$all; done
  [ -x "$pg_bin/initdb" ] || fail "PostgreSQL is not there"
}

# make_postgres: sets `pg_port`, `pg_data` and `pg_url`, whose user has a password.
make_postgres() {
  postgres_binaries
  # PostgreSQL refuses root. Not a function: a signal has to reach the server itself.
  pg_as=()
  if [ "$(id -u)" -eq 0 ]; then
    pg_user=nobody
    ! id postgres >/dev/null 2>&1 || pg_user=postgres
    pg_as=(setpriv "--reuid=$pg_user" "--regid=$(id -g "$pg_user")" --clear-groups)
  fi
  pg_port=$(free_port)
  # A folder of its own: that of the check belongs to who runs it.
  pg_home=$(mktemp -d)
  pg_data=$pg_home/data
  echo "secret-of-the-check" >"$pg_home/password"
  [ "$(id -u)" -ne 0 ] || chown -R "$pg_user" "$pg_home"
  (cd "$pg_home" && "${pg_as[@]}" "$pg_bin/initdb" -D "$pg_data" -U contexture -A scram-sha-256 --pwfile="$pg_home/password" \
    --encoding=UTF8 --locale=C) >"$work/initdb.log" 2>&1 || fail "a database could not be made"
  pg_url="postgres://contexture:secret-of-the-check@127.0.0.1:$pg_port/postgres"
  pg_server=
  start_postgres
}

# start_postgres: starts the server of `make_postgres`, or starts it again.
start_postgres() {
  serve "${pg_as[@]}" "$pg_bin/postgres" -D "$pg_data" -p "$pg_port" -c listen_addresses=127.0.0.1 -c max_connections=400 \
    -c "unix_socket_directories=$pg_home" >>"$work/postgres.log" 2>&1
  pg_server=$server
  ready "PostgreSQL" connects "$pg_port"
}

# stop_postgres [SIGNAL]: ends it; INT breaks off what is under way.
# A slow disk takes its time for the last checkpoint; what is killed in it leaves processes behind.
stop_postgres() { stop_server "$pg_server" "${1:-INT}" 120; pg_server=; }

# remove_postgres: ends it and removes its data.
remove_postgres() {
  [ -z "${pg_server:-}" ] || stop_postgres
  [ -z "${pg_home:-}" ] || rm -rf "$pg_home"
}
