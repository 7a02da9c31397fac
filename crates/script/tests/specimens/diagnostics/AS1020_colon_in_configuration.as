role: "a reader"
main agent A {
  description: "reads"
  model: Q
  main func(input) { input }
}
import llm Q from "mock"
