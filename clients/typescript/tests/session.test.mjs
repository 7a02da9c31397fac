// Sessions: opening, resuming, back-off, heartbeat (CP-4, CP-6, CP-7, CP-16).
import assert from "node:assert/strict";
import { test } from "node:test";
import { ContextureClient } from "../dist/index.js";
import { all, gate, next, start, until } from "./support/kit.mjs";

test("cp_16_a_client_says_hello_first_and_is_welcomed", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect({ clientId: "client_1" });
  assert.equal(client.state, "open");
  const [hello] = server.hellos;
  assert.equal(hello.type, "HELLO");
  assert.deepEqual(hello.content, { protocolVersion: "1.0.0" });
  assert.deepEqual(hello.sender, { id: "client_1", type: "USER" });
  assert.equal("contextId" in hello, false);
  assert.match(hello.messageId, /^msg_[0-9A-HJKMNP-TV-Z]{26}$/);
  assert.equal(client.sessionId, [...server.sessions.keys()][0]);
});

test("cp_16_a_token_goes_in_a_subprotocol_and_in_a_header", async (t) => {
  const { server, connect } = await start(t);
  server.token = "~pa/ss+wo\"rd?==";
  const client = await connect({ token: server.token });
  assert.deepEqual(await client.contexts.list(), { contexts: [] });
  assert.throws(() => new ContextureClient({ url: server.url, token: "漢\r\n" }), { code: "AUTH_FAILED" });
});

test("cp_16_a_wrong_token_is_told_once_and_not_tried_again", async (t) => {
  const { server } = await start(t);
  server.token = "right";
  const client = new ContextureClient({ url: server.url, token: "wrong" });
  const turn = client.send("waiting");
  await assert.rejects(client.connect(), { name: "ContextureError", code: "AUTH_FAILED", remedy: "mend it", recoverable: false });
  assert.equal(client.state, "closed");
  await assert.rejects(turn.answer, { code: "AUTH_FAILED" });
  await assert.rejects(client.connect(), { code: "AUTH_FAILED" });
});

test("cp_16_a_server_that_is_down_is_tried_until_the_attempts_are_used_up", async (t) => {
  const { server } = await start(t);
  server.refuse = 503;
  const client = new ContextureClient({ url: server.url, reconnect: { initial: 1, max: 2, attempts: 3 } });
  let lost = 0;
  client.on("error", () => (lost += 1));
  await assert.rejects(client.connect(), { code: "CONNECTION_FAILED", recoverable: true });
  assert.equal(lost, 3);
});

test("cp_16_a_server_that_comes_up_later_is_found", async (t) => {
  const { server } = await start(t);
  server.refuse = 503;
  const client = new ContextureClient({ url: server.url, reconnect: { initial: 2, max: 4 } });
  t.after(() => client.close());
  const connected = client.connect();
  await next(client, "error");
  server.refuse = undefined;
  await connected;
  assert.equal(client.state, "open");
});

test("cp_4_another_major_version_ends_the_client", async (t) => {
  const { server } = await start(t);
  server.unwelcome = (hello) => server.refusal("UNSUPPORTED_VERSION", "1.x and 2.x", hello.messageId, true);
  const client = new ContextureClient({ url: server.url });
  await assert.rejects(client.connect(), { code: "UNSUPPORTED_VERSION", message: "1.x and 2.x", source: "SERVER" });
});

test("cp_4_a_busy_server_that_says_so_is_tried_again", async (t) => {
  const { server } = await start(t);
  server.unwelcome = (hello) => server.refusal("RATE_LIMITED", "later", hello.messageId, true);
  const client = new ContextureClient({ url: server.url, reconnect: { initial: 1, max: 2 } });
  t.after(() => client.close());
  const connected = client.connect();
  assert.equal((await next(client, "error")).message, "later");
  server.unwelcome = undefined;
  await connected;
});

