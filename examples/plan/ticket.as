// Files a customer's letter as a ticket. The steps are planned from the instruction alone, before anybody reads the letter;
// a model without tools then reads from it what kind of letter it is, and the order that it is about.
//
//   contexture run examples/plan/ticket.as --mock=examples/plan/answers.jsonl

import tool File from "file://workspace"

letter = File.read({ path: "examples/plan/letter.txt" })
use letter max 2k as letter
generate({
  input: "File the letter as a ticket: its kind and the order in tickets.md, then say which kind it is.",
  tools: [File.write],
  plan: true,
  attempts: 2
}) -> {
  kind "refund" | "question" | "complaint"
}
