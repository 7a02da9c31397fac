main func(input) {
  loop until input { x = 1 }
  for x in input { y = x }
  z = parallel for x in input { x }
  loop until input.a < input.b { w = 1 }
}
