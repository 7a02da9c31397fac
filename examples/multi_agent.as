// Two agents with different roles read one text; a third weighs their answers.
//
//   contexture run examples/multi_agent.as --input '{"path":"examples/data/proposal.md"}'

import tool File from "file://workspace"

agent Advocate {
  role "an advocate of the proposal"

  main func(input { text string }) {
    use input.text max 3k as proposal
    generate({ input: "Name the benefits of the proposal.", attempts: 2 }) -> {
      points list[string]
    }
  }
}

agent Critic {
  role "a critic of the proposal"

  main func(input { text string }) {
    use input.text max 3k as proposal
    generate({ input: "Name the risks and costs of the proposal.", attempts: 2 }) -> {
      points list[string]
    }
  }
}

main agent Chair {
  role "the chair of a technical committee"

  main func(input { path string }) {
    text = File.read({ path: input.path })
    benefits = Advocate({ text: text })
    risks = Critic({ text: text })

    use benefits.points max 1k as benefits
    use risks.points max 1k as risks
    decision = generate({
      input: "Weigh the benefits against the risks and recommend what to do.",
      max_output: 400,
      attempts: 2
    }) -> {
      recommendation?: string
    }
    { benefits: benefits.points, risks: risks.points, recommendation: decision.recommendation }
  }
}
