// Turns: deltas, the answer, cancelling, failures (CP-5, CP-8, CP-16).
import assert from "node:assert/strict";
import { test } from "node:test";
import { all, next, start, until } from "./support/kit.mjs";

test("cp_16_a_turn_gives_its_pieces_and_its_answer", async (t) => {
  const { server, connect } = await start(t);
  server.agent = async (turn) => {
    for (const text of ["北京", "今天", "晴"]) turn.delta(text);
    turn.answer();
  };
  const client = await connect({ userId: "user_123" });
  const turn = client.send("天气?", { contextId: "ctx_weather", metadata: { custom: [1] }, attachments: [{ type: "IMAGE", url: "https://x/y.png" }] });
  const pieces = await all(turn);
  assert.deepEqual(pieces.map(({ index, text }) => [index, text]), [[0, "北京"], [1, "今天"], [2, "晴"]]);
  const answer = await turn.answer;
  assert.equal(answer.content.text, "北京今天晴");
  assert.equal(answer.content.finishReason, "STOP");
  assert.equal(pieces[0].messageId, answer.messageId);
  assert.equal(await turn.contextId, "ctx_weather");
  const sent = server.received.find((message) => message.type === "USER_INPUT");
  assert.deepEqual(sent.sender, { id: "user_123", type: "USER" });
  assert.deepEqual(sent.content, { text: "天气?", attachments: [{ type: "IMAGE", url: "https://x/y.png" }] });
  assert.deepEqual(sent.metadata, { custom: [1] });
  assert.equal(new Date(sent.timestamp).toISOString(), sent.timestamp);
});

test("cp_9_a_context_that_the_server_makes_is_told", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  const turn = client.send("hello");
  const contextId = await turn.contextId;
  assert.ok(server.contexts.has(contextId));
  assert.equal((await turn.answer).contextId, contextId);
});

test("cp_5_messages_within_a_turn_do_not_end_it", async (t) => {
  const { server, connect } = await start(t);
  server.agent = async (turn) => {
    turn.wishes("I look it up.", [{ callId: "call_1", name: "weather_api", parameters: { city: "北京" } }]);
    turn.reply("PROGRESS", { id: "call_1", status: "RUNNING" });
    turn.reply("TOOL_CALL_RESPONSE", { results: [{ callId: "call_1", status: "SUCCESS", result: { temperature: "5°C" } }] });
    turn.delta("5°C");
    turn.answer();
  };
  const client = await connect();
  const types = [];
  const turn = client.send("weather", { onMessage: (message) => types.push(message.type) });
  assert.equal((await turn.answer).content.text, "5°C");
  assert.deepEqual(types, ["ACK", "MODEL_RESPONSE", "PROGRESS", "TOOL_CALL_RESPONSE", "MODEL_RESPONSE_DELTA", "MODEL_RESPONSE"]);
  assert.deepEqual((await all(turn)).map((piece) => piece.text), ["I look it up.", "5°C"]);
});

test("cp_2_a_response_without_reason_or_text_is_read_by_what_it_has", async (t) => {
  const { server, connect } = await start(t);
  server.agent = async (turn) => {
    turn.reply("MODEL_RESPONSE", { toolCalls: [{ callId: "call_1", name: "x", parameters: {} }] }, { contextId: turn.contextId });
    turn.reply("MODEL_RESPONSE", {}, { contextId: turn.contextId });
  };
  const client = await connect();
  const turn = client.send("x");
  assert.deepEqual((await turn.answer).content, {});
  assert.deepEqual(await all(turn), []);
});

test("cp_8_a_cancelled_turn_fails_with_the_text_so_far", async (t) => {
  const { server, connect } = await start(t);
  server.agent = async (turn) => {
    turn.delta("so far");
    await turn.stop;
    turn.breakOff("CANCELLED");
  };
  const client = await connect();
  const turn = client.send("long story");
  for await (const piece of turn) {
    assert.equal(piece.text, "so far");
    await turn.cancel();
  }
  const error = await turn.answer.catch((failed) => failed);
  assert.equal(error.code, "CANCELLED");
  assert.equal(error.partial.text, "so far");
  const control = server.received.find((message) => message.type === "CONTROL");
  assert.deepEqual(control.content, { action: "CANCEL", target: turn.messageId });
  await turn.cancel();
});

