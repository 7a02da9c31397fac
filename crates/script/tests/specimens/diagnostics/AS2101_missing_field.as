shape Issue { title string, tags list[string], owner { name string }, next?: Issue }

func read(text) -> Issue {
  use text max 1k as report
  r = generate({ input: "Read the report." }) -> { answer string, issues list[Issue] }
  shown = r.anwser
  for issue in r.issues max 10 {
    shown = issue.titel + issue.owner.nam + issue.next.next.tittle
  }
  r.issues[0].tags[0].name
  r.issues.first().title.upper().size
  r.issues.first()
}

main func(input { question string }) {
  result = read(input.questoin)
  point = { x: 1, y: 2 }
  [result.titles, point.z, input.question.length, result.tags.length, shown(result), tried(result)]
}

func shown(issue Issue) {
  issue.note = "seen"
  if issue.has("extra") { issue.extra }
  issue.note
}

func tried(issue Issue) { try { issue.nothing } else { none } }
