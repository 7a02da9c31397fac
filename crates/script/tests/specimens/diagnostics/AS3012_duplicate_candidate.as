main func(input) {
  use one of {
    a: input
    a: input.b max 2k
  } as evidence
}
