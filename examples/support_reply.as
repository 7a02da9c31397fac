// Answers a customer's question: the instruction is a prompt template, filled with the customer's data.
//
//   contexture run examples/support_reply.as --input '{"customer":{"name":"Ada","paying":true},"question":"When does an entry expire?"}'

import template Reply from "prompts/reply.hbs"
import template Sign from "prompts/sign.hbs"
import file Manual from "data/notes/cache.md"

main agent Support {
  role "a support engineer"

  main func(input { customer { name?: string, paying boolean }, question string }) {
    instruction = Reply({
      customer: input.customer,
      question: input.question,
      rules: ["Name the numbers.", "Promise nothing."],
      team: "The cache team"
    })
    use Manual max 1k as manual
    reply = generate({ input: instruction, attempts: 2 }) -> { answer string }
    { asked: instruction, answer: reply.answer }
  }
}
