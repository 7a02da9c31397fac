// The inspector that the server carries is the one that these sources make (IN-15, IN-16).
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { en } from "../dist/words/en.js";
import { zh } from "../dist/words/zh.js";
import { pageFiles, staleFiles } from "../../pages.mjs";

const LARGEST = 200_000;

test("in_16_page_of_the_server_is_up_to_date", async () => {
  assert.deepEqual(await staleFiles("inspect"), [], "run `npm run page`");
});

test("in_16_page_is_at_most_200_kilobytes", async () => {
  const sizes = [...(await pageFiles("inspect")).values()].map((text) => Buffer.byteLength(text));
  assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= LARGEST);
});

test("in_15_page_has_no_inline_script_style_or_handler_and_writes_no_markup", async () => {
  const files = await pageFiles("inspect");
  assert.doesNotMatch(files.get("index.html"), /<style|\sstyle=|\son[a-z]+=|javascript:|<script(?![^>]*\ssrc=)/i);
  const folder = new URL("../src/", import.meta.url).pathname;
  const sources = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts"));
  assert.ok(sources.length > 30, "the sources of the page");
  for (const name of [...sources.map((name) => join(folder, name)), ...["index.html", "page.css"].map((name) => join(folder, "../page", name))]) {
    const text = await readFile(name, "utf8");
    assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|(?<![.\w])eval\s*\(|new Function/i, name);
    assert.doesNotMatch(text, /https?:\/\/(?!www\.w3\.org\/2000\/svg)/, `${name} names another host`);
  }
});

test("in_16_texts_in_both_languages_name_the_same_values", () => {
  const names = (text) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();
  assert.deepEqual(Object.keys(zh).sort(), Object.keys(en).sort());
  for (const [word, text] of Object.entries(en)) assert.deepEqual(names(zh[word]), names(text), word);
});
