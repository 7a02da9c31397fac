import tool Search from "sh://grep"
import llm Qwen from "mock"
import memory Lessons from "file://l.jsonl"
import file Notes from "./n.md"
agent Worker { func run(x) { x } }
func helper(x) { x }
main func(input) {
  use Search
  use Qwen max 2k
  use Worker as evidence
  use helper
  use Lessons
  use Search.run
  use "openai://gpt-4o"
  use role
  use [input, Search]
  use Notes max 2k
  use one of { a: Search, b: Notes }
}
