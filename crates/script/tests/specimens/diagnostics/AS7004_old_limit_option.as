import memory M from "file://m.jsonl"
main func(input) {
  past = M.query({ kind: "a", limit: 5 })
  generate({ input: "a", limit: 2k }) -> { limit integer }
}
