// The client with a real server over a line that breaks: nothing is lost, nothing happens twice (CP-6, CP-7, CP-11,
// CP-14, CP-16).
//   node tests/served/check.mjs CONTEXTURE PROJECT     PROJECT: a folder with `agent.as` of the browser check
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { ContextureClient } from "../../dist/index.js";
import { until } from "../support/kit.mjs";

const [program, project] = process.argv.slice(2);
const ok = (what) => console.log(`ok: ${what}`);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

process.once("uncaughtException", (error) => {
  console.error(`${error.stack}\n${JSON.stringify({ code: error.code, details: error.details })}`);
  process.exit(1);
});

let port = 0;
let server = await serve();
process.once("exit", () => server.kill("SIGKILL"));
const line = await startLine();
const client = new ContextureClient({ url: `http://127.0.0.1:${line.port}`, reconnect: { initial: 10, max: 200 } });
let cuts = 0;
let killed;
client.on("error", () => (cuts += 1));

let runs = 0;
client.addTools({
  definition: {
    toolId: "highlight_element", name: "Highlight", description: "Highlights", version: "1.0.0", runtime: "FRONTEND", capabilities: ["UI"], permissionLevel: "NONE", class: "read",
    parameters: { type: "object", properties: { selector: { type: "string" }, style: { type: "string" }, duration: { type: "integer" } } },
  },
  // The line breaks while the tool runs, and again while its answer is on its way.
  run: async () => {
    runs += 1;
    line.cut();
    await pause(60);
    setTimeout(line.cut, 1);
    return { runs };
  },
});
await client.connect();
await client.announced;
const session = client.sessionId;
const { contextId } = await client.send("hello").answer;
const subscription = client.subscribe(contextId);
await subscription.ready;

for (let round = 1; round <= 5; round += 1) {
  const turn = client.send("highlight", { contextId });
  setTimeout(line.cut, round * 5);
  assert.deepEqual(JSON.parse((await turn.answer).content.text), { runs: round });
}
assert.equal(runs, 5);
ok("a tool whose line breaks while it runs is run once, and its answer arrives");

const storm = setInterval(line.cut, 40);
const said = Array.from({ length: 60 }, (_, at) => `message ${at}`);
await Promise.all(said.map(async (text, at) => {
  await pause(at * 15);
  const turn = client.send(text, { contextId });
  const answer = await turn.answer;
  assert.deepEqual(JSON.parse(answer.content.text), { echo: text });
  let pieces = "";
  for await (const piece of turn) pieces += piece.text;
  assert.equal(pieces, answer.content.text);
  await client.setState(contextId, `said.n${at}`, text);
}));
clearInterval(storm);
assert.equal(client.sessionId, session, "all of it in one session");
const stored = [];
for await (const message of client.contexts.allMessages(contextId, 20)) stored.push(message);
const texts = (type) => stored.filter((message) => message.type === type).map((message) => message.content.text);
assert.deepEqual(texts("USER_INPUT").filter((text) => text.startsWith("message")).sort(), [...said].sort());
assert.equal(texts("MODEL_RESPONSE").length, 66);
assert.equal(new Set(stored.map((message) => message.messageId)).size, stored.length);
await until(() => Object.keys(subscription.state.said ?? {}).length === 60);
assert.deepEqual(subscription.state, (await client.contexts.get(contextId)).state);
ok(`60 turns and 60 updates over a line that broke ${cuts} times: each once, and the state is the server's`);

await client.setState(contextId, "kept", true);
await restart();
await client.setState(contextId, "later", true);
assert.notEqual(client.sessionId, session);
await until(() => subscription.state.later === true);
assert.equal(subscription.state.kept, true);
assert.deepEqual(JSON.parse((await client.send("again", { contextId }).answer).content.text), { echo: "again" });
ok("a killed server is found again: what was acknowledged is there, tools and subscriptions too");

const turn = client.send("highlight", { contextId });
await until(() => runs === 6);
await restart();
assert.deepEqual(JSON.parse((await turn.answer).content.text), { runs: 6 });
assert.equal(runs, 6);
ok("a turn that waited for the page when the server was killed has its answer from the next one, and the tool ran once");

const chain = client.requestTools(contextId, {
  executionMode: "SEQUENTIAL", timeout: 60,
  calls: [
    { callId: "call_1", name: "highlight_element", runtime: "FRONTEND", parameters: { selector: "#a" } },
    { callId: "call_2", name: "calculator", requiredAfter: ["call_1"], parameters: { expression: "${results.call_1.result.runs} * 2" } },
    { callId: "call_3", name: "highlight_element", runtime: "FRONTEND", requiredAfter: ["call_2"], parameters: { selector: "${results.call_2.result.value} of them" } },
  ],
});
const chained = await chain.answer;
assert.deepEqual(chained.map(({ callId, status }) => [callId, status]), [["call_1", "SUCCESS"], ["call_2", "SUCCESS"], ["call_3", "SUCCESS"]]);
assert.equal(chained[1].result.value, chained[0].result.runs * 2);
ok("a chain over both sides runs though the line breaks in it");

const instructions = client.runInstructions(contextId, {
  instructions: [
    { instructionId: "before", action: "echo", parameters: { n: 1 } },
    { instructionId: "while", action: "sleep", parameters: { ms: 1_500 }, dependencies: ["before"] },
    { instructionId: "after", action: "echo", parameters: { n: "${results.before.result.n}" }, dependencies: ["before", "while"] },
  ],
}, { onProgress: ({ id, status }) => id === "while" && status === "RUNNING" && (killed ||= restart()) });
const outcome = await instructions.answer;
await killed;
assert.deepEqual(outcome.results.map(({ status }) => status), ["COMPLETED", "COMPLETED", "COMPLETED"]);
assert.deepEqual(outcome.results[2].result, { n: 1 });
ok("a set that the server's end broke off is gone on with by the next one");

client.close();
line.close();
server.kill();

async function restart() {
  const ended = new Promise((done) => server.once("exit", done));
  server.kill("SIGKILL");
  await ended;
  server = await serve();
}

function serve() {
  const child = spawn(program, ["serve", join(project, "agent.as"), "--root", project, "--listen", `127.0.0.1:${port}`], { stdio: ["ignore", "ignore", "pipe"] });
  let told = "";
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`contexture serve ended with ${code}: ${told}`)));
    child.stderr.on("data", (bytes) => {
      told += bytes;
      const found = /http:\/\/127\.0\.0\.1:(\d+)/.exec(told);
      if (!found) return;
      port = Number(found[1]);
      resolve(child);
    });
  });
}

// Stands between client and server, and breaks.
async function startLine() {
  const open = new Set();
  const between = createServer((here) => {
    const there = connect(port, "127.0.0.1");
    const end = () => {
      here.destroy();
      there.destroy();
      open.delete(end);
    };
    open.add(end);
    for (const socket of [here, there]) socket.on("error", end).on("close", end);
    here.pipe(there);
    there.pipe(here);
  });
  await new Promise((done) => between.listen(0, "127.0.0.1", done));
  const cut = () => {
    for (const end of [...open]) end();
  };
  return {
    port: between.address().port,
    cut,
    close: () => {
      between.close();
      cut();
    },
  };
}
