import tool Find from "sh://find"
import llm Q from "mock"
func helper(x) { x }
main func(input) {
  tools = [1]
  generate({ input: "a", tools: [Find] }) -> { ok boolean }
  generate({ input: "a", tools: tools }) -> { ok boolean }
  generate({ input: "a", tools: [helper, Q, "Find", missing] }) -> { ok boolean }
  generate({ input: "a", tools: Find }) -> { ok boolean }
}
