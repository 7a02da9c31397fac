//! Pages about codes whose summary is not enough: why it matters, a program that shows it, and the
//! same program without the fault (TY-3). `contexture explain` prints them, docs/lints.md lists
//! those of the lints, and the tests check every program.

use super::Code;

/// A page about a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// The code.
    pub code: Code,
    /// Why it matters, and what it leaves alone.
    pub explanation: &'static str,
    /// A program that shows it.
    pub example: &'static str,
    /// The program as it was probably meant.
    pub better: &'static str,
}

/// Returns the page about a code.
#[must_use]
pub fn page(code: &str) -> Option<&'static Page> {
    PAGES.iter().find(|page| page.code.code == code)
}

/// All pages, ordered by code.
pub const PAGES: &[Page] = &[
    Page {
        code: super::BAD_BOUND,
        explanation: "`min` and `max` bound numbers, `length` bounds strings (in characters) and lists, `pattern` bounds strings. Bounds that nothing satisfies, and a pattern that is not a regular expression, would refuse every answer.",
        example: r#"shape Rating { stars integer min 5 max 1 }
main func(input) {
  generate({ input: "Rate it." }) -> { rating Rating }
}"#,
        better: r#"shape Rating { stars integer min 1 max 5 }
main func(input) {
  generate({ input: "Rate it." }) -> { rating Rating }
}"#,
    },
    Page {
        code: super::ENDLESS_SHAPE,
        explanation: "A shape that needs itself has no value: it would never end. In a list, which may be empty, and in an optional field it ends.",
        example: r#"shape Person { name string, mother Person }
main func(input { person Person }) { input.person.name }"#,
        better: r#"shape Person { name string, mother?: Person }
main func(input { person Person }) { input.person.name }"#,
    },
    Page {
        code: super::MISSING_FIELD,
        explanation: "The shape of this value has no such field, so reading it fails, after the model was paid. There is no error if the program assigns a field of this name anywhere, or asks for it with `.has(…)`, and none inside `try`.",
        example: r#"main func(input) {
  r = generate({ input: "Which port?" }) -> { answer string }
  r.anwser
}"#,
        better: r#"main func(input) {
  r = generate({ input: "Which port?" }) -> { answer string }
  r.answer
}"#,
    },
    Page {
        code: super::WRONG_ARGUMENT,
        explanation: "The argument is certain not to fit the declared parameter: the call fails before the function begins. Values of unknown type are checked when the program runs.",
        example: r#"func double(input { n integer }) { input.n * 2 }
main func(input) { double({ m: 1 }) }"#,
        better: r#"func double(input { n integer }) { input.n * 2 }
main func(input) { double({ n: 1 }) }"#,
    },
    Page {
        code: super::WRONG_RESULT,
        explanation: "A function with `-> Shape` checks what it returns. This value is certain not to fit.",
        example: r#"func count(text string) -> integer { text.lines() }
main func(input) { count("a") }"#,
        better: r#"func count(text string) -> integer { text.lines().length }
main func(input) { count("a") }"#,
    },
    Page {
        code: super::IMPOSSIBLE_WORD,
        explanation: "The shape lists the words that the value can be, and this is not one of them: `==` is never true, `!=` always.",
        example: r#"main func(input) {
  r = generate({ input: "Which kind?" }) -> { kind "bug" | "idea" }
  r.kind == "bgu"
}"#,
        better: r#"main func(input) {
  r = generate({ input: "Which kind?" }) -> { kind "bug" | "idea" }
  r.kind == "bug"
}"#,
    },
    Page {
        code: super::WRONG_OPERAND,
        explanation: "`-`, `*`, `/` and `%` take numbers; `+` adds numbers, joins strings and lists, and joins a string with a number or boolean; an order is between two numbers or two strings. Texts become numbers with `to_number(…)`.",
        example: r#"main func(input { amount string }) { input.amount * 2 }"#,
        better: r#"main func(input { amount string }) { to_number(input.amount) * 2 }"#,
    },
    Page {
        code: super::MAYBE_NONE,
        explanation: "The field is optional and reads as none when it is missing, and none has no fields and no methods. One that the function compares or tests anywhere is left alone.",
        example: r#"shape Issue { title string, note?: string }
main func(input { issue Issue }) { input.issue.note.upper() }"#,
        better: r#"shape Issue { title string, note?: string }
main func(input { issue Issue }) { input.issue.get("note", "").upper() }"#,
    },
    Page {
        code: super::UNSEEN_USE,
        explanation: "A `use` is seen by the `generate`s behind it in its block and in blocks inside. Behind the last `generate`, or in a block without one, it does nothing: the prompt lacks what was meant to be in it.",
        example: r#"main func(input) {
  if input.draft != "" {
    use input.draft max 2k as "previous draft"
  }
  generate({ input: "Write the next draft." }) -> { text string }
}"#,
        better: r#"main func(input) {
  draft = "none yet"
  if input.draft != "" { draft = input.draft }
  use draft max 2k as "previous draft"
  generate({ input: "Write the next draft." }) -> { text string }
}"#,
    },
    Page {
        code: super::LOST_BUDGET,
        explanation: "A budget stands behind `max`. A number alone is a statement of its own that does nothing, and the `use` has no budget.",
        example: r#"main func(input) {
  use input.notes 4k
  generate({ input: "Summarise." }) -> { text string }
}"#,
        better: r#"main func(input) {
  use input.notes max 4k
  generate({ input: "Summarise." }) -> { text string }
}"#,
    },
    Page {
        code: super::NO_EFFECT,
        explanation: "The value of this statement goes nowhere, and computing it changes nothing. Most often `==` stands for `=`, or a `return` is missing. The last expression of a function is its value and is left alone.",
        example: r#"main func(input) {
  done = false
  loop until done max 3 {
    done == true
  }
  done
}"#,
        better: r#"main func(input) {
  done = false
  loop until done max 3 {
    done = true
  }
  done
}"#,
    },
    Page {
        code: super::PLACEHOLDER,
        explanation: "A string has no placeholders of the form `${name}`: the model would read the sign and the braces. Reported only when the name is one of the function's own, so that text for a shell stays possible.",
        example: r#"main func(input) {
  "Hello ${input.name}!"
}"#,
        better: r#"main func(input) {
  "Hello " + input.name + "!"
}"#,
    },
    Page {
        code: super::SAME_LABEL,
        explanation: "The label tells the model what an item is. Two items with the same label look alike, and the instruction can't name one of them.",
        example: r#"main func(input) {
  use input.old max 2k as draft
  use input.new max 2k as draft
  generate({ input: "Which draft is better?" }) -> { better "old" | "new" }
}"#,
        better: r#"main func(input) {
  use input.old max 2k as "old draft"
  use input.new max 2k as "new draft"
  generate({ input: "Which draft is better?" }) -> { better "old" | "new" }
}"#,
    },
    Page {
        code: super::NO_BUDGET,
        explanation: "A file or a web page may have any size, and goes into the prompt as a whole. A budget bounds what it costs. A call with `max_input` bounds the whole prompt, so its items need none.",
        example: r#"import tool File from "file://workspace"
main func(input) {
  page = File.read({ path: input.path })
  use page as page
  generate({ input: "Summarise the page." }) -> { text string }
}"#,
        better: r#"import tool File from "file://workspace"
main func(input) {
  page = File.read({ path: input.path })
  use page max 4k as page
  generate({ input: "Summarise the page." }) -> { text string }
}"#,
    },
    Page {
        code: super::UNUSED_VARIABLE,
        explanation: "Nothing reads this variable. A name that begins with `_` says that this is meant.",
        example: r#"main func(input) {
  words = input.text.split(" ")
  input.text.length
}"#,
        better: r#"main func(input) {
  words = input.text.split(" ")
  words.length
}"#,
    },
    Page {
        code: super::UNUSED_FUNCTION,
        explanation: "Nothing in the file calls this function, and functions outside of agents can't be called from another file. Functions of agents are left alone, and so are names that begin with `_`.",
        example: r#"func long(word) { word.length > 3 }
main func(input) { input.words }"#,
        better: r#"func long(word) { word.length > 3 }
main func(input) { input.words.filter(long) }"#,
    },
    Page {
        code: super::HIDDEN_IMPORT,
        explanation: "From here on the name means the variable: the import can't be reached in this function.",
        example: r#"import file Notes from "examples/data/incident.txt"
func shorter(Notes) { Notes.lines() }
main func(input) { shorter(Notes) }"#,
        better: r#"import file Notes from "examples/data/incident.txt"
func shorter(text) { text.lines() }
main func(input) { shorter(Notes) }"#,
    },
    Page {
        code: super::UNREAD_FIELD,
        explanation: "The model writes this field, and the program never reads it. Reported only when the answer is read field by field: whoever uses, returns or passes on the whole may read it. A field that lets the model think before it decides is worth its tokens: allow it by a comment.",
        example: r#"main func(input) {
  use input.text max 2k as text
  plan = generate({ input: "Plan." }) -> { steps list[string], title string }
  plan.steps
}"#,
        better: r#"main func(input) {
  use input.text max 2k as text
  plan = generate({ input: "Plan." }) -> { steps list[string] }
  plan.steps
}"#,
    },
    Page {
        code: super::NO_EARLY_END,
        explanation: "Every turn of this loop asks a model, and nothing ends it before its last turn: no condition that its body could change, and no `return`. A `for` is left alone, since its list says how often.",
        example: r#"main func(input) {
  draft = input.text
  repeat * 3 {
    use draft max 2k as draft
    next = generate({ input: "Improve it." }) -> { text string }
    draft = next.text
  }
  draft
}"#,
        better: r#"main func(input) {
  draft = input.text
  good = false
  loop until good max 3 {
    use draft max 2k as draft
    next = generate({ input: "Improve it." }) -> { text string, good boolean }
    draft = next.text
    good = next.good
  }
  draft
}"#,
    },
];
