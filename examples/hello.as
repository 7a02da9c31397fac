// The smallest program: no model, no tool.
//
//   contexture run examples/hello.as --input '{"name":"Ada"}'

main func(input { name?: string }) {
  if input.name == none {
    return "Hello!"
  }
  "Hello, " + input.name + "!"
}
