main func(input) {
  list = [1, 2]
  list[0] = 3
  list[0].a = 4
  o = {}
  o["key"] = 5
  o.a.b = 6
}
