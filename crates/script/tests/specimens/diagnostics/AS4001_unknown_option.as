main func(input) {
  generate({
    input: "a",
    max_tokens: 100,
    temprature: 0.2,
    model: "gpt",
    schema: {},
    nonsense: missing
  }) -> { ok boolean }
}
