import file Style from "./style.md"
agent Unasked {
  use Style max 2k
  main func(input) { input }
}
main agent Writer {
  main func(input) {
    draft = input.draft
    if draft != "" {
      use draft as "previous draft"
    }
    answer = generate({ input: "Write." }) -> { text string }
    use answer as answer
    answer.text
  }
  func shown(note) {
    use note as note
    if note.ready { return "no" }
    "nobody asks here"
  }
}
