import tool File from "file://workspace"

main func(input) {
  nothing = generate({ input: "Plan.", plan: true }) -> { a string }
  empty = generate({ input: "Plan.", tools: [], plan: true }) -> { a string }
  cached = generate({ input: "Plan.", tools: [File.read], plan: true, cache: true }) -> { a string }
  fine = generate({ input: "Plan.", tools: [File.read], plan: true }) -> { a string }
  wrong = generate({ input: "Plan.", tools: [File.read], plan: "yes" }) -> { a string }
  [nothing, empty, cached, fine, wrong, generate({ input: "Do it.", plan: false }) -> { a string }]
}
