import tool Find from "sh://find"
import tool Http from "https://api.example.com"
main func(input) {
  Find.run({ path: 1, name: none, type: "fil", max: 0 })
  Find.run({ path: input.path, max: input.max, type: "dir" })
  Http.get({ url: "/a", headers: "x", timeout: -1 })
}
