agent Worker { func summarize(x) { x } }
main func(input) {
  Worker.summarise(input)
  Worker.plan(input)
}
