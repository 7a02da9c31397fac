// Front-end tools: announcing, permission, running once, limits, time (CP-13 to CP-16).
import assert from "node:assert/strict";
import { test } from "node:test";
import { ToolFailure } from "../dist/index.js";
import { gate, next, start, tool, until } from "./support/kit.mjs";

/** Calls a tool from within a turn and gives the results. */
async function call(server, client, calls, more) {
  let results;
  server.agent = async (turn) => {
    results = await turn.call(calls, more);
    turn.answer("done");
  };
  await client.send("go", { contextId: "ctx_1" }).answer;
  return results;
}

test("cp_15_tools_are_announced_with_definition_permission_and_limits", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect({ clientId: "client_abc", deviceType: "smartphone", platform: "iOS", version: "15.0", supportedFeatures: ["offline_execution"], limitations: { maxFileSize: 7 } });
  client.addTools(
    tool("light", () => null),
    tool("camera", () => null, { definition: { permissionLevel: "USER_CONSENT", version: "1.2.0", capabilities: ["photo"] } }),
    tool("files", () => null, { definition: { permissionLevel: "ALWAYS_ASK" } }),
  );
  await client.announced;
  const { content } = server.received.find((message) => message.type === "CLIENT_CAPABILITIES");
  assert.deepEqual(content.supportedTools.map((one) => [one.toolId, one.permission]), [["light", "granted"], ["camera", "prompt"], ["files", "prompt"]]);
  assert.deepEqual(content.supportedTools[1], {
    toolId: "camera", name: "camera", description: "camera", version: "1.2.0", runtime: "FRONTEND", capabilities: ["photo"],
    parameters: { type: "object" }, permissionLevel: "USER_CONSENT", permission: "prompt",
  });
  const { supportedTools, ...rest } = content;
  assert.deepEqual(rest, {
    clientId: "client_abc", deviceType: "smartphone", platform: "iOS", version: "15.0",
    supportedFeatures: ["offline_execution"], limitations: { maxFileSize: 7, maxProcessingTime: 60_000 },
  });
  client.setPermission("camera", "denied");
  client.removeTool("light");
  await client.announced;
  assert.deepEqual([...server.sessions.values()][0].tools.map((one) => [one.toolId, one.permission]), [["camera", "denied"], ["files", "prompt"]]);
  assert.equal(server.received.filter((message) => message.type === "CLIENT_CAPABILITIES").length, 2);
});

test("cp_15_a_new_session_hears_of_the_tools_and_a_resumed_one_knows_them", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  client.addTools(tool("light", () => null));
  await client.announced;
  server.cut();
  await until(() => server.hellos.length === 2 && client.state === "open");
  assert.deepEqual(await client.availability([{ toolId: "light" }]), [{ toolId: "light", available: true }]);
  const announced = () => server.received.filter((message) => message.type === "CLIENT_CAPABILITIES").length;
  assert.equal(announced(), 1);
  server.forgetSessions();
  server.cut();
  await until(() => announced() === 2);
  assert.equal([...server.sessions.values()][0].tools.length, 1);
});

test("cp_14_a_call_is_run_and_answered_as_the_tool_of_the_client", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect({ clientId: "client_1", clientInfo: { browser: "chrome", capabilities: ["camera"] } });
  let context;
  client.addTools(tool("add", ({ a, b }, given) => { context = given; return { value: a + b }; }));
  const results = await call(server, client, [{ callId: "call_7", name: "add", parameters: { a: 2, b: 3 }, uiSettings: { theme: "dark" } }]);
  assert.equal(results.length, 1);
  const { executionTime, ...result } = results[0];
  assert.deepEqual(result, {
    callId: "call_7", status: "SUCCESS", result: { value: 5 },
    clientInfo: { deviceType: "server", platform: "node", version: "1.0.0", browser: "chrome", capabilities: ["camera"] },
  });
  assert.ok(Number.isInteger(executionTime));
  assert.deepEqual([context.callId, context.contextId, context.uiSettings], ["call_7", "ctx_1", { theme: "dark" }]);
  const answer = server.received.find((message) => message.type === "TOOL_CALL_RESPONSE");
  assert.deepEqual(answer.sender, { id: "client_1", type: "TOOL" });
  assert.equal(answer.contextId, "ctx_1");
  assert.ok(answer.metadata.inReplyTo);
});

test("cp_14_fields_that_are_null_are_absent", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  client.addTools(tool("light", (parameters) => parameters));
  const nothing = { parameters: null, userPrompt: null, fallbackBehavior: null, uiSettings: null, timeoutClient: null };
  const [result] = await call(server, client, [{ name: "light", ...nothing }], { executionMode: null, timeout: null, frontendTimeout: null });
  assert.deepEqual([result.status, result.result], ["SUCCESS", {}]);
});

