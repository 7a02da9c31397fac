//// template: t.hbs used=name
import template T from "t.hbs"

func variables(x) { { name: x } }

main func(input) {
  a = T("Ada")
  b = T.render([1])
  c = T({ name: 1 }, { name: 2 })
  d = T.rendr({ name: 1 })
  e = T(input) + T(variables(1)) + T((input))
  model T
  use T
  use T({ name: 1 })
  f = T
  g = T.length
  parallel for x in [1] max 1 { T({ name: x }) }
  generate({ input: T({ name: 1 }), tools: [T] }) -> { a string }
}
