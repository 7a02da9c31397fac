main func(input { a string, a number }) {
  generate({ input: "x" }) -> {
    ok boolean
    "ok" string
  }
}
