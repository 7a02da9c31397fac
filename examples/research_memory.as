// Answers from notes and stores the findings, so that a second question can use them.
//
//   contexture run examples/research_memory.as --input '{"question":"How does the cache expire entries?"}'

import tool Grep from "sh://grep"
import memory Notes from "sqlite://.contexture/research.db#notes"

main agent Researcher {
  role "a research assistant"

  main func(input { question string }) {
    past = Notes.query({ kind: "finding", text: input.question, limit: 5 })
    hits = Grep.run({ path: "examples/data/notes", pattern: "cache", ignore_case: true, max: 30 })

    use input.question as user question
    use past max 1k as earlier findings
    use hits max 3k as search results

    found = generate({
      input: "Answer the user question from the search results and earlier findings.",
      max_output: 500,
      attempts: 2
    }) -> {
      answer string
      /// Sentences of the results that support the answer.
      evidence list[string]
    }

    Notes.add({ kind: "finding", text: found.answer, question: input.question })
    { answer: found.answer, evidence: found.evidence, recalled: past.length }
  }
}
