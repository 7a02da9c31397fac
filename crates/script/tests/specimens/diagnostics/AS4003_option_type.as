main func(input) {
  n = 3
  generate({
    input: 42,
    max_output: "800",
    max_input: 0,
    attempts: 0,
    temperature: -1,
    think: "hihg",
    strict: "yes",
    debug: 1,
    cache: none,
    timeout: 1.5
  }) -> { ok boolean }
  generate({ input: "a", max_output: n, attempts: n, think: "auto", temperature: 0 }) -> { ok boolean }
  generate({ input: "a", attempts: -1 }) -> { ok boolean }
}
