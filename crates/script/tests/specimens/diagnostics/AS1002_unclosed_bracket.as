agent Worker {
  func first(x) {
    y = [1, 2
    z = f(x, {
      a: 1
    if x {
      y = 2
    }

  func second(x) {
    missing
  }
}

main func(input) { Worker.second(input)
