main func(input) {
  use input max 2k priority high
  use input max 2k priority 1.5
  use input priority as evidence
  use input priority -2 as evidence
}
