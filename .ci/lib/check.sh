# For the checks, which source it from the root of the repository: a folder to work in, servers that end with
# the check, and words for how it went. A check that has more to clean up defines `cleanup`.

# Where the check works; removed at its end. When the check fails, the end of each `*.log` in it is shown.
work=$(mktemp -d)
# Where what was installed is kept.
cache=${CONTEXTURE_CI_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/contexture-ci}
# The server that was started last, and all that may still run.
server=
servers=()

ok() { echo "ok: $*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

finish() {
  local status=$? log
  [ ${#servers[@]} -eq 0 ] || kill "${servers[@]}" 2>/dev/null || true
  while [ ${#servers[@]} -gt 0 ]; do stop_server "${servers[-1]}"; done
  ! declare -F cleanup >/dev/null || cleanup
  if [ "$status" -ne 0 ]; then
    for log in "$work"/*.log; do
      [ -s "$log" ] || continue
      echo "-- the end of $(basename "$log") --" >&2
      tail -n 20 "$log" >&2
    done
  fi
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

# serve COMMAND…: starts a server; where its streams go is said at the call.
serve() {
  "$@" &
  server=$!
  servers+=("$server")
}

# stop_server SERVER [SIGNAL [SECONDS]]: ends a server in order, and by force when it does not obey within so many
# seconds, ten by default.
# `ended` is its exit code.
stop_server() {
  local one left=()
  kill "-${2:-TERM}" "$1" 2>/dev/null || true
  for _ in $(seq 1 $((${3:-10} * 5))); do
    kill -0 "$1" 2>/dev/null || break
    sleep 0.2
  done
  kill -9 "$1" 2>/dev/null || true
  ended=0
  wait "$1" 2>/dev/null || ended=$?
  for one in "${servers[@]}"; do [ "$one" = "$1" ] || left+=("$one"); done
  servers=("${left[@]}")
}

# ready NAME COMMAND…: waits until a command says that the server which was started last is up.
ready() {
  local name=$1
  shift
  for _ in $(seq 1 300); do
    kill -0 "$server" 2>/dev/null || fail "$name ended at once"
    if "$@"; then
      ok "$name is up"
      return
    fi
    sleep 0.2
  done
  fail "$name is not up after a minute"
}

# connects PORT: whether somebody listens at a port of this machine.
connects() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# taken PORT: whether anything on this machine holds a port, be it to listen or for a connection of its own.
taken() {
  connects "$1" || cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -Eqi "^ *[0-9]+: [0-9A-F]+:$(printf '%04X' "$1") "
}

# free_port: a port that nobody holds. The system gives connections ports from 32768 on: one of those could be
# taken between the asking and the listening.
free_port() {
  local port
  while :; do
    port=$((20000 + RANDOM % 12000))
    taken "$port" || { echo "$port"; return; }
  done
}

# chosen PACKAGE: how cargo is told the package. After a run of all tests it is chosen among all packages: with the
# features of one alone, half of what it depends on would be compiled anew.
chosen() { [ -n "${CONTEXTURE_CI_WHOLE:-}" ] && echo --workspace || echo "--package=$1"; }

# find_contexture: sets `contexture`, the program under test: that of CONTEXTURE_BIN, else one that is built now.
# With a test beside it cargo takes the features of tests, Restate among them: after a run of all tests nothing is compiled.
find_contexture() {
  if [ -z "${CONTEXTURE_BIN:-}" ]; then
    cargo build --quiet "$(chosen contexture-cli)" --bin contexture --test durable
    CONTEXTURE_BIN=${CARGO_TARGET_DIR:-target}/debug/contexture
  fi
  contexture=$(realpath "$CONTEXTURE_BIN")
}

# alone COMMAND…: what installs something; checks that run beside this one wait. What it starts does not hold the lock.
alone() {
  mkdir -p "$cache"
  (flock 9 && "$@" 9>&-) 9>"$cache/.lock"
}

# fetch WHAT SECONDS COMMAND…: a command that needs the network. One that hangs or breaks off is run again,
# four times in all; what the last one said is shown when none succeeds.
fetch() {
  local what=$1 seconds=$2 log=$work/fetch.log time
  shift 2
  for time in 1 2 3 4; do
    [ "$time" -eq 1 ] || { echo "$what: once more"; sleep $((time * 5)); }
    ! timeout "$seconds" "$@" </dev/null >"$log" 2>&1 || { rm "$log"; return; }
  done
  fail "$what could not be installed"
}

# apt PACKAGE…: installs packages of Debian; only root can.
apt() { alone apt_now "$@"; }
apt_now() {
  local get=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 -o Acquire::http::Timeout=30)
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || fail "$* is needed, and only root can install it"
    get=(sudo -n "${get[@]}")
  fi
  echo "installing $*"
  fetch "the list of packages" 300 "${get[@]}" update
  fetch "$*" 600 "${get[@]}" install --no-install-recommends "$@"
}

# npm_install FOLDER PACKAGE…: packages of npm in a folder that is kept; it is there whole or not at all.
npm_install() { alone npm_install_now "$@"; }
npm_install_now() {
  local folder=$1
  shift
  [ ! -e "$folder/.whole" ] || return 0
  command -v npm >/dev/null || apt_now npm
  echo "installing $*"
  rm -rf "$folder"
  mkdir -p "$folder"
  fetch "$*" 240 npm install --prefix "$folder" --no-audit --no-fund --loglevel=error \
    --fetch-timeout=30000 --fetch-retries=3 "$@"
  touch "$folder/.whole"
}

# make_venv FOLDER PACKAGE…: a Python environment with these packages in it, which is kept; it is there whole or
# not at all.
make_venv() { alone make_venv_now "$@"; }
make_venv_now() {
  local folder=$1
  shift
  [ ! -e "$folder/.whole" ] || return 0
  echo "installing $*"
  rm -rf "$folder"
  mkdir -p "$(dirname "$folder")"
  python3 -m venv "$folder"
  fetch "$*" 1200 "$folder/bin/pip" install --quiet --retries 5 --timeout 30 "$@"
  touch "$folder/.whole"
}

# holds FILE EXPRESSION WHAT: whether a Python expression over the JSON in FILE, as `d`, is true.
holds() {
  "${python:-python3}" -c 'import json, sys; d = json.load(open(sys.argv[1])); sys.exit(0 if eval(sys.argv[2]) else 1)' "$1" "$2" \
    || { cat "$1" >&2; fail "$3: $2"; }
  ok "$3"
}

# said FILE TEXT WHAT: whether a file holds a text that a pattern describes.
said() {
  grep -q -- "$2" "$1" || { cat "$1" >&2; fail "$3: no $2"; }
  ok "$3"
}
