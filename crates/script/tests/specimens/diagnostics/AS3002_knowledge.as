import knowledge Acme from "knowledge://acme"
import knowledge Other from "knowledge://other"
model Acme
main func(input) {
  use Acme max 3k as "product facts"
  use Other max 8k chars keep tail priority 2 as other
  use one of { acme: Acme max 1k selected other: Other none: empty } as choice
  use Acme.guide as guide
  use Acme.guide() as guide
  use [Acme, Other] as both
  use "knowledge://acme"
  a = Acme
  b = Acme.guide
  c = Acme.resolve
  d = Acme.status
  e = Acme({ task: "x" })
  f = Acme.guide({ deep: true })
  g = Acme.guide("x", "y")
  h = Acme.resolve()
  i = Acme.resolve({ tsk: "price", budgt: 100 })
  j = Acme.resolve({ task: 5, budget: "lots", evidence: "yes", intent: "sell", grounding: "none" })
  k = Acme.resolve({ task: "price", budget: 0 })
  l = Acme.resolve("price")
  m = Acme.list()
  n = Acme.resolve({ task: input.q, budget: "1.5k", evidence: true, intent: "cite" })
  o = Acme.resolve({ task: input.q, budget: 2k })
  p = parallel for x in input.list max 3 { Acme.resolve({ task: x }) }
  Acme.name = "mine"
  generate({ input: "Say it.", tools: [Acme] }) -> { a string }
}
