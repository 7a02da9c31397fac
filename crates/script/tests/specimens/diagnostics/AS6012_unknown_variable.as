//// template: t.hbs used=items,tone,user.name
//// template: none.hbs partials=Sign
//// template: sign.hbs
import template T from "t.hbs"
import template None from "none.hbs"
import template Sign from "sign.hbs"

main func(input) {
  a = T({ itmes: [], tone: 1, user: { nam: 1 } })
  b = T.render({ colour: 1 })
  c = None({ x: 1 })
}
