use super::*;
use crate::host::{LoadedSource, MemoryLoader};
use crate::program::load;
use contexture_context::Limits;

fn faults(text: &str) -> Vec<Diagnostic> {
    let root = LoadedSource { name: "main.as".to_owned(), text: text.to_owned() };
    check(&load(root, &MemoryLoader::new(), &Limits::default()))
}

#[test]
fn as_32_a_sound_program_has_no_fault() {
    let text = r#"
import llm Q from "ollama://localhost:11434/qwen"
import tool Find from "sh://find"
import memory M from "file://m.jsonl"
import file Requirements from "./r.md"
agent Worker { func run(x) { x } }
main agent Controller {
  model Q role "a reader"
  use Requirements max 2k
  func helper(x) { x.path }
  main func(input { question string }) {
    scratch = []
    use scratch.summary max 2k as observations
    use later as later
    later = 1
    for f in Find.run({ path: ".", max: 50 }) max 10 {
      scratch.add({ fact: f })
    }
    x = parallel for f in scratch max 10 { local = [] local.add(f) Worker(f) }
    M.add({ kind: "a", text: "b", goal: 1 })
    names = scratch.map(helper)
    y = try { x[0] } else err { err.message }
    generate({ input: "Answer", max_output: 2k, think: "low", tools: [Find] }) -> { ok boolean }
  }
}
"#;
    assert_eq!(faults(text), vec![]);
}
