// What the page computes without a browser (IN-3, IN-5, IN-6, IN-7, IN-8, IN-15).
import assert from "node:assert/strict";
import { supports } from "../dist/call/support.js";
import { test } from "node:test";
import * as address from "../dist/address.js";
import { lines, regionsOf, segments } from "../dist/call/regions.js";
import { shares, width } from "../dist/call/tokens.js";
import { firstOf } from "../dist/diff/first.js";
import { failureOf, isRecorded, kindOf, summary } from "../dist/run/kinds.js";
import { add, critical, extent, nodeOf, rowsOf } from "../dist/run/tree.js";
import { cost, NOTHING } from "../dist/text/format.js";
import { byteLength, indices } from "../dist/text/bytes.js";
import { pieces, plain } from "../dist/text/visible.js";
import { zh } from "../dist/words/zh.js";
import { diff, events, manifest, manyEvents, prompt, START, TICKET } from "./support/record.mjs";

test("in_4_cost_that_is_not_known_is_not_shown_as_zero", () => {
  assert.equal(cost({ actual: null, currency: "USD" }), "no price");
  assert.equal(cost(null), NOTHING);
  assert.equal(cost({ actual: 0.0125, currency: "USD" }), "0.0125 USD");
  assert.equal(cost({ micros: 5_000, currency: "USD" }), "0.005 USD");
});

test("in_16_chinese_texts_have_signs_of_full_width", () => {
  const half = Object.entries(zh).filter(([, text]) => /[\u4e00-\u9fff}][,:;?!]|[,:;?!][\u4e00-\u9fff]/u.test(text));
  assert.deepEqual(half, []);
});

test("in_10_value_of_the_record_is_told_apart", () => {
  const event = (data) => ({ id: 1, kind: "tool", start_us: 0, data });
  assert.equal(isRecorded(event({ name: "File", method: "write", from_record: true })), true);
  assert.equal(isRecorded(event({ name: "File", method: "write" })), false);
});

test("in_15_invisible_and_turning_signs_are_shown_by_number", () => {
  assert.equal(plain("a\u202Eb\u2066c\u200Bd\u0000e\u{E0041}f"), "a⟦U+202E⟧b⟦U+2066⟧c⟦U+200B⟧d⟦U+0000⟧e⟦U+E0041⟧f");
  assert.deepEqual(pieces("\u202E\u202Dx"), [{ text: "⟦U+202E⟧⟦U+202D⟧", sign: true }, { text: "x", sign: false }]);
});

test("in_15_signs_that_scripts_and_emoji_need_stay", () => {
  for (const text of ["👩‍👩‍👧", "می‌خواهم", "क्‍ष", "☂️", "a\tb\nc", "客户 e\u0301"]) assert.equal(plain(text), text);
});

test("in_3_byte_offsets_become_indices_in_every_script", () => {
  for (const text of ["plain", TICKET, "é漢🙂x", "\uD800 lone", ""]) {
    const buffer = Buffer.from(text);
    assert.equal(byteLength(text), buffer.length);
    for (let index = 0; index <= text.length; index += 1) {
      if (index > 0 && /[\uD800-\uDBFF]/.test(text[index - 1]) && /[\uDC00-\uDFFF]/.test(text[index] ?? "")) continue;
      assert.deepEqual(indices(text, [Buffer.byteLength(text.slice(0, index))]), [index], `${text} ${index}`);
    }
  }
  assert.deepEqual(indices("漢a", [1, 3, 99]), [0, 1, 2], "within a character its beginning, past the end the end");
});

test("in_6_segments_of_a_message_are_its_text_and_each_item_its_own", () => {
  const of = prompt();
  const parts = segments(of.messages[1].text, regionsOf(of, 1));
  assert.equal(parts.map((part) => part.text).join(""), of.messages[1].text);
  assert.equal(parts.find((part) => part.region?.item?.index === 0).text, TICKET);
  assert.equal(parts.filter((part) => part.first).length, 4, "two items, the instruction and the contract");
  assert.equal(lines(parts).flatMap((line) => line.segments).map((part) => part.text).join(""), of.messages[1].text);
  assert.deepEqual(lines(parts).map((line) => line.segments.map((part) => part.region?.item?.label ?? part.region?.layer.name ?? part.text)), [
    ["Context:\n[ticket]\nsource: input.ticket\n"], ["ticket", "\n"], ["\n[policy]\nsource: Policy\n"], ["policy", "\n"], ["\nInstruction:\n"], ["instruction", "\n"], ["\n"], ["contract"],
  ]);
});

