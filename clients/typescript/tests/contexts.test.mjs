// Contexts over HTTP, updates, and the replica of a state (CP-9 to CP-12, CP-16).
import assert from "node:assert/strict";
import { test } from "node:test";
import { ContextureClient, Replica } from "../dist/index.js";
import { all, next, start, until } from "./support/kit.mjs";

test("cp_16_contexts_are_listed_read_paged_and_deleted", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  for (let at = 0; at < 5; at += 1) server.context(`ctx_${at}`);
  for (let at = 0; at < 7; at += 1) await client.addMessage("ctx_0", { messageId: `m${at}`, type: "USER_INPUT", content: { text: `${at}` } });
  const first = await client.contexts.list({ limit: 3 });
  assert.deepEqual(first.contexts.map((one) => one.contextId), ["ctx_0", "ctx_1", "ctx_2"]);
  const second = await client.contexts.list({ limit: 3, after: first.next });
  assert.deepEqual([second.contexts.map((one) => one.contextId), second.next], [["ctx_3", "ctx_4"], undefined]);
  const page = await client.contexts.messages("ctx_0", { after: 2, limit: 2 });
  assert.deepEqual(page.messages.map((one) => one.messageId), ["m2", "m3"]);
  assert.deepEqual((await all(client.contexts.allMessages("ctx_0", 3))).map((one) => one.content.text), ["0", "1", "2", "3", "4", "5", "6"]);
  const whole = await client.contexts.get("ctx_0");
  assert.deepEqual([whole.version, whole.messages.length, whole.state], [7, 7, {}]);
  assert.equal((await client.contexts.changes("ctx_0", 5)).changes.length, 2);
  await client.contexts.delete("ctx_0");
  await assert.rejects(client.contexts.get("ctx_0"), { code: "CONTEXT_NOT_FOUND", source: "SERVER" });
});

test("cp_16_odd_context_ids_stay_in_their_place_of_the_address", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  const id = "ctx/../%2e?x=1#y 漢";
  server.context(id);
  assert.equal((await client.contexts.get(id)).contextId, id);
  for (const bad of ["..", ".", ""]) assert.throws(() => client.contexts.get(bad), { code: "CONTEXT_NOT_FOUND" });
});

test("cp_16_updates_give_the_version_and_conflicts_are_errors", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  assert.equal(await client.setState("ctx_1", "userPreferences.language", "英文"), 1);
  assert.equal(await client.setState("ctx_1", 'hosts."a.b".0', 5, { baseVersion: 1 }), 2);
  assert.equal(await client.removeState("ctx_1", "userPreferences.language"), 3);
  assert.equal(await client.clearHistory("ctx_1", "2025-12-01T09:00:00Z"), 4);
  assert.deepEqual(server.contexts.get("ctx_1").state, { userPreferences: {}, hosts: { "a.b": [5] } });
  const updates = server.received.filter((message) => message.type === "CONTEXT_UPDATE").map((message) => message.content);
  assert.deepEqual(updates, [
    { operation: "UPDATE_STATE", path: "userPreferences.language", value: "英文" },
    { operation: "UPDATE_STATE", path: 'hosts."a.b".0', value: 5, baseVersion: 1 },
    { operation: "REMOVE_STATE", path: "userPreferences.language" },
    { operation: "CLEAR_HISTORY", filter: { beforeTimestamp: "2025-12-01T09:00:00Z" } },
  ]);
  await client.setState("ctx_1", "topic", "x");
  await assert.rejects(client.setState("ctx_1", "topic", "y", { baseVersion: 2 }), { code: "VERSION_CONFLICT" });
});

