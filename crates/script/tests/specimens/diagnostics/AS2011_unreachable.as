main func(input) {
  if input {
    return 1
    x = 2
  }
  return 3
  4
}
