shape Issue { title string, note?: string, owner?: { name string }, tags?: list[string] }

func show(issue Issue) {
  for tag in issue.tags max 5 { tag }
  [issue.note.length, issue.owner.name, issue.title.length, issue.note.upper()]
}

func careful(issue Issue) {
  if issue.owner == none { return "nobody" }
  for tag in issue.get("tags", []) max 5 { tag }
  owner = issue.owner.name
  owner + issue.get("note", "").upper()
}

main func(input { issue Issue }) { [show(input.issue), careful(input.issue)] }
