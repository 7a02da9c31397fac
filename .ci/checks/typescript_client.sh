#!/usr/bin/env bash
# The TypeScript client: it compiles without a warning, its tests pass, the page that the server carries is the
# one that its sources make, what would be published works for who installs it, and with `contexture serve` nothing
# is lost or happens twice over a line that breaks.
#
# Needs npm (installed when it is missing and we are root) and node 22 or newer (else taken from npm).
set -euo pipefail
cd "$(dirname "$0")/../.."
source .ci/lib/check.sh
source .ci/lib/typescript.sh

find_node
copy_clients
build_package "$client"
test_package "$client"

# As somebody else would use it: packed, installed, imported, typed.
user=$work/user
mkdir -p "$user"
packed=$(cd "$client" && timeout 60 npm pack --silent --pack-destination "$user")
printf '{"type": "module", "private": true}\n' >"$user/package.json"
(cd "$user" && timeout 120 npm install --offline --no-audit --no-fund --loglevel=error "./$packed" >/dev/null) || fail "the package can't be installed"
cat >"$user/app.ts" <<'TS'
import { ContextureClient, ContextureError, isA, type FrontendTool, type Message } from "contexture-client";
import { FileStore, highlight } from "contexture-client/browser";

const tool: FrontendTool = {
  definition: {
    toolId: "clock", name: "Clock", description: "Tells the time", version: "1.0.0", runtime: "FRONTEND", capabilities: [],
    parameters: { type: "object" }, permissionLevel: "NONE",
  },
  run: () => new Date().toISOString(),
};
const client = new ContextureClient({ url: "http://127.0.0.1:9" });
client.addTools(tool);
client.onPermission = async ({ prompt, signal }) => prompt.length > 0 && !signal.aborted;
const narrowed = (message: Message): string => (message.type === "MODEL_RESPONSE" ? (message.content.finishReason ?? "") : message.type);
// @ts-expect-error: an update names its operation
const wrong = () => client.update("ctx_1", { path: "a", value: 1 });
client.on("message", (message) => isA(message, "ACK") && message.content.messageId);
console.log(client.tools.length, narrowed.length, typeof wrong, typeof highlight, new FileStore() instanceof FileStore, new ContextureError("TIMEOUT", "x").remedy);
client.close();
TS
(cd "$user" && timeout 60 "$client/node_modules/.bin/tsc" --strict --module nodenext --target es2022 --lib es2023,dom --types "" app.ts) \
  || fail "the package's types"
said=$(cd "$user" && timeout 30 node app.js)
[ "$said" = "1 1 function function true Try again, or allow more time." ] || fail "the package says: $said"
[ -e "$user/node_modules/contexture-client/dist/page.js" ] && fail "the demo page is in the package"
[ -z "$(cd "$user" && npm ls --omit=dev --depth=1 --parseable 2>/dev/null | grep node_modules | grep -v contexture-client || true)" ] \
  || fail "the package has dependencies"
ok "the package works for who installs it, and depends on nothing"

find_contexture
mkdir -p "$work/home" "$work/project"
cp "$client/tests/browser/agent.as" "$work/project"
HOME=$work/home timeout 120 node "$client/tests/served/check.mjs" "$contexture" "$work/project" 2>"$work/served.log" \
  || fail "the client with contexture serve"
