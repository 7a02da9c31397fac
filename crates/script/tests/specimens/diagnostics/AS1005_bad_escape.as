main func(input) {
  a = "\d+ and \q"
  b = "\u{110000} \u12"
  c = "fine: \n \t \\ \" \u{4f60} \u4f60"
  d = """
    also \w here
  """
}
