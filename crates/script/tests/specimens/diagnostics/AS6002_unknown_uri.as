import tool Find from "sh://fnd"
import tool Web from "https://host/path"
import tool Odd from "gopher://x"
import llm Q from "gpt-4o"
import llm R from "opneai://gpt"
import memory M from "file://m.json"
import memory N from "sqlite://m.db"
import file F from ""
import file G from "https://example.com/a.md"
model Q
main func(input) {
  model R
  use F
  use G
  Find.run({}) Web.get({ url: "" }) Odd.x() M.add({}) N.add({})
}
