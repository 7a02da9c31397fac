import tool File from "file://workspace"
import tool Find from "sh://find"
import memory M from "sqlite://m.db#a"
main func(input) {
  File.raed({ path: "a" })
  Find.find({ path: "a" })
  M.remove({ id: "a" })
}
