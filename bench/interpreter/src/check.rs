//! Parsing and checking a program of 1.5 MB, and the parts of that time.

use crate::{Entry, entry, timed};
use contexture_diagnostic::Severity;
use contexture_script::analysis::check;
use contexture_script::host::{LoadedSource, MemoryLoader};
use contexture_script::program::{Program, load};

const BYTES: usize = 1_500_000;

/// Functions and an agent as programs have them; `@` stands for a number of its own.
const PART: &str = r#"/// Sorts one request into a kind.
func classify_@(input { question string, rows list[{ id integer, name string }] }) {
  notes = "The server listens on port 7878. See the handbook."
  use notes max 200 as notes @
  for row in input.rows max 20 {
    if row.id > @ { notes = notes + row.name }
  }
  found = generate({ input: "Which kind is it?", max_output: 300 }) -> {
    kind "bug" | "idea" | "question"
    reason string
    sure boolean
    steps list[{ title string, minutes number }]
  }
  if found.kind == "bug" and not found.sure { return total_@(found.steps) + 1 }
  total_@(found.steps)
}

func total_@(steps) {
  sum = 0
  longest = none
  for step in steps max 100 {
    sum += step.minutes
    if longest == none or step.minutes > longest.minutes { longest = step }
  }
  names = []
  for step in steps max 100 { names.add(step.title) }
  shown = { title: "Step @", names: names.join(", "), sum: sum, longest: longest }
  shown.sum
}

agent Worker_@ {
  role "a specialist"
  use Files max 2k as files
  main func(input { goal string, limit integer }) {
    text = File.read({ path: "notes/@.md" })
    done = false
    tries = 0
    loop until done max 5 {
      use text max 1k as text
      use input.goal as goal
      answer = try {
        generate({ input: "Work on the goal.", max_output: 200 }) -> { finding string, done boolean }
      } else {
        { finding: "", done: true }
      }
      done = answer.done
      tries += 1
      if answer.finding.length > 10 { text = text + "\n" + answer.finding }
    }
    results = parallel for line in text.split("\n") max 10 { { line: line, of: input.goal, at: tries } }
    classify_@({ question: input.goal, rows: [{ id: 1, name: "a" }, { id: tries, name: text }] }) + results.length
  }
}
"#;

const HEAD: &str = "import tool File from \"file://workspace\"
import file Files from \"notes.md\"

main func(input) { classify_0({ question: \"Why?\", rows: [] }) }

";

pub(crate) fn entries() -> Vec<Entry> {
    let text = text();
    let parse = {
        let text = text.clone();
        move || Some(timed(|| loaded(&text)).1)
    };
    let whole = move || {
        let (faults, seconds) = timed(|| check(&loaded(&text)));
        let first = faults.iter().find(|fault| fault.severity == Severity::Error);
        assert!(first.is_none(), "{first:?}");
        Some(seconds)
    };
    let shown = |entry| Entry { scale: 1e3, unit: "ms", ..entry };
    vec![
        shown(entry("parse 1.5 MB", "contexture", parse)),
        shown(entry("parse, check 1.5 MB", "contexture", whole)),
    ]
}

fn text() -> String {
    let mut text = HEAD.to_owned();
    for number in 0.. {
        if text.len() > BYTES {
            break;
        }
        text += &PART.replace('@', &number.to_string());
    }
    text
}

fn loaded(text: &str) -> Program {
    let root = LoadedSource { name: "bench.as".to_owned(), text: text.to_owned() };
    load(root, &MemoryLoader::new(), &Default::default())
}
