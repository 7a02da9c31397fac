// What needs no server: paths, schemas, messages, codes, marks.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { ContextureError, ERROR_CODES, checkMessage, checkSchema, formatPath, getPath, isKnown, newId, parsePath, readMessage, validate, withPath, withoutPath } from "../dist/index.js";
import { FileStore, fit, readMarks } from "../dist/browser/index.js";
import { tool } from "./support/kit.mjs";

test("cp_10_paths_have_names_quotes_and_places", () => {
  const names = (path) => parsePath(path).map(({ name, index }) => (index === undefined ? name : index));
  assert.deepEqual(names("userPreferences.language"), ["userPreferences", "language"]);
  assert.deepEqual(names('hosts."a.b".0."1"'), ["hosts", "a.b", 0, "1"]);
  assert.deepEqual(names('"".x'), ["", "x"]);
  assert.deepEqual(names("01.用户"), ["01", "用户"]);
  for (const bad of ["", ".", "a.", "a..b", 'a"b', '"a', '"a"b', '"\\x"', "a[0]", "a\nb", Array(65).fill("a").join(".")]) {
    assert.throws(() => parsePath(bad), { code: "VALIDATION_FAILED" }, bad);
  }
  for (const keys of [["a", "b"], ["a.b", ""], ["0"], ['q"'], ["é\n"]]) assert.deepEqual(names(formatPath(keys)), keys);
});

test("cp_10_a_path_sets_appends_and_removes_without_changing_the_old", () => {
  const state = { list: [1, { a: 1 }], n: null, text: "x" };
  const copy = structuredClone(state);
  assert.deepEqual(withPath(state, "list.2", 3).list, [1, { a: 1 }, 3]);
  assert.deepEqual(withPath(state, "list.1.a", 2).list, [1, { a: 2 }]);
  assert.deepEqual(withPath(state, "new.0.deep", 1).new, [{ deep: 1 }]);
  assert.deepEqual(withPath(state, 'new."0"', 1).new, { 0: 1 });
  assert.deepEqual(withPath(state, "text", null).text, null);
  for (const bad of ["list.3", "list.a", 'list."0"', "text.a", "n.a", "list.0.x", "new.1"]) assert.throws(() => withPath(state, bad, 1), { code: "VALIDATION_FAILED" }, bad);
  assert.deepEqual(withoutPath(state, "list.0").list, [{ a: 1 }]);
  assert.deepEqual(withoutPath(state, "list.1.a").list, [1, {}]);
  for (const nothing of ["list.7", "none", "none.deeper"]) assert.equal(withoutPath(state, nothing) === state || JSON.stringify(withoutPath(state, nothing)) === JSON.stringify(state), true, nothing);
  assert.throws(() => withoutPath(state, "text.a"), { code: "VALIDATION_FAILED" });
  assert.equal(getPath(state, "list.1.a"), 1);
  assert.equal(getPath(state, "constructor"), undefined);
  assert.deepEqual(state, copy);
});

test("cp_13_parameters_are_checked_against_the_schema", () => {
  const schema = {
    type: "object",
    properties: { a: { type: "integer", minimum: 1, maximum: 3 }, b: { type: ["string", "null"], maxLength: 2 }, c: { enum: ["x", 1] }, d: { type: "array", items: { type: "number" }, maxItems: 2 } },
    required: ["a"],
    additionalProperties: false,
  };
  checkSchema(schema);
  const at = (value) => validate(schema, value).map((one) => one.pointer);
  assert.deepEqual(at({ a: 1, b: null, c: 1, d: [1.5] }), []);
  assert.deepEqual(at({ a: 3, b: "漢字" }), []);
  assert.deepEqual(at({}), ["/a"]);
  assert.deepEqual(at({ a: 1.5 }), ["/a"]);
  assert.deepEqual(at({ a: 4, b: "abc", c: "y", d: ["1", 2, 3], "e/~": 1 }), ["/a", "/b", "/c", "/d", "/d/0", "/e~1~0"]);
  assert.deepEqual(at([]), [""]);
  assert.deepEqual(validate({ exclusiveMinimum: 0 }, 0).length, 1);
  assert.throws(() => checkSchema({ anyOf: [] }), /anyOf/);
});

test("cp_3_what_is_wrong_with_a_message_is_told_by_pointer", () => {
  const good = { messageId: "m", timestamp: "t", type: "ACK", sender: { id: "s", type: "SYSTEM" }, content: { messageId: "x" } };
  assert.deepEqual(checkMessage(good), []);
  assert.deepEqual(checkMessage({ ...good, sender: { id: 1, type: "ROBOT" }, contextId: 5, content: {} }).map((one) => one.pointer), ["/contextId", "/sender/id", "/sender/type", "/content/messageId"]);
  const call = { ...good, type: "TOOL_CALL_REQUEST", content: { calls: [{ callId: "c", name: "n", parameters: "x", userPrompt: 1 }, null] } };
  assert.deepEqual(checkMessage(call).map((one) => one.pointer), ["/content/calls/0/parameters", "/content/calls/0/userPrompt", "/content/calls/1"]);
  const empty = { ...good, type: "TOOL_CALL_REQUEST", contextId: null, metadata: null, content: { toolCalls: [{ callId: "c", name: "n", parameters: null, userPrompt: null }] } };
  assert.deepEqual(checkMessage(empty), [], "null says no more than absence");
  // Whatever stands in whichever place: it is told, and nothing else happens.
  const types = ["MODEL_RESPONSE", "MODEL_RESPONSE_DELTA", "TOOL_CALL_REQUEST", "TOOL_CALL_RESPONSE", "ERROR_RESPONSE", "WELCOME", "ACK", "CONTROL", "CONTEXT_DELTA", "OTHER"];
  const fields = ["messageId", "text", "finishReason", "toolCalls", "calls", "results", "changes", "version", "details", "errorCode", "action"];
  for (const type of types) for (const field of fields) for (const value of [null, 1, "x", true, [], [null], [1], [[]], {}, { length: 2 }]) {
    const found = checkMessage({ ...good, type, content: { [field]: value } });
    for (const one of found) assert.match(one.pointer, /^\/content/);
  }
  for (const value of [null, 1, "x", [], {}, { content: [] }, { ...good, sender: null }, { ...good, type: 5 }, { ...good, type: "__proto__" }]) checkMessage(value);
  assert.throws(() => readMessage("[1"), { code: "PARSE_ERROR" });
  assert.equal(isKnown(good), true);
  assert.equal(isKnown({ ...good, type: "toString" }), false);
});

