// What models write as Markdown, read as data; and what hostile models write (CA-13).
import assert from "node:assert/strict";
import { test } from "node:test";
import { inline, parse } from "../dist/page/markdown.js";

/** Parts in short: `em(…)`, `<address|text>`, `code`. */
const short = (parts) => parts.map((one) => {
  if (one.kind === "text") return one.text;
  if (one.kind === "code") return `\`${one.text}\``;
  if (one.kind === "link") return `<${one.href}|${short(one.children)}>`;
  return `${one.kind}(${short(one.children)})`;
}).join("");

function outline(blocks) {
  return blocks.map((one) => {
    if (one.kind === "heading") return `h${one.level} ${short(one.children)}`;
    if (one.kind === "paragraph") return `p ${short(one.children)}`;
    if (one.kind === "code") return `code ${one.text}`;
    if (one.kind === "quote") return ["quote", outline(one.children)];
    if (one.kind === "list") return [one.start === undefined ? "ul" : `ol ${one.start}`, ...one.items.map(outline)];
    if (one.kind === "table") return ["table", one.head.map(short), ...one.rows.map((row) => row.map(short))];
    return one.kind;
  });
}

const blocks = (text) => outline(parse(text).blocks);

test("ca_13_blocks_of_markdown_are_read", () => {
  const text = [
    "# One #", "text", "goes on", "", "- a", "  - b", "- c", "", "3. x", "4. y", "", "> said", "> - by her", "---",
    "```rust", "fn main() { *not* }", "```", "| a | b |", "|---|:-:|", "| 1 | x \\| y |", "after",
  ];
  assert.deepEqual(blocks(text.join("\n")), [
    "h1 One", "p text\ngoes on", ["ul", ["p a", ["ul", ["p b"]]], ["p c"]], ["ol 3", ["p x"], ["p y"]], ["quote", ["p said", ["ul", ["p by her"]]]], "rule",
    "code fn main() { *not* }", ["table", ["a", "b"], ["1", "x | y"]], "p after",
  ]);
});

test("ca_13_list_with_code_and_paragraphs_is_one_list", () => {
  assert.deepEqual(blocks("1. do\n\n   ```\n   x\n     y\n   ```\n\n2. then\n   on"), [["ol 1", ["p do", "code x\n  y"], ["p then\non"]]]);
});

test("ca_13_open_fence_and_single_marks_of_growing_text_are_shown_at_once", () => {
  assert.deepEqual(blocks("```\nx ="), ["code x ="]);
  assert.deepEqual(blocks("#"), ["p #"]);
  assert.equal(short(inline("a **bo")), "a **bo");
});

test("ca_13_inline_marks_are_read", () => {
  for (const [text, expected] of [
    ["a *b* **c** ***d*** ~~e~~", "a em(b) strong(c) strong(em(d)) del(e)"],
    ["snake_case_name 2 * 3 * 4", "snake_case_name 2 * 3 * 4"],
    ["`a*b*` ``x`y`` `open", "`a*b*` `x`y` `open"],
    ["\\*not\\* a\\b", "*not* a\\b"],
    ["**a *b** c*", "strong(a *b) c*"],
    ["[t *x*](https://a.example/b_(c)) end", "<https://a.example/b_(c)|t em(x)> end"],
    ['[t](https://a.example "title")', "<https://a.example/|t>"],
    ["see https://a.example/x_y, (https://b.example).", "see <https://a.example/x_y|https://a.example/x_y>, (<https://b.example/|https://b.example>)."],
    ["![pic](https://a.example/p.png)", "<https://a.example/p.png|pic>"],
    ["[a [b](https://b.example)](https://c.example)", "[a <https://b.example/|b>](<https://c.example/|https://c.example>)"],
    ["a<br>b<b>c", "a\nb<b>c"],
    ["漢字**太字**です", "漢字strong(太字)です"],
  ]) assert.equal(short(inline(text)), expected, text);
});

test("ca_13_links_lead_to_safe_schemes_alone", () => {
  for (const address of [
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\u0000script:x", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "//evil.example", "/v1/contexts", "#x", "blob:x", "https://", "\u0001javascript:x",
  ]) {
    const read = JSON.stringify(inline(`[x](${address}) <${address}> ${address}`));
    assert.ok(!read.includes('"link"'), `${address}: ${read}`);
  }
});

test("ca_13_hostile_text_takes_time_by_its_length_alone", () => {
  const size = 250_000;
  const pieces = [
    "[", "]", "![", "[](", "[a](x", "[a](https://a", "[x](y z", "(", "*", "**", "*a", "**a*", "_a_", "`", "`a``", "~~", "~~a", "> ", ">", "- ", "1. ", "  ", "- a\n", "- a\n  ", "|", "|-", "a|b\n-|-\n", "- ", "-\t", "#", "# \u2028", "\\", "<", "<https://", "https://", "https://a.", "https://a_", "h", "a\n", "\n", "```\n", "***", "*a**b***c", "[*", "*[a](b", "\ud800", "\r\n", "\u202e", "* * ",
  ];
  for (const piece of pieces) {
    for (const tail of ["x", ")\u2028"]) {
      const text = piece.repeat(size / piece.length) + tail;
      const began = performance.now();
      const { blocks: read, last } = parse(text);
      const took = performance.now() - began;
      assert.ok(took < 2_000, `${JSON.stringify(piece)} takes ${took} ms`);
      assert.ok(last <= text.length && depth(read) < 60, JSON.stringify(piece));
    }
  }
});

test("ca_13_paragraph_of_countless_marks_ends_as_text", () => {
  const pieces = ["*a* ", "*_", "`a` ", "https://a.example "];
  for (const piece of pieces) {
    const read = inline(piece.repeat(20_000));
    const parts = (nodes) => nodes.reduce((sum, one) => sum + (one.kind === "text" ? 0 : 1 + parts(one.children ?? [])), 0);
    assert.equal(parts(read), 2_000, piece);
    assert.ok(read.at(-1).text.endsWith(piece.repeat(10_000)), piece);
  }
});

function depth(nodes) {
  let deepest = 0;
  for (const one of nodes) {
    const inner = Array.isArray(one) ? one : [one.children, one.items, one.head, one.rows].filter(Boolean);
    if (inner.length > 0) deepest = Math.max(deepest, 1 + depth(inner));
  }
  return deepest;
}

test("ca_13_text_that_grows_is_read_as_the_whole", () => {
  const whole = "# T\n\nOne *two*\nthree\n\n- a\n- b\n\n  more\n\n1. x\n\n```\ncode\n\nmore\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend\n";
  for (const size of [1, 2, 7]) {
    let settled = 0;
    const done = [];
    for (let end = size; end < whole.length + size; end += size) {
      const { blocks: read, last } = parse(whole.slice(settled, end));
      done.push(...read.slice(0, -1));
      settled += last;
    }
    done.push(...parse(whole.slice(settled)).blocks);
    assert.deepEqual(outline(done), blocks(whole), `by ${size}`);
  }
});
