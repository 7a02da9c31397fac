import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ask, chosenProgram, lastWords, serverFault } from "../src/program.ts";

/** A program that ends with this code after a line on stderr. */
function program(code: number, use: (path: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "contexture-"));
  const path = join(folder, "contexture");
  writeFileSync(path, `#!/bin/sh\necho "$@" >&2\nexit ${code}\n`);
  chmodSync(path, 0o755);
  return use(path).finally(() => rmSync(folder, { recursive: true }));
}

test("ty_11_program_of_the_settings_comes_before_path", () => {
  assert.equal(chosenProgram(" /opt/contexture "), "/opt/contexture");
  for (const empty of [undefined, "", "  "]) assert.equal(chosenProgram(empty), "contexture");
});

test("ty_11_program_that_is_missing_is_named_with_what_to_do", async () => {
  assert.match((await serverFault("/nowhere/contexture")) ?? "", /`contexture.path` is `\/nowhere\/contexture`/);
});

test("ty_11_program_without_a_language_server_is_too_old", () =>
  program(2, async (path) => assert.match((await serverFault(path)) ?? "", /Install a newer version/)));

test("ty_11_program_with_a_language_server_has_no_fault", () =>
  program(0, async (path) => assert.equal(await serverFault(path), undefined)));

test("ty_11_program_gets_words_and_no_shell", () =>
  program(3, async (path) => {
    const done = await ask(path, ["run", "a b", "$(echo no)"], undefined);
    assert.equal(done.code, 3);
    assert.equal(lastWords(done), "run a b $(echo no)");
  }));
