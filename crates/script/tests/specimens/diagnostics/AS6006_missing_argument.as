import tool Grep from "sh://grep"
import tool File from "file://workspace"
main func(input) {
  Grep.run({ path: "." })
  File.write({ path: "a" })
  File.read(input)
}
