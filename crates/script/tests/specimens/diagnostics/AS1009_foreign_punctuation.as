main func（input） {
  a = “typographic”
  b = f(1，2)
  c = { 名: ‘值’ }
}
func f(a, b) { a }
