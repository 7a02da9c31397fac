main func(input) {
  for x in input.steps < 12 { y = x }
  z = parallel for x in input < 3 { x }
}
