main func(input) {
  name = input.name
  greeting = "Hello ${name}, you are ${input.age}"
  template = "${HOME} and {name} stay, and so does ${}"
  [greeting, template, "cost: $5", """
    Dear ${input.name}
    """]
}