test("cp_14_permission_is_asked_by_level_and_consent_is_remembered", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  const asked = [];
  client.onPermission = ({ tool: { toolId }, prompt }) => {
    asked.push([toolId, prompt]);
    return true;
  };
  client.addTools(
    tool("none", () => 1),
    tool("consent", () => 2, { definition: { permissionLevel: "USER_CONSENT" } }),
    tool("always", () => 3, { definition: { permissionLevel: "ALWAYS_ASK", name: "Always" } }),
  );
  for (let round = 0; round < 2; round += 1) {
    const results = await call(server, client, [
      { name: "none", userPrompt: "never shown" },
      { name: "consent", userPrompt: "此操作将截取屏幕?<b>" },
      { name: "always" },
    ]);
    assert.deepEqual(results.map((result) => result.result), [1, 2, 3]);
  }
  assert.deepEqual(asked, [["consent", "此操作将截取屏幕?<b>"], ["always", 'Allow "Always"?'], ["always", 'Allow "Always"?']]);
  assert.equal(client.permission("consent"), "granted");
  assert.equal(client.permission("always"), "prompt");
  client.setPermission("consent", "prompt");
  await call(server, client, [{ name: "consent", userPrompt: "again?" }]);
  assert.equal(asked.at(-1)[1], "again?");
});

test("cp_14_a_refusal_is_permission_denied_and_is_not_for_ever", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  let answer = false;
  let runs = 0;
  client.onPermission = async () => answer;
  client.addTools(tool("camera", () => (runs += 1), { definition: { permissionLevel: "USER_CONSENT" } }));
  const refused = await call(server, client, [{ name: "camera" }]);
  assert.equal(refused[0].status, "ERROR");
  assert.equal(refused[0].error.code, "PERMISSION_DENIED");
  assert.equal("result" in refused[0], false);
  assert.equal(runs, 0);
  answer = true;
  assert.equal((await call(server, client, [{ name: "camera" }]))[0].status, "SUCCESS");
  client.setPermission("camera", "denied");
  assert.equal((await call(server, client, [{ name: "camera" }]))[0].error.code, "PERMISSION_DENIED");
  assert.equal(runs, 1);
});

test("cp_19_no_answer_means_no", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  client.addTools(tool("camera", () => 1, { definition: { permissionLevel: "USER_CONSENT" } }));
  assert.equal((await call(server, client, [{ name: "camera" }]))[0].error.code, "PERMISSION_DENIED", "without a hook");
  let ended = false;
  client.onPermission = ({ signal }) => new Promise(() => signal.addEventListener("abort", () => (ended = true)));
  const [result] = await call(server, client, [{ name: "camera", timeoutClient: 0.02 }]);
  assert.deepEqual([result.status, result.error.code], ["ERROR", "PERMISSION_DENIED"]);
  assert.ok(ended, "the question is taken away");
  client.onPermission = () => "yes";
  assert.equal((await call(server, client, [{ name: "camera" }]))[0].error.code, "PERMISSION_DENIED", "only true is a yes");
  client.onPermission = () => { throw new Error("broken dialog"); };
  assert.equal((await call(server, client, [{ name: "camera" }]))[0].error.code, "EXECUTION_FAILED");
});

test("cp_14_calls_at_the_same_time_ask_one_after_another_and_once", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  let open = 0;
  let most = 0;
  let asked = 0;
  client.onPermission = async () => {
    asked += 1;
    most = Math.max(most, (open += 1));
    await new Promise((done) => setTimeout(done, 5));
    open -= 1;
    return true;
  };
  client.addTools(tool("camera", () => 1, { definition: { permissionLevel: "USER_CONSENT" } }), tool("files", () => 2, { definition: { permissionLevel: "ALWAYS_ASK" } }));
  const results = await call(server, client, [{ name: "camera" }, { name: "camera" }, { name: "files" }, { name: "files" }], { executionMode: "PARALLEL" });
  assert.deepEqual(results.map((result) => result.result), [1, 1, 2, 2]);
  assert.equal(most, 1);
  assert.equal(asked, 3);
});

test("cp_14_a_call_that_is_asked_again_after_a_cut_is_run_once", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  const go = gate();
  let runs = 0;
  client.addTools(tool("once", async () => { runs += 1; await go.wait; return { runs }; }));
  const running = next(client, "call", ({ status }) => status === "running");
  const finished = call(server, client, [{ callId: "call_1", name: "once" }]);
  await running;
  server.cut();
  await until(() => server.hellos.length === 2 && client.state === "open");
  // Asked again while it still runs, and below once more when it is done and its answer was lost.
  let lost = true;
  server.ignore = (message) => {
    if (!lost || message.type !== "TOOL_CALL_RESPONSE") return false;
    lost = false;
    server.cut();
    return true;
  };
  go.open();
  const results = await finished;
  assert.deepEqual(results[0].result, { runs: 1 });
  assert.equal(runs, 1);
  const answers = server.received.filter((message) => message.type === "TOOL_CALL_RESPONSE").map((message) => message.content.results[0]);
  assert.ok(answers.length >= 2);
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
});