test("cp_8_a_turn_that_just_ended_is_not_cancelled_and_that_is_no_fault", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  // The cancelling is on its way when the answer comes.
  server.agent = async (turn) => {
    turn.delta("x");
    await new Promise((done) => setTimeout(done, 5));
    turn.answer();
  };
  server.ignore = (message) => {
    if (message.type === "CONTROL") message.content.target = "msg_gone";
    return false;
  };
  const turn = client.send("short");
  await next(client, "message", (message) => message.type === "MODEL_RESPONSE_DELTA");
  await turn.cancel();
  assert.equal((await turn.answer).content.text, "x");
});

test("cp_8_a_signal_cancels_too", async (t) => {
  const { server, connect } = await start(t);
  server.agent = async (turn) => {
    turn.delta("x");
    await turn.stop;
    turn.breakOff("CANCELLED");
  };
  const client = await connect();
  const stop = new AbortController();
  const turn = client.send("long", { signal: stop.signal });
  await next(client, "message", (message) => message.type === "MODEL_RESPONSE_DELTA");
  stop.abort();
  await assert.rejects(turn.answer, { code: "CANCELLED" });
  await assert.rejects(client.send("not at all", { signal: AbortSignal.abort() }).answer, { code: "CANCELLED" });
  assert.equal(server.received.filter((message) => message.type === "USER_INPUT").length, 1);
});

test("cp_17_an_error_response_is_an_error_with_code_and_remedy", async (t) => {
  const { server, connect } = await start(t);
  server.agent = async (turn) => {
    turn.reply("ERROR_RESPONSE", {
      errorCode: "AUTH_FAILED", message: "认证失败", source: "服务端", recoverable: true, suggestedAction: "请稍后重试",
      details: { requestId: "req_1", traceId: "trace_1", violatedPolicies: ["rate_limit"] },
    });
  };
  const client = await connect();
  const error = await client.send("x").answer.catch((failed) => failed);
  assert.equal(error.name, "ContextureError");
  assert.deepEqual(
    [error.code, error.message, error.source, error.recoverable, error.remedy, error.details.violatedPolicies],
    ["AUTH_FAILED", "认证失败", "服务端", true, "请稍后重试", ["rate_limit"]],
  );
});

test("cp_8_pieces_that_were_lost_come_with_the_answer", async (t) => {
  const { server, connect } = await start(t);
  server.agent = async (turn) => {
    turn.delta("a");
    turn.reply("MODEL_RESPONSE_DELTA", { messageId: turn.responseId, index: 0, text: "a" }, { contextId: turn.contextId });
    turn.reply("MODEL_RESPONSE_DELTA", { messageId: turn.responseId, index: 2, text: "c" }, { contextId: turn.contextId });
    turn.answer("abcd");
  };
  const client = await connect();
  const turn = client.send("x");
  assert.deepEqual((await all(turn)).map((piece) => piece.text), ["a", "bcd"]);
});

test("cp_16_turns_at_the_same_time_do_not_meet", async (t) => {
  const { server, connect } = await start(t);
  server.agent = async (turn) => {
    for (let at = 0; at < 3; at += 1) {
      turn.delta(turn.text);
      await new Promise((done) => setTimeout(done, 1));
    }
    turn.answer();
  };
  const client = await connect();
  const turns = Array.from({ length: 20 }, (_, at) => client.send(`<${at}>`));
  const answers = await Promise.all(turns.map(async (turn) => [(await turn.answer).content.text, (await all(turn)).map((piece) => piece.text).join("")]));
  answers.forEach(([text, pieces], at) => {
    assert.equal(text, `<${at}>`.repeat(3));
    assert.equal(pieces, text);
  });
});

test("cp_16_any_message_can_be_sent", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  await assert.rejects(client.request("WEATHER", { sky: 1 }), { code: "UNKNOWN_TYPE" });
  assert.deepEqual(await client.availability([{ toolId: "x", minVersion: "1.0.0" }]), [{ toolId: "x", available: false }]);
  assert.equal((await client.request("SUBSCRIBE", { contextId: server.context("ctx_1").contextId }, { answer: "ACK" })).content.version, 0);
  await until(() => server.received.length === 3);
});
