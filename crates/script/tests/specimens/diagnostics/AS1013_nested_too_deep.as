//// limits: source_depth=12
main func(input) {
  a = ((((((((((((((((1))))))))))))))))
  b = 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1
  if a { if a { if a { if a { if a { if a { if a { if a { if a { if a { if a { if a { c = 1 } } } } } } } } } } } }
  unknown
}
