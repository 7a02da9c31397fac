// Answers what somebody says. Put your own agent here.

main agent Helper {
  role "a friendly assistant"

  main func(text string) {
    generate({ input: text })
  }
}
