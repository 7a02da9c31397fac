main func(input) {
  if input.a && !input.b || input.c {
    n = 1
    n *= 2
  }
}
