main func(input) {
  n = 3
  loop until input max 0 { none }
  for x in input max -1 { none }
  for x in input max 1.5 { none }
  for x in input max "3" { none }
  for x in input max n + 1 { none }
  repeat * -2 { none }
  repeat * n { none }
}
