import tool Find from "sh://find"
import tool File from "file://workspace"
import memory M from "sqlite://m.db#a"
main func(input) {
  Find.run({ pth: ".", limit: 5 })
  File.patch({ path: "a", find: "x", replace: "y" })
  M.query({ kind: "a", max: 5 })
  M.add({ anything: "goes" })
}
