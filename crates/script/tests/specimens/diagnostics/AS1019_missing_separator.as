main func(input { a string b number }) {
  generate({ input: "x" }) -> { ok boolean text string, more json }
}