test("cp_17_codes_have_meaning_and_remedy", () => {
  for (const [code, { meaning, remedy }] of Object.entries(ERROR_CODES)) assert.ok(meaning.endsWith(".") && remedy.endsWith("."), code);
  assert.equal(new ContextureError("TIMEOUT", "x").remedy, ERROR_CODES.TIMEOUT.remedy);
  assert.equal(new ContextureError("toString", "x").remedy, "");
});

test("cp_1_ids_are_ulids_that_do_not_repeat", () => {
  const ids = new Set(Array.from({ length: 1_000 }, () => newId("msg")));
  assert.equal(ids.size, 1_000);
  for (const id of ids) assert.match(id, /^msg_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
});

test("cp_19_files_are_kept_by_handle_and_within_a_limit", () => {
  const store = new FileStore(10);
  const kept = store.keep(new Blob(["12345678"], { type: "image/png" }), "a.png");
  assert.match(kept.id, /^img_/);
  assert.equal(store.get(kept.id).name, "a.png");
  assert.throws(() => store.keep(new Blob(["123"]), "b"), { code: "TOO_LARGE" });
  store.release(kept.id);
  assert.throws(() => store.get(kept.id), { code: "REFERENCE_MISSING" });
  assert.match(store.keep(new Blob(["123"]), "b").id, /^file_/);
});

test("cp_16_an_image_fits_into_a_box_and_marks_are_read", () => {
  assert.deepEqual(fit({ width: 1280, height: 720 }, { width: 300, height: 200 }), { width: 300, height: 169 });
  assert.deepEqual(fit({ width: 1, height: 9_000 }, { width: 300, height: 200 }), { width: 1, height: 200 });
  assert.deepEqual(readMarks([{ label: "cat", score: 0.914, box: [1, 2, 3, 4] }, { box: { x: 0, y: 0, width: 5, height: 5 } }, { x: 1, y: 1, width: 1, height: 1, label: "dot" }]), [
    { x: 1, y: 2, width: 3, height: 4, label: "cat 91%" },
    { x: 0, y: 0, width: 5, height: 5, label: "" },
    { x: 1, y: 1, width: 1, height: 1, label: "dot" },
  ]);
  assert.throws(() => readMarks([{ box: [1, 2] }]), { code: "VALIDATION_FAILED" });
});

test("cp_19_nothing_writes_markup", async () => {
  const { readdir } = await import("node:fs/promises");
  const files = (await readdir(new URL("../src/", import.meta.url), { recursive: true })).filter((name) => name.endsWith(".ts"));
  assert.ok(files.length > 20);
  for (const name of files) {
    const text = await readFile(new URL(`../src/${name}`, import.meta.url), "utf8");
    assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc/, name);
  }
});

test("wa_1_call_is_remembered_over_a_reload_and_not_run_twice", async () => {
  const { CallRunner } = await import("../dist/calls.js");
  const { Toolbox } = await import("../dist/tools.js");
  const kept = new Map();
  const memory = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) };
  const settings = { memory, clientId: "page_1", deviceType: "d", platform: "p", version: "1", clientInfo: {}, limitations: { maxProcessingTime: 60_000 } };
  let ran = 0;
  /** What a page has after it is loaded. */
  const loaded = (run) => {
    const tools = new Toolbox(() => {});
    tools.add([tool("light", run)]);
    return new CallRunner(settings, tools, () => {});
  };
  const request = (callId) => ({ messageId: "msg_1", contextId: "ctx_1", metadata: { inReplyTo: "msg_0" }, content: { calls: [{ callId, name: "light", parameters: {} }] } });
  const [first] = await loaded(() => ++ran).run(request("a"));
  const [again] = await loaded(() => ++ran).run(request("a"));
  assert.deepEqual([first.result, again.result, ran], [1, 1, 1]);
  // Loaded anew while it runs: nobody knows what it did.
  let end;
  void loaded(() => new Promise((done) => { ran += 1; end = done; })).run(request("b"));
  await new Promise((done) => setTimeout(done, 20));
  const [lost] = await loaded(() => ++ran).run(request("b"));
  assert.deepEqual([lost.error.code, ran], ["OUTCOME_UNCERTAIN", 2]);
  // Its timer would keep this process alive.
  end(2);
});
