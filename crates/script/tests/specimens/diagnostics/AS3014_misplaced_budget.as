main func(input) {
  use one of { a: input, none: empty max 2k } as evidence
  use one of { a: input, b: input.b } max 2k as evidence
  use one of { a: input, b: input.b } priority 2 as evidence
}
