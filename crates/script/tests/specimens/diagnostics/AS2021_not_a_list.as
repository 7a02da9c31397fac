main func(input) {
  for x in 10 max 5 { x }
  y = parallel for c in "text" max 5 { c }
  for z in [1] max 5 { z }
}
