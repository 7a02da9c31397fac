import file Requirements from "./requirements.md"
import tool File from "file://workspace"
main func(input) {
  page = File.read({ path: input.path })
  use Requirements as requirements
  use page as page
  short = generate({ input: "Summarise.", max_input: 8k }) -> { text string }
  use short.text as short
  use Requirements max 2k as "the beginning"
  generate({ input: "Judge." }) -> { good boolean }
}
