import tool Find from "sh://find"
import llm Q from "mock"
model Q
main func(input) { input }
