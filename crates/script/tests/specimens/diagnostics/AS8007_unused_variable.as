func acts(x) { x.add(1) }
main func(input) {
  spare = 1
  called = acts(input.list)
  _meant = 2
  kept = { a: 1 }
  kept.a = 2
  for item in input.list max 3 { last = item }
  input
}
