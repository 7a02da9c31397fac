main agent A {
  import tool T from "sh://find"
  agent B { func f(x) { x } }
  main func(input) {
    func inner(x) { x }
    import tool U from "sh://grep"
    T.run({ path: "." })
  }
}
