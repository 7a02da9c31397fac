use nowhere
main func(input) {
  use fine max 2k as fine
  use early as early
  generate({ input: "a" }) -> { ok boolean }
  early = 1
  fine = 2
  use never
  if input {
    use inner
    inner = 1
    generate({ input: "b" }) -> { ok boolean }
  }
}
