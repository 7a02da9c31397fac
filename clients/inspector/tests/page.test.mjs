// The inspector that the server carries is the one that these sources make (IN-15, IN-16).
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { en } from "../dist/words/en.js";
import { speak, t } from "../dist/words/words.js";
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
  const names = (text) => [...new Set([...text.matchAll(/\{(\w+)[|}]/g)].map(([, name]) => name))].sort();
  assert.deepEqual(Object.keys(zh).sort(), Object.keys(en).sort());
  for (const [word, text] of Object.entries(en)) assert.deepEqual(names(zh[word]), names(text), word);
});

test("in_16_one_of_something_has_words_of_its_own", () => {
  speak("en");
  assert.deepEqual(["1", "0", "1,000"].map((n) => t("tokens_n", { n })), ["1 token", "0 tokens", "1,000 tokens"]);
  assert.equal(t("try_changed", { n: 1, all: 1 }), "1 of 1 prompt would change.");
  assert.equal(t("all_shown", { n: "1" }), "The only run is shown.");
  assert.equal(t("tokens_n", { n: "$&" }), "$& tokens", "a value is not a pattern");
  for (const text of Object.values(en)) assert.doesNotMatch(text, /\{(n|tokens|now|of|max)\} (tokens|calls|prompts|runs|events|times|entries)\b/, "a number before a word for several");
});
