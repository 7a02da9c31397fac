// Answers a customer from a knowledge pack: the facts that match the question are in the prompt, fenced as data.
//   contexture run examples/knowledge/answer.as --workspace examples/knowledge \
//     --input '{"question":"What does the widget cost?"}'
// The pack is in .agents/knowledge/ of this folder. The first run asks whether it may be read; a script passes
// the --allow-pack option that the refusal shows.
import knowledge Acme from "knowledge://acme-product-brief"

main func(input { question string }) {
  role "a friendly support agent of Acme"
  use Acme max 1k as "product facts"
  reply = generate({ input: input.question, max_output: 300 }) -> {
    /// The answer, in one or two sentences
    answer?: string
  }
  found = Acme.resolve({ task: input.question, budget: "1k", evidence: true })
  {
    answer: reply.answer,
    sources: found.source_anchors,
    missing: found.missing
  }
}
