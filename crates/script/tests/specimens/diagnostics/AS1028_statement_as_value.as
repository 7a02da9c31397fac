main func(input) {
  x = if input { 1 } else { 2 }
  y = [for a in input max 2 { a }]
  missing
}
