// A model server that answers a chat when it is told to, so that a run can be looked at while it waits.
import { createServer } from "node:http";

const ANSWER = { id: "1", object: "chat.completion", model: "slow", choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: '{"answer":"two days more"}' } }], usage: { prompt_tokens: 199, completion_tokens: 6, total_tokens: 205 } };

export class SlowModel {
  #waiting = [];
  #http = createServer((request, response) => {
    request.resume();
    this.#waiting.push(response);
  });

  async listen() {
    await new Promise((done) => this.#http.listen(0, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${this.#http.address().port}/v1`;
    return this;
  }

  answer() {
    for (const response of this.#waiting.splice(0)) response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(ANSWER));
  }

  async close() {
    this.#http.closeAllConnections();
    await new Promise((done) => this.#http.close(done));
  }
}
