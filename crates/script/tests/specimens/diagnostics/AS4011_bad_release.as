main func(input) {
  bare = trust(input, "")
  short = trust(input)
  named = trust(input, input.reason)
  text = generate({ input: "Read.", release: "it is short" }) -> { a string, b list[boolean] }
  quiet = generate({ input: "Read.", release: " " }) -> { a boolean }
  bound = generate({ input: "Read.", release: { reason: "an order", numbers: [1, 9] } }) -> { a string }
  odd = generate({ input: "Read.", release: { reason: "an order", idds: input.ids } }) -> { a string }
  lone = generate({ input: "Read.", release: { ids: input.ids } }) -> { a string }
  dated = generate({ input: "Read.", release: { reason: "a term", dates: ["2026-01-01", "2026-12-31"] } }) -> { a string }
  fine = generate({ input: "Read.", release: "two drawers" }) -> { a "in" | "out" }
  [bare, short, named, text, quiet, bound, odd, lone, dated, fine, trust(input, "read by the owner")]
}
