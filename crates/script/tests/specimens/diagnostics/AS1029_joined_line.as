main func(input) {
  x = 5
  -f(x)
  a = input
  -1
  -a
  b = a
    - 1
  c = (a
    -b)
  d = [a,
    -b]
  a
  (-b)
}
func f(a) { a }
