import memory Notes from "sqlite://.contexture/notes.db#notes"

main agent Asker {
  main func(input { question string }) {
    past = Notes.query({ kind: "said", text: input.question, limit: 5 })
    use past as notes
    answer = generate({ input: "Answer the question from the notes." }) -> { answer string }
    answer.answer
  }
}
