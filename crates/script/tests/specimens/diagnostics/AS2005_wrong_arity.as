agent Worker { func run(goal, step) { goal } }
func two(a, b) { a }
main func(input) {
  two(1)
  two(1, 2, 3)
  Worker(input)
  Worker.run(1)
  input.map(two)
}
