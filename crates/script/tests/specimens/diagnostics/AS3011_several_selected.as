main func(input) {
  use one of { a: input selected, b: input.b selected, none: empty }
}
