policy write "deny"
policy send "allow"
policy execut "ask"
policy execute "denny"
policy read "deny"

agent Reads {
  policy write "deny"
  func run(x) { x }
}

main func(input) {
  policy send "deny"
  policy = Reads(input)
  policy
}
