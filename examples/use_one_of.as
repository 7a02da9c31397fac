// `use one of` names several sources for one item; one of them is selected.
//
//   contexture run examples/use_one_of.as --input '{"question":"What does the cache store?"}'

import tool Grep from "sh://grep"
import file Overview from "./data/notes/overview.md"

main agent Answerer {
  role "a support engineer"

  main func(input { question string }) {
    hits = Grep.run({ path: "examples/data/notes", pattern: "cache", ignore_case: true, max: 20 })

    use input.question as user question
    use one of {
      matches: hits max 2k selected
      overview: Overview max 1k
      none: empty
    } as evidence

    generate({
      input: "Answer the user question from the evidence.",
      max_output: 300,
      attempts: 2
    }) -> {
      answer string
    }
  }
}
