import tool Mcp from "mcp://server/tool"
import tool Front from "frontend://pick"
import knowledge Pack from "./pack"
main func(input) {
  use Pack max 2k
  Mcp.call({ a: 1 })
  Front.run({})
}
