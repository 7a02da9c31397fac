main func(input) {
  use one of { only: input max 2k }
  use one of { } as nothing
  use one of { a: input max 2k selected none: empty } as evidence
}
