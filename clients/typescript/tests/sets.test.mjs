// Tool calls and instruction sets that the server runs (FL-1, FL-12, CP-16).
import assert from "node:assert/strict";
import { test } from "node:test";
import { start, tool, until } from "./support/kit.mjs";

test("fl_1_results_come_in_the_order_of_the_calls", async (t) => {
  const { server, connect } = await start(t);
  const picked = [];
  server.set = async ({ message, reply, call }) => {
    const [pick] = message.content.calls;
    const [result] = await call([{ ...pick }]);
    reply("TOOL_CALL_RESPONSE", { results: [result, { callId: "b", status: "SUCCESS", result: 2 }] });
  };
  const client = await connect();
  client.addTools(tool("file_picker", (parameters) => { picked.push(parameters); return { fileId: "file_1" }; }));
  await client.announced;
  const run = client.requestTools("ctx_1", { calls: [{ callId: "a", name: "file_picker", runtime: "FRONTEND", parameters: { multiple: false } }, { callId: "b", name: "echo" }] });
  const results = await run.answer;
  assert.deepEqual(results.map(({ callId, status }) => [callId, status]), [["a", "SUCCESS"], ["b", "SUCCESS"]]);
  assert.deepEqual(results[0].result, { fileId: "file_1" });
  assert.deepEqual(picked, [{ multiple: false }]);
  assert.equal(server.received.find((message) => message.type === "TOOL_CALL_REQUEST").contextId, "ctx_1");
});

test("fl_1_an_asynchronous_request_ends_with_the_last_of_its_responses", async (t) => {
  const { server, connect } = await start(t);
  server.set = async ({ reply, ack }) => {
    ack(1);
    for (const callId of ["b", "b", "a"]) reply("TOOL_CALL_RESPONSE", { results: [{ callId, status: "SUCCESS", result: callId }] });
  };
  const client = await connect();
  const seen = [];
  const calls = ["a", "b"].map((callId) => ({ callId, name: "echo" }));
  const run = client.requestTools("ctx_1", { calls, executionMode: "ASYNC" }, { onResult: (result) => seen.push(result.callId) });
  assert.deepEqual((await run.answer).map((result) => result.callId), ["a", "b"]);
  assert.deepEqual(seen, ["b", "a"]);
});

test("fl_12_instructions_tell_their_progress_and_are_steered", async (t) => {
  const { server, connect } = await start(t);
  let end;
  server.set = async ({ message, reply }) => {
    server.sets.add(message.messageId);
    reply("PROGRESS", { id: "one", status: "RUNNING" });
    await new Promise((done) => { end = done; });
    reply("INSTRUCTION_RESPONSE", { status: "COMPLETED", results: [{ instructionId: "one", status: "COMPLETED", result: 1 }], order: ["one"] });
  };
  const client = await connect();
  const progress = [];
  const run = client.runInstructions("ctx_1", { instructions: [{ instructionId: "one", action: "echo" }] }, { onProgress: (one) => progress.push(one) });
  await until(() => end);
  await run.pause();
  await run.resume();
  end();
  assert.deepEqual((await run.answer).order, ["one"]);
  assert.deepEqual(progress, [{ id: "one", status: "RUNNING" }]);
  assert.deepEqual(server.steered, [["PAUSE", run.messageId], ["RESUME", run.messageId]]);
  // What has ended is not steered any more.
  await run.cancel();
  assert.equal(server.steered.length, 2);
});

test("fl_6_a_set_that_is_refused_fails_with_all_of_its_faults", async (t) => {
  const { server, connect } = await start(t);
  server.set = async ({ message, reply }) => {
    const { content } = server.refusal("CYCLE", "round", message.messageId);
    reply("ERROR_RESPONSE", { ...content, details: { ...content.details, diagnostics: [{ code: "CYCLE", path: "/content/instructions/0" }] } });
  };
  const client = await connect();
  const run = client.runInstructions("ctx_1", { instructions: [] });
  await assert.rejects(run.answer, (error) => error.code === "CYCLE" && error.details.diagnostics.length === 1);
});

test("fl_12_a_signal_cancels_a_set", async (t) => {
  const { server, connect } = await start(t);
  server.set = async ({ message }) => void server.sets.add(message.messageId);
  const client = await connect();
  const abort = new AbortController();
  const run = client.requestTools("ctx_1", { calls: [{ callId: "a", name: "sleep" }] }, { signal: abort.signal });
  await until(() => server.sets.size === 1);
  abort.abort();
  await until(() => server.steered.length === 1);
  assert.deepEqual(server.steered, [["CANCEL", run.messageId]]);
  const never = client.requestTools("ctx_1", { calls: [] }, { signal: abort.signal });
  await assert.rejects(never.answer, { code: "CANCELLED" });
});
