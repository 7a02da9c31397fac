main func(input) {
  generate("Tell a story") -> { text string }
  generate(input) -> { text string }
  generate() -> { text string }
  generate
  generate({ input: "a" }, 2) -> { text string }
}
