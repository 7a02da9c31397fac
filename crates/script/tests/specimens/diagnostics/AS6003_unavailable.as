import tool Front from "frontend://pick"
main func(input) {
  Front.run({})
}
