import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { colour } from "./colours.ts";

/** The scope of the first part of a line that has this text. */
function scope(line: string, part: string): string {
  const found = colour(line).lines[0]?.find((token) => token.text.trim() === part);
  assert.ok(found, `no part \`${part}\` in ${JSON.stringify(colour(line).lines[0])}`);
  return found.scope;
}

const CASES: [string, string, string][] = [
  ['import tool Find from "sh://find"', "import", "keyword.control.import"],
  ['import tool Find from "sh://find"', "tool", "storage.modifier"],
  ['import tool Find from "sh://find"', "Find", "entity.name.namespace"],
  ['import shape Issue from "f.as"', "shape", "storage.modifier"],
  ['import func triage from "f.as"', "func", "storage.modifier"],
  ["main func run(input { question string }) {", "run", "entity.name.function"],
  ["main func run(input { question string }) {", "string", "support.type"],
  ["main agent Worker {", "agent", "storage.type.agent"],
  ["func triage(issue Issue) -> Issue {", "->", "keyword.operator.arrow"],
  ["shape Issue {", "Issue", "entity.name.type.shape"],
  ["  stars integer min 1 max 5", "min", "keyword.other.constraint"],
  ["  name string length 1 to 80", "length", "keyword.other.constraint"],
  ['  code string pattern "^a"', "pattern", "keyword.other.constraint"],
  ["  tags list[string]?", "list", "support.type"],
  ["  tags list[string]?", "string", "support.type"],
  ["  /// What it says.", "What it says.", "comment.line.documentation"],
  ["  x = 1 -- why", "why", "comment.line.double-slash"],
  ["  use notes max 2k chars keep tail priority 3 as the notes // why", "use", "keyword.control.use"],
  ["  use notes max 2k chars keep tail priority 3 as the notes // why", "max", "keyword.other.clause"],
  ["  use notes max 2k chars keep tail priority 3 as the notes // why", "chars", "keyword.other.unit"],
  ["  use notes max 2k chars keep tail priority 3 as the notes // why", "tail", "constant.language.part"],
  ["  use notes max 2k chars keep tail priority 3 as the notes // why", "the notes", "string.unquoted.label"],
  ["  loop until done max 6 {", "until", "keyword.control.loop"],
  ["  loop = 1", "loop", "variable.other"],
  ["  model = 1", "model", "variable.other"],
  ["  model Best", "model", "keyword.other.setting"],
  ["  repeat * 3 {", "repeat", "keyword.control.loop"],
  ["  found = parallel for x in list max n {", "parallel", "keyword.control.loop"],
  ["  found = parallel for x in list max n {", "max", "keyword.other.clause"],
  ["  try { 1 } else err { 2 }", "try", "keyword.control.try"],
  ['  fail "no" code "E_X"', "fail", "keyword.control"],
  ['  fail "no" code "E_X"', "code", "keyword.control"],
  ["  input.for", "for", "variable.other.property"],
  ["  names.join(1)", "join", "entity.name.function.member"],
  ["  generate({ max_output: 800 })", "max_output", "variable.other.property"],
  ["  not none", "none", "constant.language"],
  ["  检索(结果)", "检索", "entity.name.function"],
  [String.raw`  "a\n"`, String.raw`\n`, "constant.character.escape"],
  [String.raw`  "a\d"`, String.raw`\d`, "invalid.illegal.escape"],
  [String.raw`  "Hello \(names.join(", ")) you"`, "join", "entity.name.function.member"],
  [String.raw`  "Hello \(names.join(", ")) you"`, "you", "string.quoted.double"],
  ['  "https://x -- y"', "https://x -- y", "string.quoted.double"],
];

for (const [line, part, expected] of CASES) {
  test(`ty_11_textmate_${part}_in_${line.trim()}_is_${expected}`, () => {
    assert.equal(scope(line, part), expected);
  });
}

test("ty_11_textmate_block_string_ends_at_its_quotes", () => {
  const { lines, open } = colour('x = """\n  use "one" // text\n  """\nnone');
  assert.equal(lines[1]?.[0]?.scope, "meta.block-string");
  assert.equal(lines[3]?.[0]?.scope, "constant.language");
  assert.equal(open, 0);
});

test("ty_11_textmate_programs_of_the_repository_leave_nothing_open", () => {
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const listed = execFileSync("git", ["ls-files", "-z", "*.as"], { cwd: root, encoding: "utf8" });
  const names = listed.split("\0").filter((name) => name !== "" && !name.includes("AS1004_unclosed_string"));
  assert.ok(names.length > 100, `${names.length} programs`);
  for (const name of names) {
    const { lines, open } = colour(readFileSync(root + name, "utf8"));
    assert.equal(open, 0, name);
    const faults = lines.flat().filter((token) => token.scope.startsWith("invalid"));
    assert.deepEqual(name.includes("AS1005_bad_escape") ? [] : faults, [], name);
  }
});
