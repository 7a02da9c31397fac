import tool Find from "sh://find"
import tool File from "file://workspace"
main func(input) {
  Find.run()
  Find.run(".", "*.ts")
  File.read("README.md")
  File.read()
  File.undo()
  File.undo([])
}
