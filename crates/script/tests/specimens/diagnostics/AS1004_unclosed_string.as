main func(input) {
  a = "no end
  b = 'neither
  c = "ok"
  d = """
    to the end
}
