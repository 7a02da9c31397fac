// What of a long text reaches the model: its head, middle or tail, or what is about the question.
//
//   contexture test bench/evals/cuts.test.yaml

import file License from "../../LICENSE-APACHE"
import file Security from "../../docs/security.md"

func text_of(name string) {
  if name == "license" {
    return License
  }
  Security
}

main func(input { text string, question string }) {
  text = text_of(input.text)
  use one of {
    head_250: text max 250 selected
    head_500: text max 500
    head_1000: text max 1k
    tail_250: text max 250 keep tail
    tail_500: text max 500 keep tail
    tail_1000: text max 1k keep tail
    none: empty
  } as part
  use one of {
    none: empty selected
    about_250: text max 250
    about_500: text max 500
    about_1000: text max 1k
  } for input.question as about
  generate({ input: input.question, max_output: 100 }) -> { answer string }
}
