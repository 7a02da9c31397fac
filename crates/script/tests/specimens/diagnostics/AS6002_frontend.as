import tool A from "frontend://"
import tool B from "frontend://pick a file"
import tool C from "frontent://pick"
import tool Page from "frontend://pick-file"
main func(input) {
  Page.run("x")
  Page.show({ a: 1 })
  Page.pick_file({ a: 1 })
  Page.run({ b: 1 }, 2)
  use Page
  parallel for x in input max 3 { Page.run({ x: x }) }
  parallel for x in input max 3 { generate({ input: "Do.", tools: [Page] }) }
  Page.run()
}
