agent Library {
  func one(x) { x }
  func two(x) { x }
}
agent Empty { role "nothing" }
main func(input) {
  Library(input)
  Empty(input)
}
