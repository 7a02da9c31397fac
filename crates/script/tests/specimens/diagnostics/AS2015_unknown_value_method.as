main func(input) {
  input.push(1)
  input.toUpperCase()
  input.lenght()
  input.length()
  "a".map(f)
  [1].upper()
  { a: 1 }.keys()
}
func f(x) { x }
