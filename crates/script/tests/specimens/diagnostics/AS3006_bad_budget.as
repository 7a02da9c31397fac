main func(input) {
  n = 5
  use input max 0
  use input max -5
  use input max 0.5
  use input max n
  use input max "2k"
  use input max
  use input max as evidence
  use input max 1.5k
  use input max 1.2345k
}
