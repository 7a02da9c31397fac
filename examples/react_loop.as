// Reason, act, observe: the model decides the next search until it can answer.
//
//   contexture run examples/react_loop.as --input '{"question":"Which port does the server listen on?"}'

import tool Grep from "sh://grep"

main agent Detective {
  role "an investigator of code bases"

  func reason(question, scratch) {
    use question as user question
    use scratch.summary max 2k keep tail as observations
    generate({
      input: "Decide the next step: search for one more word, or answer if the observations already hold the answer.",
      max_output: 300,
      attempts: 2
    }) -> {
      thought?: string
      /// One word to search for next.
      search string
      /// Whether the observations hold the answer.
      done boolean
    }
  }

  func act(step) {
    try {
      Grep.run({ path: "examples/data/notes", pattern: step.search, ignore_case: true, max: 10 })
    } else err {
      { failed: err.message }
    }
  }

  main func(input { question string }) {
    scratch = Grep.run({ path: "examples/data/notes", pattern: "port", ignore_case: true, max: 5 })
    done = false
    turns = 0
    loop until done max 3 {
      step = reason(input.question, scratch)
      turns += 1
      scratch.add({ thought: step.thought, observation: act(step) })
      done = step.done
    }

    use input.question as user question
    use scratch.summary max 3k keep tail as observations
    result = generate({
      input: "Answer the user question from the observations.",
      attempts: 2
    }) -> {
      answer string
    }
    { answer: result.answer, turns: turns }
  }
}
