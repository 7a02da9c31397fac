main func(input) {
  qestion = 1
  question
  x = null
  if input { inner = 1 }
  y = inner
  z = later
  later = 1
  count += 1
  len(input)
  helpr(input)
  missing.field = 1
  try { none } else err { err.message }
  err
}
func helper(x) { input }