test("in_6_items_within_a_layer_keep_their_place_and_the_layer_its_rest", () => {
  const region = (kind, name, start, end) => ({ kind, [kind]: { name, index: 0 }, start, end });
  const parts = segments("do {x} now", [region("layer", "instruction", 0, 10), region("item", "x", 3, 6)]);
  assert.deepEqual(parts.map(({ text, region, first }) => [text, region.kind, first]), [["do ", "layer", true], ["{x}", "item", true], [" now", "layer", false]]);
  assert.equal(lines(parts).length, 1, "they share a line");
});

test("in_6_part_of_a_long_text_has_the_regions_that_reach_into_it", () => {
  const text = "漢字漢字漢字";
  const region = { kind: "item", item: { index: 0 }, start: 3, end: 15 };
  const parts = segments(text.slice(2, 4), [region], 6);
  assert.deepEqual(parts.map((part) => [part.text, part.region?.item.index]), [["漢字", 0]]);
  assert.deepEqual(segments(text.slice(0, 1), [region], 0).map((part) => part.region), [undefined]);
});

test("in_7_shares_add_up_to_the_tokens_of_the_manifest", () => {
  const all = shares(manifest());
  assert.equal(all.reduce((sum, share) => sum + share.tokens, 0), 1_310);
  assert.deepEqual(all.at(-1), { kind: "rest", name: "", tokens: 1_310 - 48 - 1_038 - 55 });
  assert.equal(width(manifest()), 1_400);
  assert.equal(width({ call: 1 }), 1, "an old record has no tokens");
});

function tree(all) {
  const nodes = new Map([[all[0].id, nodeOf(all[0], 0)]]);
  const children = Map.groupBy(all.slice(1), (event) => event.parent);
  for (const [parent, found] of children) {
    const node = nodes.get(parent);
    add(node, found);
    node.open = true;
    for (const child of node.children) nodes.set(child.event.id, child);
  }
  return nodes.get(all[0].id);
}

test("in_5_rows_are_the_open_events_in_order_and_one_for_what_is_not_fetched", () => {
  const root = tree(events());
  assert.deepEqual(rowsOf(root).map((row) => row.node.event.id), [1, 2, 3, 4, 5, 7, 6, 8, 9, 10, 11]);
  root.children[1].open = false;
  assert.deepEqual(rowsOf(root).map((row) => row.node.event.id), [1, 2, 3]);
  root.next = 3;
  assert.equal(rowsOf(root).at(-1).kind, "more");
});

test("in_5_event_that_was_fetched_again_stays_open", () => {
  const root = tree(events());
  add(root, [{ ...events()[2], duration_us: 5 }]);
  assert.equal(root.children[1].event.duration_us, 5);
  assert.equal(root.children[1].open, true);
  assert.equal(root.children.length, 2);
});

test("in_5_critical_path_leaves_out_what_ran_beside_it", () => {
  const found = critical(tree(events()), START);
  assert.deepEqual([...found].sort((a, b) => a - b), [1, 3, 4, 6, 8, 10]);
});

test("in_5_unfinished_run_reaches_to_the_last_end_that_is_known", () => {
  const all = events().map((event) => ([1, 3].includes(event.id) ? { ...event, duration_us: null } : event));
  assert.equal(extent(tree(all)).end, START + 2_410_000);
});

test("in_5_tree_of_a_hundred_thousand_events_is_flattened_whole", () => {
  const root = tree(manyEvents(100_000));
  assert.equal(rowsOf(root).length, 100_000);
  assert.equal(critical(root, extent(root).end).size, 100_000);
});

test("in_5_events_of_newer_and_older_versions_have_a_kind_and_a_summary", () => {
  const event = { id: 1, kind: "toString", start_us: 0 };
  assert.equal(kindOf(event).word, "kind_other");
  assert.equal(summary(event), "");
  assert.equal(failureOf({ ...event, data: { error: { code: "a", message: "b" } } }), "a: b");
  assert.equal(summary({ id: 1, kind: "tool", start_us: 0, data: { name: "File", method: "read", arguments: { path: "a" } } }), "File.read(path: a)");
});

