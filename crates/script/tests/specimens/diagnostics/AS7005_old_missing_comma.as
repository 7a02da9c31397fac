main func(input) {
  x = {
    a: 1
    "b": 2 // two
    c: [
      1
      "two"
      input
    ]
  }
  generate({
    input: "Answer"
    attempts: 3
    debug: true
  }) -> { ok boolean }
}
