main func(input) {
  # not a comment
  a = $b
  c = 1 @ 2
  d = `text`
  e = 😀😀
}
