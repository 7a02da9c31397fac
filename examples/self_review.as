// Writes a draft, reviews it, and tries again until the review passes or no turn is left.
//
//   contexture run examples/self_review.as --input '{"path":"examples/data/incident.txt"}'

import tool File from "file://workspace"

main agent Writer {
  role "a site reliability engineer"
  description "You write incident reports for customers: short, honest, without blame."

  func draft(source, remarks) {
    use source max 3k as incident notes
    use remarks max 500 as review remarks
    generate({ input: "Write the incident report.", max_output: 600, attempts: 2 }) -> {
      title string
      what_happened?: string
      impact string
    }
  }

  func review(report, source) {
    use report as report
    use source max 3k as incident notes
    generate({
      input: "Is every statement of the report supported by the notes? Name what is missing.",
      attempts: 2
    }) -> {
      accepted boolean
      missing list[string]
    }
  }

  main func(input { path string }) {
    source = File.read({ path: input.path })
    remarks = []
    report = none
    accepted = false
    rounds = 0

    loop until accepted max 3 {
      report = draft(source, remarks)
      verdict = review(report, source)
      accepted = verdict.accepted
      remarks = verdict.missing
      rounds += 1
    }
    { report: report, accepted: accepted, rounds: rounds }
  }
}
