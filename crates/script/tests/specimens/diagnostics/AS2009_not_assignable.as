import tool Find from "sh://find"
import file Config from "./c.json"
func f(x) { x }
main func(input) {
  Find.path = "."
  Config.a.b = 1
  f.x = 1
}
