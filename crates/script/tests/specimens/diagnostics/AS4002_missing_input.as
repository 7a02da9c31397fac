main func(input) {
  generate({ max_output: 100 }) -> { ok boolean }
  generate({}) -> { ok boolean }
}
