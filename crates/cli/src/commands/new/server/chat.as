// A conversation about what is in facts.md.

import resource Facts from "@!file://facts.md"

main agent Chat {
  role "a friendly assistant"
  description "Answer from the facts. Say so when they do not have the answer."

  main func(text string) {
    use Facts max 4k as facts
    generate({ input: text })
  }
}