test("in_8_first_difference_is_the_first_part_that_is_not_the_same", () => {
  assert.deepEqual(firstOf(diff().calls), { call: 1, layer: -1, item: 1 });
  assert.equal(firstOf([]), undefined);
  assert.deepEqual(firstOf([{ change: "changed", layers: [{ change: "changed" }], items: [{ change: "changed" }] }]), { call: 0, layer: 0, item: -1 });
});

test("in_6_addresses_are_read_as_they_are_written", () => {
  assert.deepEqual(address.read(address.run("会议/1")), { view: "run", run: "会议/1" });
  assert.deepEqual(address.read(address.call("a", 3)), { view: "call", run: "a", call: 3 });
  assert.deepEqual(address.read(address.diff("a", "b")), { view: "diff", left: "a", right: "b" });
  const filter = { program: "a&b", outcome: "no end", model: "gpt-5", since: "2026-03-14T09:26", until: "", q: "客户" };
  assert.deepEqual(address.read(address.runs(filter)), { view: "runs", filter });
  assert.deepEqual(address.read("").view, "runs");
  for (const wrong of ["#/runs", "#/runs/a/calls/x", "#/nothing", "#/runs/%E0/calls"]) assert.equal(address.read(wrong).view, "unknown", wrong);
});

test("in_6_citation_of_answer_leads_to_item_that_shows_its_lines_or_is_its_file", () => {
  const text = "## Care [source: wiki/护理.md#L5-L9]\nFeed them.\n## Prices [source: wiki/prices.md#L3]\nTwo.\nIslands take two days.";
  const bytes = (part) => Buffer.byteLength(text.slice(0, text.indexOf(part)));
  const item = (index, source, part, more = {}) => ({ index, source, trust: "tool", tokens: 1, tokens_before: 1, span: { message: 0, start: bytes(part), end: bytes(part) + Buffer.byteLength(part) }, ...more });
  const items = [
    item(0, "Fish", "## Care [source: wiki/护理.md#L5-L9]\nFeed them."), item(1, "Shop", "## Prices [source: wiki/prices.md#L3]\nTwo."),
    item(2, "policy", "Islands take two days.", { sources: [{ source: "file://docs/policy.md", trust: "tool" }] }),
  ];
  const prompt = { messages: [{ role: "user", text }], items };
  const found = (answer) => supports(prompt, JSON.stringify(answer)).map(({ path, text, items, cited }) => [path, text, items, cited === true]);
  assert.deepEqual(found({ citations: ["wiki/护理.md#L7", "prices.md#L3", "wiki/prices.md#L4"] }), [
    ["citations[0]", "wiki/护理.md#L7", [0], true], ["citations[1]", "prices.md#L3", [1], false],
  ], "lines that meet; text that stands there is found as text; a line that no item shows is nowhere");
  assert.deepEqual(found({ answer: "It is two (see docs/policy.md#L12)." }), [["answer", "docs/policy.md#L12", [2], true]]);
  assert.deepEqual(found({ answer: "Issue #12 and C# are no places", other: "elsewhere/policy.md#L1" }), []);
});

test("in_6_field_of_answer_is_supported_by_items_that_have_its_text", () => {
  const text = "Orders to islands take two days.\n订单明天发货\nnobody";
  const bytes = (part) => Buffer.byteLength(text.slice(0, text.indexOf(part)));
  const item = (index, part) => ({ index, source: `s${index}`, trust: "user", tokens: 1, tokens_before: 1, span: { message: 0, start: bytes(part), end: bytes(part) + Buffer.byteLength(part) } });
  const prompt = { messages: [{ role: "user", text }], items: [item(0, "Orders to islands take two days."), item(1, "订单明天发货")] };
  const answer = { answer: "islands take two days", list: [{ note: "订单明天" }, "nobody"], made_up: "within three weeks", short: "two" };
  assert.deepEqual(supports(prompt, JSON.stringify(answer)), [
    { path: "answer", text: "islands take two days", items: [0] }, { path: "list[0].note", text: "订单明天", items: [1] },
  ]);
  assert.deepEqual(supports(prompt, "```json\n{\"a\":\"islands take\"}\n```").map((one) => one.path), ["a"]);
  assert.deepEqual(supports(prompt, "take two days.").map((one) => [one.path, one.items]), [["", [0]]]);
  assert.deepEqual(supports({ messages: [{ role: "user", text: null }] }, "anything at all"), []);
});