test("wa_7_messages_are_added_together_and_contexts_renamed_and_found", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  const said = (id, text) => ({ messageId: id, type: "USER_INPUT", content: { text } });
  const subscription = client.subscribe((await client.addMessage("ctx_1", said("m0", "x"))) && "ctx_1");
  await subscription.ready;
  const changed = next(subscription, "change");
  assert.equal(await client.addMessages("ctx_1", [said("m1", "北京天气"), said("m2", "two")]), 2);
  assert.deepEqual((await changed).changes.map((change) => change.message.messageId), ["m1", "m2"]);
  assert.equal(await client.rename("ctx_1", "Wetter"), 3);
  assert.equal(await client.patchMetadata("ctx_1", { folder: "a" }, { baseVersion: 3 }), 4);
  await until(() => subscription.version === 4);
  const updates = server.received.filter((message) => message.type === "CONTEXT_UPDATE").map((message) => message.content);
  assert.deepEqual(updates.slice(2), [
    { operation: "UPDATE_METADATA", value: { title: "Wetter" } },
    { operation: "UPDATE_METADATA", value: { folder: "a" }, baseVersion: 3 },
  ]);
  await client.setState("ctx_2", "a", 1);
  for (const search of ["天气", "Wet"]) assert.deepEqual((await client.contexts.list({ search })).contexts.map((one) => one.contextId), ["ctx_1"]);
  await client.rename("ctx_1", null);
  assert.deepEqual((await client.contexts.list({ search: "Wet" })).contexts, []);
  assert.equal((await client.callable()).tools[0].name, "clock");
});

test("cp_11_a_subscription_keeps_the_state", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  await client.setState("ctx_1", "count", 1);
  const subscription = client.subscribe("ctx_1");
  assert.equal(client.subscribe("ctx_1"), subscription);
  await subscription.ready;
  assert.deepEqual([subscription.version, subscription.state], [1, { count: 1 }]);
  const changed = next(subscription, "change");
  server.change("ctx_1", { operation: "UPDATE_STATE", path: "list.0", value: { a: 1 } });
  const { changes, state, version } = await changed;
  assert.deepEqual([changes.length, state, version], [1, { count: 1, list: [{ a: 1 }] }, 2]);
  subscription.close();
  await client.setState("ctx_1", "count", 2);
  assert.equal(subscription.version, 2);
  assert.notEqual(client.subscribe("ctx_1"), subscription);
});

test("cp_11_clients_that_change_at_the_same_time_converge", async (t) => {
  const { server, connect } = await start(t);
  const clients = await Promise.all([connect(), connect(), connect()]);
  await clients[0].setState("ctx_1", "start", true);
  const subscriptions = clients.map((client) => client.subscribe("ctx_1"));
  await Promise.all(subscriptions.map((one) => one.ready));
  await Promise.all(clients.flatMap((client, at) => Array.from({ length: 20 }, (_, round) => client.setState("ctx_1", `by.${"abc"[at]}.r${round % 5}`, round))));
  await until(() => subscriptions.every((one) => one.version === 61));
  for (const one of subscriptions) assert.deepEqual(one.state, server.contexts.get("ctx_1").state);
});

test("cp_11_after_a_cut_and_in_a_new_session_the_state_is_caught_up", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  await client.setState("ctx_1", "count", 1);
  const subscription = client.subscribe("ctx_1");
  await subscription.ready;
  const told = [];
  subscription.on("change", ({ changes }) => told.push(...changes.map((change) => change.version)));
  server.cut();
  server.change("ctx_1", { operation: "UPDATE_STATE", path: "count", value: 2 });
  await until(() => subscription.version === 2);
  server.forgetSessions();
  server.cut();
  server.change("ctx_1", { operation: "UPDATE_STATE", path: "count", value: 3 });
  server.change("ctx_1", { operation: "REMOVE_STATE", path: "count" });
  await until(() => subscription.version === 4);
  assert.deepEqual(subscription.state, {});
  assert.deepEqual(told, [2, 3, 4]);
});

test("cp_11_when_the_change_log_does_not_reach_back_the_state_is_read_anew", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  await client.setState("ctx_1", "count", 1);
  const subscription = client.subscribe("ctx_1");
  await subscription.ready;
  server.compacted = () => true;
  const session = [...server.sessions.values()][0];
  session.follows.clear();
  server.change("ctx_1", { operation: "UPDATE_STATE", path: "count", value: 2 });
  session.follows.add("ctx_1");
  const reset = next(subscription, "reset");
  server.change("ctx_1", { operation: "UPDATE_STATE", path: "more", value: true });
  assert.deepEqual(await reset, { state: { count: 2, more: true }, version: 3 });
  server.change("ctx_1", { operation: "UPDATE_STATE", path: "count", value: 4 });
  await until(() => subscription.version === 4);
  assert.deepEqual(subscription.state, { count: 4, more: true });
});

