main func(input) {
  if input.a = 1 { none }
  loop until input.b = 2 max 3 { none }
  x = (y = 1)
  a = b = 2
}
