import assert from "node:assert/strict";
import { test } from "node:test";
import { lacksInput, lineOf, readReport, type Report } from "../src/dry_run.ts";
import { messagePage, page } from "../src/page.ts";

const OUTPUT = JSON.stringify({
  value: null,
  warnings: ["[document] was cut"],
  prompts: [
    {
      site: "examples/a.as:18:5",
      model: "builtin://extractive",
      system: "You are <b>careful</b>.",
      user: "Context:\n</pre><script>alert(1)</script>",
      schema: { type: "object" },
      items: [
        { label: "document", source: "a \"b\"", tokens: 20, tokens_before: 772, clipped: true, trust: "tool", budget: { limit: 20, measure: "tokens", keep: "head" } },
      ],
      tools: [],
      tokens: 913,
      tokens_exact: true,
      on_placeholders: false,
    },
    { site: "examples/a.as:30:3", model: "m", system: "", user: "second", items: [], tools: ["File.read"], tokens: 5, on_placeholders: true },
  ],
  total_tokens: 918,
});

function report(): Report {
  const read = readReport(OUTPUT);
  assert.ok(read);
  return read;
}

test("ty_11_panel_reads_prompts_items_and_budgets", () => {
  const [first, second] = report().prompts;
  assert.deepEqual(first?.items, [{ label: "document", source: 'a "b"', trust: "tool", tokens: 20, before: 772, budget: "20, head", clipped: true }]);
  assert.equal(first && lineOf(first), 18);
  assert.deepEqual(second?.tools, ["File.read"]);
  assert.equal(second?.exact, false);
});

test("ty_11_panel_text_that_is_no_report_is_refused", () => {
  for (const wrong of ["", "null", "5", "[]", "{}", '{"prompts": {}}', "{"]) assert.equal(readReport(wrong), undefined, wrong);
});

test("ty_11_panel_report_with_fields_of_other_types_does_not_fail", () => {
  const read = readReport('{"prompts": [null, {"items": [5], "tools": [{"name": "x"}], "tokens": "1"}], "warnings": [{"message": "m"}]}');
  assert.equal(read?.prompts.length, 2);
  assert.deepEqual(read?.warnings, ["m"]);
  assert.ok(page("a", read, "n").includes("0 tokens"));
});

test("ty_11_panel_missing_input_is_told_from_other_failures", () => {
  const failed = (code: string, message: string) => ({ prompts: [], warnings: [], tokens: 0, failure: { code, message, help: "" } });
  assert.equal(lacksInput(failed("AS9017", "`main`: input.path: expected string, found nothing")), true);
  assert.equal(lacksInput(failed("AS9001", "input")), false);
  assert.equal(lacksInput(report()), false);
});

test("ty_11_panel_page_escapes_all_texts_and_allows_no_script", () => {
  const html = page("<a>", report(), "abc");
  assert.ok(!/<script|<b>|<a>/.test(html), html);
  assert.ok(html.includes("&#60;script&#62;alert(1)"));
  assert.ok(html.includes(`content="default-src 'none'; style-src 'nonce-abc'"`));
});

test("ty_11_panel_page_shows_cut_budget_and_trust_of_an_item", () => {
  const html = page("a.as", report(), "n");
  assert.ok(html.includes("<td>document</td><td>a &#34;b&#34;</td><td>tool</td><td>20, head</td>"));
  assert.ok(html.includes('<td class="number">20 of 772</td>'));
  assert.ok(html.includes("Warning: [document] was cut"));
});

test("ty_11_panel_page_opens_the_prompt_of_a_line_alone", () => {
  const html = page("a.as", report(), "n", 30);
  assert.equal(html.match(/<details open>/g)?.length, 1);
  assert.ok(html.includes('<section class="chosen"><h2>examples/a.as:30:3'));
  assert.equal(page("a.as", report(), "n", 99).match(/<details open>/g)?.length, 3);
});

test("ty_11_panel_page_of_a_failure_shows_code_and_help", () => {
  const html = page("a.as", { prompts: [], warnings: [], tokens: 0, failure: { code: "AS9017", message: "m < n", help: "declare it" } }, "n");
  assert.ok(html.includes("AS9017: m &#60; n") && html.includes("declare it"));
  assert.ok(messagePage("a & b", "n").includes("a &#38; b"));
});
