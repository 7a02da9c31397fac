import tool Web from "https://example.com"
main func(input) {
  a = secret()
  b = secret(input.name)
  c = secret("a b")
  d = secret("A", "B")
  Web.get({ url: "/" })
}
