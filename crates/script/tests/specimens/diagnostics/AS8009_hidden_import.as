import tool File from "file://workspace"
import file Notes from "./notes.md"
func read(Notes) { Notes.length }
main func(input) {
  text = File.read({ path: input.path })
  for item in input.files max 3 { File = item text = File.name }
  use Notes max 1k
  answer = generate({ input: read(text) }) -> { text string }
  answer.text
}
