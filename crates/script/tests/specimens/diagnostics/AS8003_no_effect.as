main func(input) {
  done = false
  loop until done max 3 {
    done == true
    input.count + 1
  }
  notes = try {
    "unused"
    input.notes
  } else { [] }
  lines = parallel for note in notes max 10 {
    note.text
    note.lines().length
  }
  notes.add("one")
  lines
}
