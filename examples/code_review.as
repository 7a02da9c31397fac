// Finds suspicious places with grep, reads the lines around them, and asks for a review of each.
//
//   contexture run examples/code_review.as --input '{"path":"examples/data/shop","pattern":"TODO|FIXME"}'

import tool Grep from "sh://grep"
import tool Lines from "sh://read-range"

main agent Reviewer {
  role "a senior code reviewer"
  description "You point out defects, not style."

  func first_line_of(line) {
    if line > 3 {
      return line - 3
    }
    1
  }

  func review(match) {
    code = Lines.run({ path: match.path, start: first_line_of(match.line), max: 12 })
    use match.text as flagged line
    use code max 1k as surrounding code

    finding = generate({
      input: "Say what is unfinished or risky at the flagged line, and how urgent it is.",
      max_output: 300,
      attempts: 2
    }) -> {
      /// What the flagged line says.
      problem string
      /// Left out where nothing says how urgent it is.
      severity?: "low" | "medium" | "high"
    }
    { path: match.path, line: match.line, problem: finding.problem, severity: finding.severity }
  }

  main func(input { path string, pattern string }) {
    matches = Grep.run({ path: input.path, pattern: input.pattern, regex: true, max: 20 })
    findings = []
    for match in matches max 20 {
      findings.add(review(match))
    }
    { checked: matches.length, findings: findings }
  }
}
