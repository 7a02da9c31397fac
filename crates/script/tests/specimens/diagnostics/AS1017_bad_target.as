main func(input) {
  f() = 1
  1 = 2
  "a" += "b"
  (x) = 3
  [1][0] = missing
}
func f() { 1 }
