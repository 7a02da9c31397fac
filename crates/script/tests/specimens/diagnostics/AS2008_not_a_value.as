import tool Find from "sh://find"
import llm Q from "mock"
agent Worker { func run(x) { x } }
func helper(x) { x }
main func(input) {
  a = Find
  b = [Q, Worker]
  c = helper
  d = Find.run
  e = Worker.run
  f = input.map(helper)
  g = helper(helper)
}
