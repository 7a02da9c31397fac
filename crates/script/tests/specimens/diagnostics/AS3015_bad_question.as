import memory Notes from "sqlite://notes.db#a"

main func(input) {
  docs = ["one", "two"]
  use docs max 2k for
  use docs max 2k for as evidence
  use docs max 2k for ""
  use docs max 2k for 5
  use docs max 2k for ["a"]
  use docs max 2k for input.question for input.question
  use docs max 2k for input.question.trim()
  use docs max 2k for Notes
  use docs as evidence for input.question
  use docs as "evidence" for input.question
  use docs as notes for people
  use Notes max 2k
  use Notes max 2k for input.question
  use Notes.all max 2k for input.question
  use one of {
    a: docs max 2k
    b: Notes max 1k
  } for input.question
  for n in docs max 3 {
    generate({ input: n })
  }
}
