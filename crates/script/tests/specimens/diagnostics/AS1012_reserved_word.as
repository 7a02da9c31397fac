func use(x) { x }
func f(if, ok) { ok }
main func(input) {
  for return in input max 2 { none }
  x = parallel for not in input max 2 { not }
}