test("cp_14_the_same_call_id_in_another_turn_or_for_another_call_is_another_call", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  let runs = 0;
  client.addTools(tool("count", () => (runs += 1)));
  for (let turn = 1; turn <= 3; turn += 1) {
    const [result] = await call(server, client, [{ callId: "call_1", name: "count" }]);
    assert.equal(result.result, turn);
  }
  server.agent = async (turn) => {
    await turn.call([{ callId: "call_1", name: "count", parameters: { of: "a" } }]);
    await turn.call([{ callId: "call_1", name: "count", parameters: { of: "b" } }]);
    await turn.call([{ callId: "call_1", name: "count", parameters: { of: "b" } }]);
    turn.answer("done");
  };
  await client.send("go").answer;
  assert.equal(runs, 5);
});

test("cp_14_time_runs_out_for_the_call_the_request_and_the_processing", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect({ limitations: { maxProcessingTime: 25 } });
  const reasons = [];
  const slow = (_, { signal }) => new Promise((_done, fail) => signal.addEventListener("abort", () => { reasons.push(signal.reason.code); fail(signal.reason); }));
  client.addTools(tool("slow", slow), tool("patient", slow, { interactive: true }), tool("deaf", () => new Promise(() => {})));
  for (const [given, more] of [
    [{ name: "patient", timeoutClient: 0.02 }, {}],
    [{ name: "patient" }, { frontendTimeout: 0.02 }],
    [{ name: "patient" }, { timeout: 0.02 }],
    [{ name: "slow" }, {}],
    [{ name: "deaf" }, {}],
  ]) {
    const [result] = await call(server, client, [given], more);
    assert.deepEqual([result.status, result.error.code], ["TIMEOUT", "TIMEOUT"], given.name);
    assert.ok(result.executionTime >= 15);
  }
  assert.deepEqual(reasons, ["TIMEOUT", "TIMEOUT", "TIMEOUT", "TIMEOUT"]);
});

test("cp_14_what_can_not_be_run_is_told_with_a_code", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  const schema = { type: "object", properties: { selector: { type: "string", minLength: 1 }, duration: { type: "integer", default: 3 } }, required: ["selector"], additionalProperties: false };
  client.addTools(
    tool("strict", (parameters) => parameters, { definition: { parameters: schema } }),
    tool("broken", () => { throw new Error("no lens"); }),
    tool("coded", () => { throw new ToolFailure("TOO_LARGE", "10 of 5", { size: 10 }); }),
  );
  const failed = async (given) => (await call(server, client, [given]))[0];
  assert.equal((await failed({ name: "missing" })).error.code, "UNKNOWN_ACTION");
  const wrong = await failed({ name: "strict", parameters: { selector: "", more: 1 } });
  assert.equal(wrong.error.code, "VALIDATION_FAILED");
  assert.deepEqual(wrong.error.details.violations.map((one) => one.pointer), ["/parameters/selector", "/parameters/more"]);
  assert.deepEqual((await failed({ name: "strict", parameters: { selector: "#a" } })).result, { selector: "#a", duration: 3 });
  const broken = await failed({ name: "broken" });
  assert.deepEqual([broken.status, broken.error], ["ERROR", { code: "EXECUTION_FAILED", message: "no lens" }]);
  assert.deepEqual((await failed({ name: "coded" })).error, { code: "TOO_LARGE", message: "10 of 5", details: { size: 10 } });
});

test("cp_14_after_a_refusal_abort_starts_nothing_more_and_skip_goes_on", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  client.addTools(tool("camera", () => 1, { definition: { permissionLevel: "USER_CONSENT" } }), tool("light", () => 2), tool("broken", () => { throw new Error("x"); }));
  const codes = (results) => results.map((result) => result.error?.code ?? result.status);
  assert.deepEqual(codes(await call(server, client, [{ name: "light" }, { name: "camera" }, { name: "light" }])), ["SUCCESS", "PERMISSION_DENIED", "CANCELLED"]);
  assert.deepEqual(codes(await call(server, client, [{ name: "camera", fallbackBehavior: "SKIP" }, { name: "light" }])), ["PERMISSION_DENIED", "SUCCESS"]);
  assert.deepEqual(codes(await call(server, client, [{ name: "broken" }, { name: "light" }])), ["EXECUTION_FAILED", "SUCCESS"]);
});

