// Answers a question from all notes of a folder, by references: the notes are loaded at once, older files only when
// the model asks for them.
//
//   contexture run examples/ask_docs.as --input '{"question":"When does an entry of the cache expire?"}'

import resource Notes from "@!file://data/notes/**/*.md"
import resource Archive from "@?file://references/archive/**/*.md"

main agent Librarian {
  role "a librarian who quotes"

  main func(input { question string }) {
    use input.question as question
    use Notes max 2k as notes
    use Archive
    generate({
      input: "Answer the question from the notes. Keep to the tone of @!file://references/style/tone.md."
    }) -> { answer string }
  }
}
