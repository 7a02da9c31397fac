// The programs of docs/serve.md: talk.mjs in Node, page.html in a browser, both with `contexture serve`.
//   node serve_docs.mjs write DOCUMENT FOLDER     writes the blocks that are marked file=NAME
//   node serve_docs.mjs page CHROME FOLDER SERVER PORT  opens page.html, served at a port, and asks the agent,
//                                                 which marks a part of it
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { readFile, writeFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { pathToFileURL } from "node:url";

const [task, ...rest] = process.argv.slice(2);
await { write, page }[task](...rest);

async function write(document, folder) {
  const text = await readFile(document, "utf8");
  const blocks = [...text.matchAll(/^```\w+ file=(\S+)\n([\s\S]*?)^```$/gm)];
  assert.ok(blocks.length >= 3, "the document has its files");
  for (const [, name, block] of blocks) await writeFile(join(folder, name), block);
}

async function page(chrome, folder, server, port) {
  const kinds = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript" };
  const files = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
    try {
      const body = await readFile(join(folder, path));
      response.writeHead(200, { "content-type": kinds[extname(path)] ?? "application/octet-stream" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => files.listen(Number(port), "127.0.0.1", done));
  const { launch } = await import(pathToFileURL(chrome).href);
  const browser = await launch();
  try {
    const tab = await browser.devtools.page();
    await tab.prepare();
    await tab.open(`http://127.0.0.1:${port}/page.html?server=${encodeURIComponent(server)}`);
    await tab.until('document.body.dataset.ready === "yes"', "the page connects");
    await tab.click("#ask button");
    await tab.until('document.getElementById("answer").textContent === "I have marked returns for you."', "the agent answers");
    assert.equal(await tab.value('document.getElementById("returns").style.background'), "gold");
  } finally {
    await browser.close();
    files.close();
  }
}
