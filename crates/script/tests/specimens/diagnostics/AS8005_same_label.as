main func(input) {
  use input.old as draft
  if input.changed {
    use input.new as draft
    first = generate({ input: "Compare." }) -> { better boolean }
    return first.better
  }
  use input.question
  use input.question
  second = generate({ input: "Judge." }) -> { good boolean }
  if second.good {
    use input.new as draft
  }
  second.good
}
