//// pattern: @file://docs/*.md 31 2
//// pattern: @file://few/*.md 4 2
import resource Docs from "@file://docs/*.md"
import resource Few from "@file://few/*.md"

main func(input) {
  use Docs max 4k
  use Docs max 4k for input.question
  use Docs
  use Few max 4k
  use one of {
    a: Docs max 8k chars
    b: empty
  }
  generate({ input: "x" }) -> { answer string }
}
