//// server: fs read_file{path!:string} write_file{path!:string}
import tool File from "file://workspace"
import tool Find from "sh://find"
import tool Web from "https://api.example.com"
import tool Fs from "mcp://fs"
import tool One from "mcp://fs/write_file"
main func(input) {
  generate({ input: "a", tools: [File, Find, Web] }) -> { ok boolean }
  generate({ input: "a", tools: [Fs, One] }) -> { ok boolean }
  generate({ input: "a", tools: [File.read, File.write, Web.post, Fs.write_file] }) -> { ok boolean }
  generate({ input: "a", tools: [File.raed, Web.fetch, Fs.write] }) -> { ok boolean }
}
