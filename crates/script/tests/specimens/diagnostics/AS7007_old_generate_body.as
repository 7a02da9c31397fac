main func(input) {
  verdict = generate({ input: "Is it good?" }) {
    return {
      good boolean
      why string
    }
  }
  reason = generate({ input: "Say why." }) { return { text string } }
  [verdict, reason]
}
