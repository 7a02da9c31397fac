import tool Find from "sh://find"
import file Text from "./t.md"
import llm Q from "mock"
func plan(x) { x }
main func(input) {
  plan = plan(input)
  plan(input)
  input(1)
  Find({ path: "." })
  Text()
  Q.generate("x")
  plan(1)(2)
  "text"(1)
}
