# For the checks of the TypeScript client, which source it after check.sh: a node that is new enough, and a copy
# of the client to build in, so that the repository stays as it is.

node_major=22
node_version=22.23.3

# find_node: puts a node of the least version that the client takes, or a newer one, first in PATH.
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

# copy_client: sets `client`, a copy of the client where it may be built, beside the page that the server has.
copy_client() {
  client=$work/clients/typescript
  mkdir -p "$client" "$work/crates/server/assets"
  tar -C clients/typescript --exclude=./node_modules --exclude=./dist -c . | tar -C "$client" -x
  cp -r crates/server/assets/demo crates/server/assets/demo.rs "$work/crates/server/assets/"
}

# build_client: installs the compiler and compiles.
build_client() {
  fetch "the client's compiler" 240 npm --prefix "$client" ci --no-audit --no-fund --loglevel=error --fetch-timeout=30000
  (cd "$client" && timeout 120 npm run --silent build) || fail "the client does not compile"
  ok "the client compiles"
}
