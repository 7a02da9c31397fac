shape Kind "bug" | "idea" | "question"

main func(input { kinds list[Kind] }) {
  r = generate({ input: "Which kind?" }) -> { kind Kind }
  found = 0
  if r.kind == "bgu" { found += 1 }
  if "bug" == r.kind or r.kind != "praise" { found += 1 }
  for kind in input.kinds max 10 { if kind == "Bug" { found += 1 } }
  [found, input.kinds.first() == "ideas"]
}
