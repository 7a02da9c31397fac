// Returns a set: an instruction for each number, and one that adds up their results.
//
//   contexture flow run examples/flows/plan.as --input '{"numbers":[3,4,5]}'

main func(input { numbers list[number] }) {
  steps = []
  ids = []
  sum = "0"
  for number in input.numbers max 100 {
    id = "square_" + number
    steps.add({
      instructionId: id,
      action: "calculator",
      parameters: { expression: number + " * " + number }
    })
    ids.add(id)
    sum = sum + " + ${results." + id + ".result.value}"
  }
  steps.add({
    instructionId: "total",
    action: "calculator",
    parameters: { expression: sum },
    dependencies: ids
  })
  { executionMode: "PARALLEL", instructions: steps }
}
