import tool File from "file://workspace"

func about(question) {
  notes = File.read({ path: "notes.md" })
  use notes max 60 priority 2 as notes
  use question as question
  generate({ input: "Answer from the notes.", temperature: 0.2 }) -> {
    answer string,
    lines list[number]
  }
}

main func(input) {
  answers = parallel for question in input.questions max 2 {
    about(question)
  }
  title = generate({ input: "Give a title to: " + input.questions.length + " questions" })
  { title: title, answers: answers }
}
