shape Issue { title string, severity "low" | "high", stars integer, tags?: list[string] }

agent Triage {
  main func(input { issue Issue }) { input.issue }
}

func file(issue Issue, urgent boolean) { [issue, urgent] }

main func(input { n integer, name string, issue Issue }) {
  file({ title: "a", severity: "hgih", stars: 1 }, true)
  file({ titel: "a", severity: "low", stars: 1 }, true)
  file({ title: "a", severity: "low" }, true)
  file({ title: 5, severity: "low", stars: 1.5 }, true)
  file(input.name, input.n)
  file(input, true)
  file(none, true)
  Triage({ m: 1 })
  Triage({ issue: { title: "a", severity: "low", stars: 1, tags: ["a", 2] } })
  answer = generate({ input: "Judge." }) -> { title string, severity string, stars number }
  file(answer, true)
}
