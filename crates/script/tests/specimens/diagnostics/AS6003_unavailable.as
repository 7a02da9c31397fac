import tool Mcp from "mcp://server/tool"
import tool Front from "frontend://pick"
main func(input) {
  Mcp.call({ a: 1 })
  Front.run({})
}
