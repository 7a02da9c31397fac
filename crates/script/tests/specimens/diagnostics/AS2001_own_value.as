main func(input) {
  x = x + 1
  if input { y = 1 }
  y = y + 1
  for z in z max 2 { z }
}
