main func(input) {
  a = 2m + 10kb
  b = 1.2345k
  c = 0x10
  d = 1_000
}
