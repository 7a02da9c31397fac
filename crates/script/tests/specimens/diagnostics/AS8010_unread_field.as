main func(input) {
  use input.text max 2k as text
  plan = generate({ input: "Plan." }) -> { steps list[string], reason string, owner { name string } }
  whole = generate({ input: "Plan." }) -> { steps list[string], reason string }
  again = generate({ input: "Plan." }) -> { text string, score number }
  again = { text: again.text }
  use whole as plan
  [plan.steps, plan.owner.name, again.text]
}
