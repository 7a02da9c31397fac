# For checks that need Restate, which source it after `check.sh`: a server on free ports of this machine, with its
# data in a folder that goes with the check.

# restate_binary: sets `restate_bin`, the program of the engine; installs it when it is missing.
restate_binary() {
  local folder=$cache/restate-1.7.12
  npm_install "$folder" @restatedev/restate-server@1.7.12
  for restate_bin in "$folder"/node_modules/@restatedev/restate-server-*/bin/restate-server; do break; done
  [ -x "$restate_bin" ] || fail "the program of Restate is not there"
}

# restate_place: sets `restate_url`, `restate_admin` and RESTATE_COMMAND, which starts a server there, with its data in
# `restate_home`.
restate_place() {
  restate_binary
  restate_home=$(mktemp -d)
  restate_url=http://127.0.0.1:$(free_port)
  restate_admin=http://127.0.0.1:$(free_port)
  export RESTATE_INGRESS__BIND_ADDRESS=${restate_url#http://} RESTATE_ADMIN__BIND_ADDRESS=${restate_admin#http://}
  export RESTATE_DISABLE_TELEMETRY=true RESTATE_LOG_FILTER=warn RESTATE_LOG_DISABLE_ANSI_CODES=true
  export RESTATE_COMMAND="$restate_bin --no-logo --node-name check --base-dir $restate_home --listen-mode tcp --bind-ip 127.0.0.1 --bind-port $(free_port)"
}

# restate_up: whether the engine takes calls.
restate_up() { curl -fs -o /dev/null -m 5 "$restate_url/restate/health" && curl -fs -o /dev/null -m 5 "$restate_admin/health"; }

# start_restate: starts it for the rest of the check.
start_restate() {
  # shellcheck disable=SC2086 # It is a command with its arguments.
  serve $RESTATE_COMMAND >>"$work/restate.log" 2>&1
  ready "Restate" restate_up
}

# remove_restate: removes its data.
remove_restate() { [ -z "${restate_home:-}" ] || rm -rf "$restate_home"; }
