use super::*;

fn parse_text(text: &str) -> (SourceFile, Parsed) {
    let source = SourceFile::new("t.as", text);
    let parsed = parse(&source, &Limits::default());
    (source, parsed)
}

fn codes_of(text: &str) -> Vec<&'static str> {
    parse_text(text).1.diagnostics.iter().map(|fault| fault.code).collect()
}

#[test]
fn as_1_a_whole_program_parses() {
    let text = r#"
import llm Q from "ollama://localhost:11434/qwen"
import tool Find from "sh://find"
role "a helper" description "helps"
main agent Controller {
  model Q role "a reader"
  use Config max 2k keep tail priority 3 as config // note
  main func(input { question string, n?: integer }) {
    scratch = []
    use scratch.summary max 2k as observations
    loop until done max 6 {
      files = Find.run({ path: ".", max: 50 })
      scratch.add({ fact: files[0].path })
      done = a < 6 and not b == c
    }
    x = parallel for f in files max 10 { { a: f } }
    y = try { x[0] } else err { err.message }
    generate({ input: "Answer", max_output: 2k }) -> {
      /// what
      ok boolean
      kind "a" | "b"
      items list[{ x: number }]
    }
  }
}
"#;
    let (_, parsed) = parse_text(text);
    assert_eq!(parsed.diagnostics, vec![]);
    assert_eq!(parsed.file.items.len(), 5);
}

#[test]
fn as_32_old_syntax_has_a_code_per_kind() {
    let text = r#"func f(input) {
  use docs < 4k
  use docs.summary < 2k as evidence
  loop until done < 6 { x = 1 }
  for x in xs < 12 { y = 1 }
  generate({
    input: "a"
    limit: 800
  }) -> { ok boolean }
}"#;
    assert_eq!(codes_of(text), ["AS7001", "AS7001", "AS7002", "AS7003", "AS7005", "AS7004"]);
}
