main func(input) {
  input.add()
  input.add(1, 2)
  input.replace("a")
  input.keys(1)
  input.map(f(1))
  input.filter("f")
}
func f(x) { x }
