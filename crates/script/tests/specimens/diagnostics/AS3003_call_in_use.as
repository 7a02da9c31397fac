import tool Search from "sh://grep"
func helper(x) { x }
main func(input) {
  use Search.run({ pattern: "TODO" }) max 4k as results
  use helper(input)
  use input.trim()
  use input.items[helper(1)]
  use generate({ input: "x" }) -> { ok boolean }
  use one of { a: helper(input), none: empty }
  use input.docs.summary max 2k
}
