// Answers a question from the texts in docs/.

import resource Docs from "@!file://docs/*.md"

main agent Librarian {
  role "a librarian who quotes"

  main func(input { question string }) {
    use Docs max 4k as docs
    generate({ input: input.question }) -> { answer string }
  }
}
