// Summarises one text file of the workspace.
//
//   contexture run examples/summarize_file.as --input '{"path":"README.md"}'

import tool File from "file://workspace"

main agent Summarizer {
  role "a careful technical editor"
  description "You summarise documents for busy engineers. You only state what the document says."

  main func(input {
    /// The file to summarise, relative to the workspace.
    path string
  }) {
    document = File.read({ path: input.path })
    use document max 6k as document

    generate({
      input: "Summarise the document: its title, what it is about, and its key points.",
      max_output: 800,
      attempts: 2
    }) -> {
      /// The document's own title.
      title string
      /// Two or three sentences that say what it is and why it matters.
      summary string
      /// The three to six most important points, each one sentence.
      key_points list[string]
    }
  }
}
