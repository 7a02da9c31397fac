#!/usr/bin/env bash
# The clients that `contexture types` writes: they compile without a fault in TypeScript, Python and Rust, and with
# `contexture serve` they return values and raise errors as the program says.
#
# Needs npm, node 22 or newer (else taken from npm), Python 3.11 and cargo; mypy checks the types if it is there.
set -euo pipefail
cd "$(dirname "$0")/../.."
source .ci/lib/check.sh
source .ci/lib/typescript.sh

find_contexture
find_node
copy_clients
build_package "$client"
mkdir -p "$work/home" "$work/project"
cd "$work/project"

cat >contexture.toml <<'END'
[serve]
actions = ["agent:*"]
END
cat >app.as <<'END'
/// A report of a user. */
shape Issue { title string length 1 to 8, class "low" | "high", tags list[string]?, parts list[Issue]? }
shape 事 { 名 string, next 事? }

/// Sorts reports.
main agent Triage {
  main func(issue Issue) -> Issue { issue }
  /// Adds numbers.
  func add(a integer, class integer) -> integer { a + class }
  func found(n integer) { ({ parts: [{ n: n }] }) }
  func 问(x 事) -> 事 { x }
  func any(value) { value }
  func broken() -> string { fail "no good" code "E_BAD" }
}
END
"$contexture" types app.as --lang ts >client.ts
"$contexture" types app.as --lang python >client.py
"$contexture" types app.as --lang rust >client.rs
port=$(free_port)
HOME=$work/home serve "$contexture" serve app.as --listen "127.0.0.1:$port" >"$work/serve.log" 2>&1
ready "the server" connects "$port"

cat >use.ts <<'TS'
import { CallError, Client, type Issue } from "./client.js";

const client = new Client({ url: process.argv[2]! });
const issue: Issue = { title: "burns", class: "high", parts: [{ title: "smoke", class: "low" }] };
const back = await client.triage(issue);
// @ts-expect-error: the class is one of two words
const wrong: Issue = { title: "x", class: "middle" };
const sum: number = await client.triageAdd(1, 2);
const found = await client.triageFound(3);
const named = await client.triage问({ 名: "x", next: { 名: "y" } });
let code = "";
try {
  await client.triageBroken();
} catch (error) {
  if (error instanceof CallError) code = error.code;
}
let refused = "";
await client.triage(wrong).catch((error: CallError) => (refused = error.code));
console.log(back.parts?.[0]?.title, sum, found?.parts[0]?.n, named.next?.名, await client.triageAny([1]), code, refused);
TS
printf '{"type": "module", "private": true}\n' >package.json
mkdir -p types && printf 'declare const process: { argv: string[] };\n' >types/process.d.ts
timeout 120 "$client/node_modules/.bin/tsc" --strict --module nodenext --target es2022 --lib es2023,dom --types "" \
  use.ts types/process.d.ts || fail "the types of the TypeScript client"
said=$(timeout 60 node use.js "http://127.0.0.1:$port")
[ "$said" = "smoke 3 3 y [ 1 ] E_BAD VALIDATION_FAILED" ] || fail "the TypeScript client says: $said"
ok "the TypeScript client"

cat >use.py <<'PY'
import sys

from client import CallError, Client, Issue

client = Client(sys.argv[1])
issue: Issue = {"title": "burns", "class": "high", "parts": [{"title": "smoke", "class": "low"}]}
parts = client.triage(issue).get("parts") or []
found = client.triage_found(3)
named = client.triage_问({"名": "x", "next": {"名": "y"}}).get("next")
code = ""
try:
    client.triage_broken()
except CallError as error:
    code = error.code
print(
    parts[0]["title"], client.triage_add(1, 2), found and found["parts"][0]["n"],
    named and named["名"], client.triage_any([1]), code,
)
PY
python3 -m py_compile client.py use.py
! python3 -m mypy --version >/dev/null 2>&1 || python3 -m mypy --strict client.py use.py || fail "the types of the Python client"
said=$(timeout 60 python3 use.py "http://127.0.0.1:$port")
[ "$said" = "smoke 3 3 y [1] E_BAD" ] || fail "the Python client says: $said"
ok "the Python client"

mkdir -p rust/src
mv client.rs rust/src/client.rs
cat >rust/Cargo.toml <<'TOML'
[package]
name = "use_client"
version = "0.0.0"
edition = "2024"
[dependencies]
serde = { version = "1", features = ["derive"] }
serde_json = "1"
[workspace]
TOML
cat >rust/src/main.rs <<'RS'
mod client;
use client::{Client, Issue, IssueClass, 事};
use std::process::Command;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).unwrap() + "/v1/messages";
    let mut client = Client::new("ctx_rust", |message: &serde_json::Value| {
        let body = message.to_string();
        let sent = Command::new("curl").args(["-s", &url, "-H", "Content-Type: application/json", "-d", &body]).output();
        sent.map_err(|fault| fault.to_string()).and_then(|sent| {
            serde_json::from_slice(&sent.stdout).map_err(|fault| fault.to_string())
        })
    });
    let smoke = Issue { title: "smoke".into(), class: IssueClass::Low, tags: None, parts: None };
    let issue = Issue { title: "burns".into(), class: IssueClass::High, tags: None, parts: Some(vec![smoke]) };
    let parts = client.triage(&issue)?.parts.unwrap_or_default();
    let found = client.triage_found(&3)?.unwrap();
    let next = 事 { 名: "y".into(), next: None };
    let named = client.triage_问(&事 { 名: "x".into(), next: Some(Box::new(next)) })?;
    let code = client.triage_broken().unwrap_err().code;
    println!("{} {} {} {} {} {code}", parts[0].title, client.triage_add(&1, &2)?, found.parts[0].n,
        named.next.unwrap().名, client.triage_any(&serde_json::json!([1]))?);
    Ok(())
}
RS
(cd rust && CARGO_TARGET_DIR=$work/rust-target timeout 300 cargo build --quiet) || fail "the Rust client doesn't compile"
said=$(timeout 60 "$work/rust-target/debug/use_client" "http://127.0.0.1:$port")
[ "$said" = "smoke 3 3 y [1] E_BAD" ] || fail "the Rust client says: $said"
ok "the Rust client"
