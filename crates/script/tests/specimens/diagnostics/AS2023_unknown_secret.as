import tool Web from "https://example.com"
main func(input) {
  Web.get({ url: "/", headers: { authorization: secret("WEB_TOKEN") } })
}
