// Proposes another instruction, from the cases that fail with the present one.
main func(input {
  instruction string
  others list[string]
  failures list[json]
}) {
  use input.instruction as present instruction
  use input.others max 4k as instructions that were tried
  use input.failures max 8k as cases that fail
  generate({
    input: "The present instruction is a part of a prompt. The cases that fail have an input, and what was wrong with the answer. Find the reason that the failures share, and write the whole instruction anew, so that the answers to such inputs are right. Keep what it asks for otherwise, name no single case, and repeat no instruction that was tried.",
    max_output: 2k,
    attempts: 2
  }) -> {
    /// What the failures have in common.
    reason string
    /// The whole new instruction.
    instruction string
  }
}
