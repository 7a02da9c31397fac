main func(input) {
  results = []
  count = 0
  state = { n: 0 }
  parallel for x in input max 10 {
    results.add(x)
    count += 1
    count = 2
    state.n = 1
    x.done = true
    own = []
    own.add(x)
    x = { copy: 1 }
    x.done = true
    for y in own max 3 { own.add(y) }
    own
  }
}
