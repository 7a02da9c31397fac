main func(input) {
  parallel for x in input max 10 {
    if x { return x }
    x
  }
}
