main func(input) {
  draft = ""
  repeat * 3 {
    answer = generate({ input: "Write." }) -> { text string }
    draft = answer.text
  }
  repeat * 3 {
    answer = generate({ input: "Try." }) -> { text string, ok boolean }
    if answer.ok { return answer.text }
  }
  loop until not true max 4 {
    answer = generate({ input: "Write." }) -> { text string }
    draft += answer.text
  }
  repeat * 1 { draft += generate({ input: "Once." }) }
  for word in input.words max 3 { draft += generate({ input: word }) }
  draft
}
