main func(input) {
  use input max 2k keep tial
  use input max 2k keep start
  use input max 2k keep as evidence
  use input max 2k keep middle
}
