//// template: broken.hbs fault=PT1003
//// template: fine.hbs
import template Broken from "broken.hbs"
import template Fine from "fine.hbs"
import template Gone from "gone.hbs"
import template Web from "https://example.com/t.hbs"

main func(input) {
  a = Broken({ x: 1 })
  b = Fine()
  c = Gone()
  d = Web()
  a + b + c + d
}
