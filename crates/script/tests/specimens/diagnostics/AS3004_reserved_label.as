main func(input) {
  use input as system
  use input as Assistant
  use input as "TOOL"
  use input max 2k as developer
  use input as user
  use input as system notes
}