test("cp_16_what_is_sent_before_the_connection_goes_out_with_it", async (t) => {
  const { server } = await start(t);
  const client = new ContextureClient({ url: server.url });
  t.after(() => client.close());
  const turn = client.send("early");
  await client.connect();
  assert.equal((await turn.answer).content.text, "You said: early");
});

test("cp_6_a_cut_turn_goes_on_where_it_was_and_nothing_is_lost_or_repeated", async (t) => {
  const { server, connect } = await start(t);
  const half = gate();
  server.agent = async (turn) => {
    turn.delta("one ");
    turn.delta("two ");
    await half.wait;
    turn.delta("three");
    turn.answer();
  };
  const client = await connect();
  const seen = [];
  client.on("message", (message) => seen.push(message));
  const turn = client.send("count");
  await until(() => seen.some((message) => message.content.index === 1));
  server.cut();
  half.open();
  assert.deepEqual((await all(turn)).map((piece) => piece.text), ["one ", "two ", "three"]);
  assert.equal((await turn.answer).content.text, "one two three");
  assert.equal(server.received.filter((message) => message.type === "USER_INPUT").length, 1);
  const seqs = seen.map((message) => message.metadata.seq);
  assert.deepEqual(seqs, [...seqs.keys()].map((at) => at + 1));
  assert.deepEqual(server.hellos[1].content, { protocolVersion: "1.0.0", sessionId: client.sessionId, lastSeq: 3 });
});

test("cp_7_a_message_that_was_lost_is_sent_again_under_its_id", async (t) => {
  const { server, connect } = await start(t);
  let lost = true;
  server.ignore = (message) => {
    if (!lost || message.type !== "USER_INPUT") return false;
    lost = false;
    server.cut();
    return true;
  };
  const client = await connect();
  const turn = client.send("hello?");
  assert.equal((await turn.answer).content.text, "You said: hello?");
  const inputs = server.received.filter((message) => message.type === "USER_INPUT");
  assert.deepEqual(inputs.map((message) => message.messageId), [turn.messageId, turn.messageId]);
  assert.deepEqual(inputs[0], inputs[1]);
});

test("cp_7_in_a_new_session_an_open_turn_is_asked_again_and_answered_once", async (t) => {
  const { server, connect } = await start(t);
  const go = gate();
  let runs = 0;
  server.agent = async (turn) => {
    runs += 1;
    turn.delta("first ");
    await go.wait;
    turn.delta("second");
    turn.answer();
  };
  const client = await connect();
  const before = client.sessionId;
  const seen = [];
  client.on("message", (message) => seen.push(message));
  const turn = client.send("long");
  const pieces = all(turn);
  await until(() => seen.some((message) => message.type === "MODEL_RESPONSE_DELTA"));
  server.forgetSessions();
  server.cut();
  await until(() => server.hellos.length === 2 && server.received.filter((message) => message.type === "USER_INPUT").length === 2);
  assert.notEqual(client.sessionId, before);
  go.open();
  assert.equal((await turn.answer).content.text, "first second");
  assert.equal(runs, 1);
  assert.equal((await pieces).map((piece) => piece.text).join(""), "first second");
});

test("cp_6_a_message_with_a_seq_that_was_seen_is_dropped", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  const texts = [];
  client.on("message", (message) => message.type === "SYSTEM_MESSAGE" && texts.push(message.content.text));
  const session = [...server.sessions.values()][0];
  const sent = server.send(session, server.make("SYSTEM_MESSAGE", { action: "INFO", text: "once" }));
  session.socket.send(JSON.stringify(sent));
  server.send(session, server.make("SYSTEM_MESSAGE", { action: "INFO", text: "twice" }));
  await until(() => texts.includes("twice"));
  assert.deepEqual(texts, ["once", "twice"]);
});

test("cp_6_a_silent_connection_is_given_up_and_resumed", async (t) => {
  const { server, connect } = await start(t);
  server.ignore = (message) => message.type === "TOOL_AVAILABILITY_REQUEST";
  const client = await connect({ heartbeat: { idle: 20, answer: 20 } });
  const error = await next(client, "error");
  assert.equal(error.message, "The server is silent.");
  server.ignore = () => false;
  await until(() => client.state === "open");
  assert.equal(server.hellos[1].content.sessionId, client.sessionId);
});

