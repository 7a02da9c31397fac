main func(input { n int, t txt, o object, s string[], x whatever }) {
  generate({ input: "a" }) -> {
    ok bool
    items list[strin]
    when date
  }
}
