//// server: server tool{} other{}
import tool File from "file://workspace"
import tool Http from "https://api.example.com"
import tool Mcp from "mcp://server/tool"
import memory Lessons from "file://l.jsonl"
import agent Far from "./far.as"
agent Saver { func save(x) { File.write({ path: "a", content: x }) } }
func store(x) { Saver(x) }
func pure(x) { x }
func looping(x) { looping(store(x)) }
main func(input) {
  a = parallel for x in input max 10 {
    File.read({ path: x })
    File.write({ path: x, content: "" })
    Http.get({ url: "/a" })
    Http.post({ url: "/a" })
    Lessons.query({ kind: "a" })
    Lessons.add({ kind: "a" })
    Mcp.call({})
    pure(x)
    store(x)
    looping(x)
    Far(x)
    input.map(store)
    generate({ input: "a", tools: [File, File.patch] }) -> { ok boolean }
    x
  }
  for x in a max 10 { File.write({ path: x, content: "" }) }
}
//// file: far.as
import tool File from "file://workspace"
agent Far { main func(x) { deep(x) } func deep(x) { File.undo(x) } }
