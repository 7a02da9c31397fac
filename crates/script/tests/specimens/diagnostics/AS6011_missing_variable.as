//// template: t.hbs always=name,user.name,user.address.city used=name,user.name,user.address.city,tone
import template T from "t.hbs"

main func(input) {
  a = T()
  b = T({ nmae: 1, user: { name: 2, address: input } })
  c = T.render({ name: 1, user: { address: { } } })
  d = T({ name: 1, user: input })
  e = T(input)
  f = T({ "name": 1, user: { name: 1, address: { city: 2 } }, tone: 3 })
}
