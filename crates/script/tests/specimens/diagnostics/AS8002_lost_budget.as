main func(input) {
  use input.text 4k
  use input.note max 2k
  if input.more { use input.more 800 }
  generate({ input: "Summarise." }) -> { text string }
}
