// Plans steps, then executes them in parallel. Each step sees only what it declares.
//
//   contexture run examples/plan_execute.as --input '{"goal":"Explain how requests are cached and logged"}'

import tool Grep from "sh://grep"
import tool File from "file://workspace"

agent Planner {
  role "a planner"

  main func(input { goal string }) {
    overview = File.read({ path: "examples/data/notes/overview.md" })
    use input.goal as user goal
    use overview max 2k as overview
    generate({
      input: "Break the goal into steps, one topic each.",
      max_output: 400,
      attempts: 2
    }) -> {
      steps list[string]
    }
  }
}

agent Executor {
  role "a specialist"

  main func(input { goal string, step string }) {
    notes = Grep.run({
      path: "examples/data/notes",
      pattern: "cache|log|request",
      regex: true,
      ignore_case: true,
      max: 40
    })
    use input.step as step
    use notes max 2k as notes
    generate({ input: "Work on the step with the notes.", max_output: 300, attempts: 2 }) -> {
      finding string
    }
  }
}

main agent Controller {
  main func(input { goal string }) {
    plan = Planner(input)
    results = parallel for step in plan.steps max 4 {
      done = Executor({ goal: input.goal, step: step })
      { step: step, finding: done.finding }
    }
    results.summary
  }
}