test("cp_6_a_quiet_server_that_answers_is_kept", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect({ heartbeat: { idle: 5, answer: 5_000 } });
  await until(() => server.received.filter((message) => message.type === "TOOL_AVAILABILITY_REQUEST").length >= 3);
  assert.equal(server.hellos.length, 1);
  assert.deepEqual(server.received[0].content, { tools: [] });
  client.close();
});

test("cp_16_what_is_no_message_is_told_and_does_no_harm", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  const errors = [];
  client.on("error", (error) => errors.push(error));
  const { socket } = [...server.sessions.values()][0];
  for (const text of ["{", "7", "null", '{"type":"ACK"}', JSON.stringify(server.make("TOOL_CALL_REQUEST", { calls: [{ callId: 1 }] }))]) socket.send(text);
  assert.equal((await client.send("still there?").answer).content.text, "You said: still there?");
  assert.deepEqual(errors.map((error) => error.code), ["PARSE_ERROR", "VALIDATION_FAILED", "VALIDATION_FAILED", "VALIDATION_FAILED", "VALIDATION_FAILED"]);
  assert.deepEqual(errors[4].details.violations.map((one) => one.pointer), ["/content/calls/0/callId", "/content/calls/0/name"]);
});

test("cp_1_unknown_types_and_fields_are_kept", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  const session = [...server.sessions.values()][0];
  const came = next(client, "message", (message) => message.type === "WEATHER_REPORT");
  server.send(session, { ...server.make("WEATHER_REPORT", { sky: { colour: "blue" } }), shade: [1] });
  const message = await came;
  assert.deepEqual(message.content, { sky: { colour: "blue" } });
  assert.deepEqual(message.shade, [1]);
});

test("cp_16_a_closed_client_fails_what_is_open_and_takes_nothing_new", async (t) => {
  const { server, connect } = await start(t);
  server.agent = () => new Promise(() => {});
  const client = await connect();
  const turn = client.send("never");
  const pieces = all(turn);
  client.close();
  await assert.rejects(turn.answer, { code: "CONNECTION_CLOSED" });
  await assert.rejects(turn.contextId, { code: "CONNECTION_CLOSED" });
  assert.deepEqual(await pieces, []);
  assert.throws(() => client.send("more"), { code: "CONNECTION_CLOSED" });
  assert.equal(client.state, "closed");
});

test("cp_16_open_messages_are_limited", async (t) => {
  const { server } = await start(t);
  const client = new ContextureClient({ url: server.url, maxOpen: 2 });
  t.after(() => client.close());
  client.send("1");
  client.send("2");
  assert.throws(() => client.send("3"), { code: "QUEUE_FULL" });
});

test("cp_16_a_listener_that_throws_harms_nobody_else", async (t) => {
  const { connect } = await start(t);
  const client = await connect();
  const uncaught = [];
  const listeners = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", (error) => uncaught.push(error.message));
  t.after(() => {
    process.removeAllListeners("uncaughtException");
    for (const listener of listeners) process.on("uncaughtException", listener);
  });
  client.on("message", (message) => {
    if (message.type === "MODEL_RESPONSE") throw new Error("mine");
  });
  assert.equal((await client.send("hi").answer).content.text, "You said: hi");
  await until(() => uncaught.length > 0);
  assert.deepEqual(uncaught, ["mine"]);
});

test("cp_16_bad_options_are_refused", () => {
  assert.throws(() => new ContextureClient({ url: "ftp://x" }), { code: "CONNECTION_FAILED" });
  assert.throws(() => new ContextureClient({ url: "http://x", maxOpen: 0 }), RangeError);
  assert.throws(() => new ContextureClient({ url: "http://x", limitations: { maxFileSize: Number.NaN } }), RangeError);
});
