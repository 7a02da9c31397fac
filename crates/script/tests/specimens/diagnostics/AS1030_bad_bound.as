shape Rating {
  stars integer min 5 max 1
  title string min 1
  tags list[string] length 3 to 2
  code string pattern "[A-"
  ok boolean length 3
  id string length 1.5
  size number min 1 min 2
  kind "a" | "b" pattern "a"
}

main func(input) {
  generate({ input: "Rate it." }) -> { rating Rating, far number min -3 max -5 }
}
