main func(input) {
  use input max 2k max 3k
  use input max 2k keep tail keep head
}