test("cp_11_a_context_that_is_deleted_is_followed_no_more", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  await client.setState("ctx_1", "count", 1);
  const subscription = client.subscribe("ctx_1");
  await subscription.ready;
  const gone = next(subscription, "error");
  await client.contexts.delete("ctx_1");
  assert.equal((await gone).code, "CONTEXT_NOT_FOUND");
  await client.setState("ctx_1", "count", 5);
  assert.equal(subscription.version, 1);
  const other = client.subscribe("ctx_1");
  assert.notEqual(other, subscription);
  await other.ready;
  assert.deepEqual([other.version, other.state], [1, { count: 5 }]);
  assert.equal(server.contexts.get("ctx_1").version, 1);
});

test("cp_9_a_context_that_is_not_there_can_not_be_followed", async (t) => {
  const { connect } = await start(t);
  const client = await connect();
  const subscription = client.subscribe("ctx_none");
  const told = next(subscription, "error");
  await assert.rejects(subscription.ready, { code: "CONTEXT_NOT_FOUND" });
  assert.equal((await told).code, "CONTEXT_NOT_FOUND");
});

test("cp_11_a_replica_takes_each_change_once_and_sees_gaps", () => {
  const replica = new Replica(3, { a: 1 });
  const set = (version, path, value) => ({ version, op: "UPDATE_STATE", path, value });
  assert.deepEqual(replica.apply({ version: 3, changes: [set(2, "a", 0), set(3, "a", 0)] }), []);
  const before = replica.state;
  assert.equal(replica.apply({ version: 5, changes: [set(3, "a", 0), set(4, "b", 2), { version: 5, op: "REMOVE_STATE", path: "a" }] }).length, 2);
  assert.deepEqual([replica.version, replica.state], [5, { b: 2 }]);
  assert.deepEqual(before, { a: 1 }, "a state that was given out does not change");
  assert.equal(replica.apply({ version: 9, changes: [set(9, "c", 1)] }), "gap");
  assert.deepEqual(replica.apply({ version: 6, changes: [set(6, "x", 1), set(6, "y", 2), { version: 6, op: "SOMETHING_NEW" }] }).length, 3);
  assert.deepEqual(replica.state, { b: 2, x: 1, y: 2 });
  replica.apply({ version: 7, changes: [set(7, "__proto__.polluted", true)] });
  assert.equal({}.polluted, undefined);
  assert.deepEqual(Object.keys(replica.state), ["b", "x", "y", "__proto__"]);
});

test("wa_1_waits_are_listed_answered_and_cancelled", async (t) => {
  const { server, connect } = await start(t);
  const client = await connect();
  const wait = (callId, kind) => ({ callId, contextId: "ctx_1", kind, since: "2026-01-01T00:00:00Z", expires: "2026-01-08T00:00:00Z", client: "page" });
  server.waits.push(wait("pick/1", "CALL"), wait("ask_1", "PERMISSION"));
  const { waits } = await client.waits.list();
  assert.deepEqual(waits.map((one) => [one.callId, one.kind]), [["pick/1", "CALL"], ["ask_1", "PERMISSION"]]);
  await client.waits.answer(waits[0], { status: "SUCCESS", result: { fileId: "f1" } });
  await client.waits.cancel(waits[1]);
  assert.deepEqual(server.answered, [
    { callId: "pick/1", contextId: "ctx_1", result: { status: "SUCCESS", result: { fileId: "f1" } } },
    { callId: "ask_1", contextId: "ctx_1", cancelled: true },
  ]);
  await assert.rejects(client.waits.answer(waits[0], { status: "SUCCESS" }), { code: "UNKNOWN_ID", source: "SERVER" });
});

test("cp_16_http_errors_have_codes_even_without_a_body", async (t) => {
  const { server } = await start(t);
  const client = (status, body) => new ContextureClient({ url: server.url, fetch: async () => new Response(body, { status }) });
  for (const [status, code] of [[401, "AUTH_FAILED"], [403, "PERMISSION_DENIED"], [404, "CONTEXT_NOT_FOUND"], [429, "RATE_LIMITED"], [500, "INTERNAL"], [503, "INTERNAL"]]) {
    await assert.rejects(client(status, "<html>").contexts.list(), { code });
  }
  await assert.rejects(client(200, "<html>").contexts.list(), { code: "PARSE_ERROR" });
  const down = new ContextureClient({ url: "http://127.0.0.1:1" });
  await assert.rejects(down.contexts.list(), { code: "CONNECTION_FAILED", recoverable: true });
});
