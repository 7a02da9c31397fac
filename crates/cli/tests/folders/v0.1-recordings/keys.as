main func(input) {
  note = "The key is AKIAIOSFODNN7EXAMPLE, and password: hunter2-correct-horse."
  use note as note
  generate({ input: "Whose key is it?" })
}
