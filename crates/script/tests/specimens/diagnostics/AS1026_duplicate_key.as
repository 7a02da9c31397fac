main func(input) {
  x = { a: 1, "a": 2, __proto__: 3, constructor: 4, __proto__: 5 }
  generate({ input: "a", input: "b" }) -> { ok boolean }
}
