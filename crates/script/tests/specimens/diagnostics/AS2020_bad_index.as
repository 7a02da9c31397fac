main func(input) {
  a = input[-1]
  b = input[1.5]
  c = input[true]
  d = input["key"]
  e = input[0]
}
