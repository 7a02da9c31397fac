import llm Qwen from "mock"
import tool Find from "sh://find"
main agent A {
  model Qwenn
  main func(input) {
    model Find
    model "openai://gpt-4o"
    model default
    input
  }
}
