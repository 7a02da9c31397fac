main func(input) {
  kept = generate({ input: "Write.", on_cut: "keep" }) -> { a string }
  down = generate({ input: "Write.", max_output: 800 to 400 }) -> { a string }
  word = generate({ input: "Write.", on_cut: "kep" }) -> { a string }
  fine = generate({ input: "Write.", max_output: 400 to 800, attempts: 2 }) -> { a string }
  [kept, down, word, fine]
}
