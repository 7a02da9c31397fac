func choose(x) {
  if x {
    "yes"
  } else if x == 2 {
    y = 1
    if y { { a: y } } else { generate({ input: "a" }) -> { ok boolean } }
  } else {
    return none
  }
}
func acts(x) {
  if x { x.add(1) } else { x.add(2) }
}
main func(input) { choose(acts(input)) }
