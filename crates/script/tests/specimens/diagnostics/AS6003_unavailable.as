import tool Mcp from "mcp://server/tool"
import tool Front from "frontend://pick"
import knowledge Pack from "./pack"
import resource Doc from "@file://a.md"
main func(input) {
  use Pack max 2k
  use Doc
  Mcp.call({ a: 1 })
  Front.run({})
}
