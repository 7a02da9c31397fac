main agent A {
  func one(x) { x }
  func two(x) { x }
}
