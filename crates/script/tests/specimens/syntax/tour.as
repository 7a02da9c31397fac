// Everything the language can write, once.
import llm Qwen from "ollama://localhost:11434/qwen2.5"
import tool Find from "sh://find"
import memory Lessons from "sqlite://lessons.db#lessons"
import file Requirements from "./requirements.md"
import agent Far from "./far.as"

role "a careful reader" description 'reads "everything"' -- two on one line
use Requirements max 4k as requirements

func pick(item) { item.path }

agent Worker {
  model Qwen
  role """
    several
      lines
  """
  func work(goal string, options { depth?: integer, kind "a" | "b" }) {
    goal + " " + options.depth
  }
}

main agent Controller {
  main func run(input {
    /// What is asked.
    question string
    hints: list[string], limit
    nested?: { a number, b list[{ c json }] }
  }) {
    scratch = []
    use scratch.summary max 2k keep tail priority 3 for input.question as observations
    use best 0..4 of scratch max 1k..6k keep head | tail for input.question selected best 2 4k tail as examples
    use one of {
      short: input.question max 500 chars selected
      long: scratch max 1.5k keep middle,
      none: empty
    } as "what there is"
    done = false
    count = 0
    loop until done or count >= 6 max 6 {
      count += 1
      done = not input.question == "x" and count < 5 * 2 - 1 % 2
    }
    repeat * 3 { count -= 1 }
    for file in Find.run({ path: ".", "name": "*.ts", max: 50, }) max 12 {
      if file.path.endsWith("x") { scratch.add({ fact: file["path"], n: -1.5e3 }) }
      else if file { none } else { scratch.add([1, true, false, none,]) }
    }
    results = parallel for path in scratch.map(pick) max 10 {
      try { Worker.work(path, { kind: "a" }) } else err { err.message }
    }
    state = {}
    state.a.b = results
      .first()
      .trim() + "\u{4f60}\n"
      + "more"
    answer = generate({
      input: "Answer from " + 检索(results),
      max_output: 2k, think: "low", tools: [Find]
    }) -> {
      ok boolean
      text string, score?: number
    }
    return Far(answer)
  }
  func 检索(结果) { 结果.length }
}
