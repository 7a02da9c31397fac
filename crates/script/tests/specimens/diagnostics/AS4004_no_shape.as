main func(input) {
  generate({ input: "Tell a story" })
}
