//// server: fs read_file{path!:string}
import tool A from "mcp://"
import tool B from "mcp://fs/"
import tool C from "mcp://f s"
import tool D from "mcp:///read_file"
import tool E from "MCP://fs"
import tool F from "mcp://fs?x=1"
import tool G from "mcp:fs"
import tool H from "mpc://fs"
import tool Good from "mcp://fs"
import tool Read from "mcp://fs/read_file"
import tool Gone from "mcp://gone"
main func(input) {
  A.a() B.b() C.c() D.d() E.e() F.f() G.g() H.h()
  Gone.anything({ at: "all" })
  Good.read_file({ path: "a" }) + Read.run({ path: "b" }) + Read.read_file({ path: "c" })
}
