//// reference: @!file://rules.md
//// reference: @file://docs/
//// reference: @file:a.md REF1004
main func(input) {
  role "keeper of @!file://rules.md"
  description "knows @file:a.md"
  generate({ input: "Read @file://docs/" + input.name + " and @!file://rules.md" + " now" }) -> { a string }
  generate({ input: """
    先读 @!file://rules.md，
    再读 \"@file:a.md\"。
  """ }) -> { a string }
}
