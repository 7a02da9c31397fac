use crate::analysis::check;
use crate::host::{LoadedSource, MemoryLoader};
use crate::program::load;
use contexture_context::Limits;
use contexture_diagnostic::Severity;

/// Returns the codes of errors and of warnings about types, in order.
fn codes(source: &str) -> Vec<&'static str> {
    let root = LoadedSource { name: "main.as".to_owned(), text: source.to_owned() };
    let faults = check(&load(root, &MemoryLoader::new(), &Limits::default()));
    let is_told = |code: &str, severity| severity == Severity::Error || code.starts_with("AS21");
    faults.iter().filter(|one| is_told(one.code, one.severity)).map(|one| one.code).collect()
}

fn in_main(body: &str) -> Vec<&'static str> {
    codes(&format!(
        "shape Issue {{ title string, tags list[string], kind \"bug\" | \"idea\", note?: string, next?: Issue }}
         func issue() {{ generate({{ input: \"x\" }}) -> Issue }}
         main func(input {{ issue Issue, n integer }}) {{ {body} }}"
    ))
}

#[test]
fn ty_2_what_is_certain_to_fail_is_an_error() {
    for (body, code) in [
        ("input.isue", "AS2101"),
        ("r = issue() r.titel", "AS2101"),
        ("for one in [issue()] max 3 { x = one.titel }", "AS2101"),
        ("r = parallel for x in [1] max 1 { issue() } r[0].titel", "AS2101"),
        ("r = try { issue() } else { none } r.titel", "AS2101"),
        ("input.issue.next.titel", "AS2101"),
        ("input.issue.tags.first().size", "AS2101"),
        ("input.issue.title.upper().size", "AS2101"),
        ("if issue().kind == \"bgu\" { input.n = 1 }", "AS2104"),
        ("input.issue.title * 2", "AS2105"),
        ("input.n.upper()", "AS2015"),
        ("for x in input.issue max 3 { y = x }", "AS2021"),
    ] {
        let found = in_main(body);
        assert!(found.contains(&code), "{body}: {found:?}");
    }
}

#[test]
fn ty_2_what_may_be_there_is_silent() {
    for body in [
        "input.issue.seen = true input.issue.seen",
        "if input.issue.has(\"seen\") { x = input.issue.seen }",
        "try { input.issue.seen } else { none }",
        "r = json.parse(\"{}\") r.seen",
        "r = none if input.n > 1 { r = issue() } r.title",
        "r = issue() r = { other: 1 } r.other",
        "field = \"seen\" o = input.issue o[field] = 1 o.seen",
        "list = input.issue.tags list.add({ size: 1 }) list.last().size",
        "input.issue.kind = \"other\" input.issue.kind == \"other\"",
        "o = { } for k in [\"a\"] max 1 { o[k] = 1 } o.a",
        "if input.issue.note != none { x = input.issue.note.upper() }",
        "input.issue.title + input.n",
        "input.issue.tags + [\"more\"]",
    ] {
        assert_eq!(in_main(body), [""; 0], "{body}");
    }
}

#[test]
fn ty_2_arguments_and_results_are_judged_over_calls() {
    let source = "
        agent Worker { main func(input { n integer }) -> { ok boolean } { { ok: input.n > 1 } } }
        func count(words list[string]) -> integer { words.length }
        main func(input) {
          done = Worker({ n: count([\"a\"]) })
          Worker({ m: 1 })
          Worker({ n: \"one\" })
          count(\"a b\")
          count(done.ok)
          done.okay
        }";
    assert_eq!(codes(source), ["AS2102", "AS2102", "AS2102", "AS2102", "AS2101"]);
}

#[test]
fn ty_2_recursive_functions_and_shapes_end() {
    let source = "
        shape Node { name string, children list[Node] }
        func depth(node Node) {
          deepest = 0
          for child in node.children max 10 {
            below = depth(child)
            if below > deepest { deepest = below }
          }
          deepest + 1
        }
        func same(node Node) -> Node { if node.children.length > 0 { return same(node) } node }
        main func(input { node Node }) { [depth(input.node), same(input.node).nam] }";
    assert_eq!(codes(source), ["AS2101"]);
}

#[test]
fn ty_2_large_unions_and_shapes_are_judged() {
    let words: Vec<String> = (0..1_000).map(|word| format!("\"w{word}\"")).collect();
    let fields: Vec<String> = (0..10_000).map(|field| format!("f{field} integer")).collect();
    let source = format!(
        "shape Word {}\nshape Wide {{ {} }}\nmain func(input {{ word Word, wide Wide }}) {{ [input.word == \"w1000\", input.wide.f9999, input.wide.f10000] }}",
        words.join(" | "),
        fields.join(", ")
    );
    assert_eq!(codes(&source), ["AS2104", "AS2101"]);
}
