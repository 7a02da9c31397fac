import assert from "node:assert/strict";
import { test } from "node:test";
import { dryRunArguments, projectFolder, readTarget, runArguments } from "../src/target.ts";

test("ty_11_target_of_a_lens_has_its_line", () => {
  assert.deepEqual(readTarget({ uri: "file:///a.as", line: 7 }), { uri: "file:///a.as", line: 7 });
});

test("ty_11_target_of_a_uri_and_a_name_is_that_agent", () => {
  assert.deepEqual(readTarget("file:///a.as", "Reader"), { uri: "file:///a.as", agent: "Reader" });
});

test("ty_11_target_of_anything_else_is_none", () => {
  for (const wrong of [undefined, null, 5, "", {}, { uri: 5 }, []]) assert.equal(readTarget(wrong), undefined);
});

test("ty_11_target_with_a_wrong_line_has_none", () => {
  for (const line of [0, -1, 1.5, "7"]) assert.deepEqual(readTarget({ uri: "file:///a.as", line }), { uri: "file:///a.as" });
});

test("ty_11_run_passes_an_input_as_one_word", () => {
  const words = runArguments("a b.as", { uri: "file:///a", agent: "R", function: "f" }, ' {"x": "$(rm)"} ');
  assert.deepEqual(words, ["run", "a b.as", "--agent", "R", "--function", "f", "--input", '{"x": "$(rm)"}']);
});

test("ty_11_dry_run_without_input_passes_none", () => {
  assert.deepEqual(dryRunArguments("a.as", { uri: "file:///a" }, " "), ["run", "a.as", "--dry-run", "--json", "--color", "never"]);
});

test("ty_11_program_runs_in_the_nearest_folder_with_settings", () => {
  const exists = (path: string) => ["/a/contexture.toml", "/a/b/contexture.toml"].includes(path);
  assert.equal(projectFolder("/a/b/c/x.as", "/a", exists), "/a/b");
  assert.equal(projectFolder("/a/x.as", undefined, exists), "/a");
});

test("ty_11_program_without_settings_runs_in_the_open_folder_or_its_own", () => {
  assert.equal(projectFolder("/a/b/x.as", "/a", () => false), "/a");
  assert.equal(projectFolder("/a/b/x.as", undefined, () => false), "/a/b");
});
