// An agent that searches first and answers from what it found.

import tool Grep from "sh://grep"

main agent Researcher {
  role "a researcher who answers from evidence"

  func search(word string) {
    Grep.run({ path: "notes", pattern: word, ignore_case: true, max: 10 })
  }

  main func(input { question string, word string }) {
    found = search(input.word)
    use input.question as question
    use found.summary max 2k as found
    generate({ input: input.question }) -> { answer string }
  }
}
