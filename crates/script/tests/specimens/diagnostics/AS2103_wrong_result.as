shape Verdict { ok boolean, reason string, level "low" | "high" }

func judge(text string) -> Verdict {
  if text == "" { return { ok: false, reason: "nothing was said", level: "lo" } }
  if text.length > 100 { return text }
  if text.length > 50 { return { ok: true, reason: "long" } }
  { ok: "yes", reason: "short", level: "low" }
}

func count(text string) -> integer { text.lines() }
func same(verdict Verdict) -> Verdict { verdict }
func recursive(n integer) -> string { if n > 1 { return recursive(n - 1) } "done" }

main func(input { text string }) -> list[Verdict] {
  [judge(input.text), count(input.text), same(judge("a")), recursive(3)]
}
