//// server: fs read_file{path!:string,head:integer,tail:number|null,sort:string|'name'|'size',more:any} get-sum{a!:number,b!:number,…} list{} 3d{}
import tool Fs from "mcp://fs"
import tool Sum from "mcp://fs/get-sum"
main func(input) {
  Fs.raed_file({ path: "a" })
  Fs.delete({ path: "a" })
  Fs.run({ path: "a" })
  Sum.sum({ a: 1, b: 2 })
  Sum.read_file({ path: "a" })
  Fs({ path: "a" })
  Sum({ a: 1, b: 2 })
  x = Fs
  y = Fs.list
  use Fs as files
  Fs.get_sum({ a: 1, b: -2.5, c: "more" })
  Fs._3d()
  Fs.list()
  Sum.run({ a: input.a, b: 1 })
  Sum.get_sum({ a: 1, b: 2 })
  generate({ input: "Add.", tools: [Fs, Sum] }) -> { a string }
}
