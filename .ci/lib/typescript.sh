# For the checks of the TypeScript packages, which source it after check.sh: a node that is new enough, and a copy
# of the packages to build in, so that the repository stays as it is.

node_major=22
node_version=22.23.3

# find_node: puts a node of the least version that the packages take, or a newer one, first in PATH.
find_node() {
  command -v npm >/dev/null || apt npm
  local major
  major=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)
  if [ "$major" -lt "$node_major" ]; then
    local folder=$cache/node-$node_version
    npm_install "$folder" "node@$node_version"
    PATH=$folder/node_modules/.bin:$PATH
  fi
  ok "node $(node --version)"
}

# find_chromium: sets CHROMIUM; Debian's is installed when there is none and we are root.
find_chromium() {
  local name
  for name in chromium chromium-browser google-chrome; do
    CHROMIUM=${CHROMIUM:-$(command -v "$name" || true)}
  done
  if [ -z "$CHROMIUM" ]; then
    apt chromium
    CHROMIUM=$(command -v chromium)
  fi
  export CHROMIUM
  ok "$("$CHROMIUM" --version 2>/dev/null)"
}

# copy_clients: sets `client` and `inspector`, copies of the packages where they may be built, beside the pages that
# the server has.
copy_clients() {
  client=$work/clients/typescript
  inspector=$work/clients/inspector
  mkdir -p "$work/clients" "$work/crates/server"
  tar -C clients --exclude=node_modules --exclude=dist -c . | tar -C "$work/clients" -x
  cp -r crates/server/assets "$work/crates/server/"
}

# build_package FOLDER: installs what a package is built with and compiles it.
build_package() {
  local name
  name=$(basename "$1")
  fetch "the compiler of $name" 240 npm --prefix "$1" ci --no-audit --no-fund --loglevel=error --fetch-timeout=30000
  (cd "$1" && timeout 120 npm run --silent build) || fail "$name does not compile"
  ok "$name compiles"
}

# test_package FOLDER: the tests of a package, one of which says whether the page that the server carries is what its
# sources make.
test_package() {
  local name
  name=$(basename "$1")
  (cd "$1" && timeout 180 node --test --test-timeout=20000 "tests/*.test.mjs") >"$work/$name.log" 2>&1 || fail "the tests of $name"
  grep -E '^# (tests|pass|fail)|^ℹ (tests|pass|fail)' "$work/$name.log"
  ok "the tests of $name"
}
