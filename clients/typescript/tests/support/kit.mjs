// What the tests share: a server and clients that end with the test.
import { ContextureClient } from "../../dist/index.js";
import { TestServer } from "./server.mjs";

export async function start(t) {
  const server = await new TestServer().listen();
  t.after(() => server.close());
  const connect = async (options = {}) => {
    const client = new ContextureClient({ url: server.url, reconnect: { initial: 5, max: 20 }, ...options });
    t.after(() => client.close());
    await client.connect();
    return client;
  };
  return { server, connect };
}

export function tool(toolId, run, more = {}) {
  const { definition = {}, ...rest } = more;
  return {
    definition: { toolId, name: toolId, description: toolId, version: "1.0.0", runtime: "FRONTEND", capabilities: [], parameters: { type: "object" }, permissionLevel: "NONE", ...definition },
    run,
    ...rest,
  };
}

/** The next value of an event that passes. */
export function next(source, name, passes = () => true) {
  return new Promise((resolve) => {
    const stop = source.on(name, (value) => {
      if (!passes(value)) return;
      stop();
      resolve(value);
    });
  });
}

export async function all(iterable) {
  const found = [];
  for await (const one of iterable) found.push(one);
  return found;
}

/** Waits until something holds; the test's own limit ends it when it never does. */
export async function until(holds) {
  while (!holds()) await new Promise((done) => setTimeout(done, 2));
}

/** A promise with its ends. */
export function gate() {
  let open;
  const wait = new Promise((done) => { open = done; });
  return { open, wait };
}
