//// server: fs read_file{path!:string,head:integer,tail:number|null,sort:string|'name'|'size',more:any} get-sum{a!:number,b!:number,…} list{}
import tool Fs from "mcp://fs"
main func(input) {
  Fs.read_file()
  Fs.read_file({})
  Fs.read_file("a.txt")
  Fs.read_file({ path: "a" }, 2)
  Fs.read_file({ pth: "a" })
  Fs.read_file({ path: 1, head: 1.5, tail: "x", sort: "nmae" })
  Fs.read_file({ path: none })
  Fs.list({ path: "a" })
  Fs.get_sum({ a: true, b: "2" })
  Fs.read_file({ path: "a", head: none, tail: none, sort: none, more: [1] })
  Fs.read_file({ path: input.p, head: 3.0, tail: -1, sort: "name", more: { a: 1 } })
  Fs.read_file(input)
}
