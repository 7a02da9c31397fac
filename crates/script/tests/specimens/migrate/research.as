-- A program as it was written for 0.1.3.
import llm Q from "ollama://localhost:11434/qwen"
import tool Find from "sh://find"
import tool File from "file://workspace"
import memory Lessons from "file://lessons.jsonl"
import file Rules from "./rules.md"

main agent Researcher {
  model Q

  func look(input) {
    use Rules < 4k
    use input.question as user // the question, < 2k by itself
    files = Find.run({
      path: "."
      name: "*.md" // only notes
      max: 50
    })
    use files.summary < 2k as retrieved evidence
    generate({
      input: "Which of them matter?"
      limit: 800
      attempts: 3
    }) -> {
      paths list[string]
      limit integer
    }
  }

  func judge(answer) {
    if answer.ok and not answer.dry {
      { verdict: "good", why: answer.text }
    } else {
      "bad"
    }
  }

  main func(input) {
    found = []
    done = false
    loop until done < 6 {
      step = look(input)
      done = step.paths.length < 3 -- a comparison stays
    }
    for path in step.paths < 12 {
      found.add({ path: path, text: File.read({ path: path }) })
    }
    repeat * 2 { found.add(none) }
    Lessons.add({
      kind: "lesson"
      text: "found " + found.length
      tags: [
        "research"
        input.topic
      ]
    })
    past = Lessons.query({ kind: "lesson", text: input.topic, limit: 5 })
    use past < 2k
    judge(generate({ input: "Answer.", limit: 2k }) -> { ok boolean })
  }
}
