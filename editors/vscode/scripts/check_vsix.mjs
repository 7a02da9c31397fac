// Looks into a package: nothing is in it but what the extension needs, and the extension starts. Without the
// program `contexture` it says so, and its commands are there all the same.
//
// usage: check_vsix.mjs UNPACKED
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import Module from "node:module";
import { join } from "node:path";

const [unpacked] = process.argv.slice(2);
const extension = join(unpacked, "extension");

const FILES = [
  "LICENSE-APACHE",
  "LICENSE-MIT",
  "dist/extension.cjs",
  "language-configuration.json",
  "package.json",
  "readme.md",
  "syntaxes/agentscript.tmLanguage.json",
  "syntaxes/markdown.tmLanguage.json",
];
const found = readdirSync(extension, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(extension.length + 1));
assert.deepEqual(found.sort(), FILES);

const manifest = JSON.parse(readFileSync(join(extension, "package.json"), "utf8"));
const { contributes } = manifest;
for (const path of [manifest.main, ...contributes.grammars.map((one) => one.path), ...contributes.languages.map((one) => one.configuration)]) {
  assert.ok(FILES.includes(path.replace("./", "")), path);
  if (path.endsWith(".json")) JSON.parse(readFileSync(join(extension, path), "utf8"));
}

// The editor, as far as starting needs it: anything that is not named here is a class or a function that does nothing.
const state = { commands: [], messages: [], path: "" };
const nothing = () =>
  new Proxy(class {}, {
    get: (target, name) => (name in target || typeof name === "symbol" ? target[name] : (target[name] = nothing())),
    apply: () => ({ dispose() {} }),
  });
const vscode = {
  commands: { registerCommand: (name) => (state.commands.push(name), { dispose() {} }) },
  window: {
    showErrorMessage: async (message) => void state.messages.push(message),
  },
  workspace: {
    getConfiguration: () => ({ get: () => state.path }),
    onDidSaveTextDocument: () => ({ dispose() {} }),
    onDidChangeConfiguration: () => ({ dispose() {} }),
  },
};
const editor = new Proxy(vscode, { get: (known, name) => known[name] ?? (known[name] = nothing()) });
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? editor : load(name, ...rest));
const { activate, deactivate } = Module.createRequire(import.meta.url)(join(extension, "dist/extension.cjs"));

state.path = "/nowhere/contexture";
await activate({ subscriptions: [], workspaceState: { get: (_, value) => value, update: async () => {} } });
assert.deepEqual(state.messages, ["`contexture.path` is `/nowhere/contexture`, and there is no such program."]);
assert.deepEqual(state.commands.sort(), contributes.commands.map((one) => one.command).sort());
await deactivate();
console.log(`${found.length} files, ${state.commands.length} commands`);
process.exit(0);
