main func(input) {
  use input.question
  use input < 4k
  use input.docs.summary < 2k as evidence
  use input.a<800
  use one of { a: input < 2k, none: empty }
}
