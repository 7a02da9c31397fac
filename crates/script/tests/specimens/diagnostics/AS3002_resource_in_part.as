//// reference: docs/*.md REF1001
//// reference: @?file://docs/*.md
import resource Docs from "@?file://docs/*.md"
import resource Bad from "docs/*.md"
main func(input) {
  use Docs.text as text
  use [Docs, Bad] as list
  use Docs max 2k as docs
  a = Docs
  Docs.read()
  Docs({})
  use one of { docs: Docs max 1k selected bad: Bad none: empty } as choice
  model Docs
  generate({ input: "Say it.", tools: [Docs] }) -> { a string }
}