test("cp_14_modes_decide_what_runs_at_the_same_time", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  let running = 0;
  let most = 0;
  client.addTools(tool("work", async () => {
    most = Math.max(most, (running += 1));
    await new Promise((done) => setTimeout(done, 5));
    running -= 1;
    return most;
  }));
  for (const [executionMode, expected] of [[undefined, 1], ["SYNC", 1], ["SEQUENTIAL", 1], ["FRONTEND_FIRST", 1], ["PARALLEL", 3], ["ASYNC", 3], ["CLIENT_SERVER_PARALLEL", 3]]) {
    most = 0;
    const results = await call(server, client, [{ name: "work" }, { name: "work" }, { name: "work" }], { executionMode });
    assert.equal(most, expected, executionMode);
    assert.equal(results.length, 3);
  }
});

test("cp_14_the_server_can_cancel_a_running_call", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  client.addTools(tool("forever", (_, { signal }) => new Promise((_done, fail) => signal.addEventListener("abort", () => fail(signal.reason)))));
  const running = next(client, "call", ({ status }) => status === "running");
  const finished = call(server, client, [{ callId: "call_9", name: "forever" }]);
  await running;
  server.send([...server.sessions.values()][0], server.make("CONTROL", { action: "CANCEL", target: "call_9" }));
  const [result] = await finished;
  assert.deepEqual([result.status, result.error.code], ["ERROR", "CANCELLED"]);
});

test("cp_8_a_cancelled_turn_takes_its_question_away", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  client.addTools(tool("camera", () => 1, { definition: { permissionLevel: "USER_CONSENT" } }));
  const asking = new Promise((asked) => {
    client.onPermission = ({ signal }) => new Promise(() => asked(signal));
  });
  server.agent = async (turn) => {
    const results = turn.call([{ name: "camera" }]);
    await turn.stop;
    assert.equal((await results)[0].error.code, "CANCELLED");
    turn.breakOff("CANCELLED");
  };
  const turn = client.send("photo");
  const signal = await asking;
  await turn.cancel();
  assert.equal(signal.aborted, true);
  await assert.rejects(turn.answer, { code: "CANCELLED" });
});

test("cp_13_a_schema_with_keywords_that_are_not_checked_is_refused", async (t) => {
  const { connect } = await start(t);
  const client = await connect();
  const odd = { type: "object", properties: { a: { type: "string", pattern: "^x" } } };
  assert.throws(() => client.addTools(tool("odd", () => 1, { definition: { parameters: odd } })), /pattern at \/properties\/a/);
  assert.deepEqual(client.tools, []);
});

test("cp_19_the_user_is_asked_before_the_server_does_something_sensitive", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  const ask = { callId: "ask_1", name: "confirm_action", runtime: "FRONTEND", userPrompt: "May I?", parameters: { action: "file.write", runtime: "BACKEND", parameters: { path: "a" } } };
  const [refused] = await call(server, client, [ask]);
  assert.deepEqual(refused.result, { allowed: false }, "nobody there is a no");
  const asked = [];
  client.onPermission = ({ tool, call, prompt }) => {
    asked.push([tool.toolId, tool.runtime, prompt, call.parameters]);
    return asked.length > 1;
  };
  await client.announced;
  assert.deepEqual([...server.sessions.values()][0].tools.map((one) => one.toolId), ["confirm_action"]);
  const results = await call(server, client, [{ ...ask, callId: "ask_2" }, { ...ask, callId: "ask_3", userPrompt: undefined }, { ...ask, callId: "ask_4", parameters: {} }]);
  assert.deepEqual(results.map((one) => one.result?.allowed ?? one.error.code), [false, true, "VALIDATION_FAILED"]);
  assert.deepEqual(asked, [["file.write", "BACKEND", "May I?", { path: "a" }], ["file.write", "BACKEND", 'Allow "file.write"?', { path: "a" }]]);
  assert.throws(() => client.addTools(tool("confirm_action", () => null)), /onPermission/);
});

test("cp_19_sensitive_results_stay_in_the_client_under_a_handle", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  let used;
  client.addTools(
    tool("passport", () => ({ number: "X1234567" }), { sensitive: true }),
    tool("fill_form", ({ from }, { kept }) => ((used = kept(from)), { filled: true })),
  );
  await client.announced;
  const [given] = await call(server, client, [{ callId: "c1", name: "passport", runtime: "FRONTEND" }]);
  assert.match(given.result.handle, /^res_/);
  assert.deepEqual(Object.keys(given.result), ["handle"]);
  const results = await call(server, client, [
    { callId: "c2", name: "fill_form", runtime: "FRONTEND", parameters: { from: given.result.handle } },
    { callId: "c3", name: "fill_form", runtime: "FRONTEND", parameters: { from: "res_none" } },
  ]);
  assert.deepEqual(used, { number: "X1234567" });
  assert.deepEqual(results.map((one) => one.result?.filled ?? one.error.code), [true, "REFERENCE_MISSING"]);
  assert.ok(!JSON.stringify(server.received).includes("X1234567"), "it never left");
});
