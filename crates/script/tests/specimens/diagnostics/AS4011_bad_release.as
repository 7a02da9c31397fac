main func(input) {
  bare = trust(input, "")
  short = trust(input)
  named = trust(input, input.reason)
  text = generate({ input: "Read.", release: "it is short" }) -> { a string, b list[boolean] }
  quiet = generate({ input: "Read.", release: " " }) -> { a boolean }
  fine = generate({ input: "Read.", release: "two drawers" }) -> { a "in" | "out" }
  [bare, short, named, text, quiet, fine, trust(input, "read by the owner")]
}
