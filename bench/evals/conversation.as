// A conversation about a text: the share of a prompt that the next one begins with, which a provider
// need not read again.
//
//   contexture test bench/evals/conversation.test.yaml

import file License from "../../LICENSE-APACHE"
import file Security from "../../docs/security.md"

func turn(text string, earlier list, question string) {
  use one of {
    none: empty selected
    question: question
  } as asked
  use text max 3k as text
  use earlier max 20k keep tail as earlier
  generate({ input: question, max_output: 100 }) -> { answer string }
}

main func(input { text string, questions list[string] }) {
  text = Security
  if input.text == "license" {
    text = License
  }
  earlier = []
  for question in input.questions max 20 {
    result = turn(text, earlier, question)
    earlier.add({ question: question, answer: result.answer })
  }
  earlier
}
