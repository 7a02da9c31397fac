// The demo page that the server carries is the one that these sources make (CP-16, CP-19).
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageFiles, staleFiles } from "../../pages.mjs";

test("cp_16_the_demo_page_of_the_server_is_up_to_date", async () => {
  assert.deepEqual(await staleFiles("demo"), [], "run `npm run demo`");
});

test("cp_19_the_page_has_no_inline_script_style_or_handler", async () => {
  const files = await pageFiles("demo");
  const html = files.get("index.html");
  assert.doesNotMatch(html, /<style|\sstyle=|\son[a-z]+=|javascript:|<script(?![^>]*\ssrc=)/i);
  for (const [name, text] of files) assert.doesNotMatch(text, /https?:\/\/(?!www\.w3\.org\/2000\/svg)/, `${name} names another host`);
});
