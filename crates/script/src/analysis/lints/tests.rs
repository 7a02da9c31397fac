use crate::analysis::check;
use crate::host::{LoadedSource, MemoryLoader};
use crate::program::load;
use contexture_context::Limits;
use contexture_diagnostic::{Diagnostic, Severity, apply};

fn faults(text: &str) -> Vec<Diagnostic> {
    let root = LoadedSource { name: "t.as".to_owned(), text: text.to_owned() };
    let loader = MemoryLoader::new().with("notes.md", "");
    check(&load(root, &loader, &Limits::default()))
}

fn codes(text: &str) -> Vec<&'static str> {
    faults(text).iter().map(|fault| fault.code).collect()
}

/// Returns the text after all fixes, and the codes that are found then.
fn fixed(text: &str) -> (String, Vec<&'static str>) {
    let new = apply(text, &faults(text)).0;
    let left = codes(&new);
    (new, left)
}

#[test]
fn ty_3_comment_allows_a_code_in_its_line_or_the_next() {
    for (comment, allowed) in [
        ("-- allow AS8003: asserts that it is there", true),
        ("// allow no-effect, unseen-use: both", true),
        ("-- allow AS8003", true),
        ("-- allow AS8001: another", false),
        ("-- allowed AS8003: no", false),
        ("-- AS8003 allow: no", false),
    ] {
        let expected: &[&str] = if allowed { &[] } else { &["AS8003"] };
        let above =
            format!("main func(input) {{\n  {comment}\n  -- a word\n  input.a\n  input\n}}");
        assert_eq!(codes(&above), expected, "{comment}");
        let beside = format!("main func(input) {{\n  input.a {comment}\n  input\n}}");
        assert_eq!(codes(&beside), expected, "{comment}");
        let elsewhere = format!("main func(input) {{\n  input.a\n  input {comment}\n}}");
        assert_eq!(codes(&elsewhere), ["AS8003"], "{comment}");
    }
}

#[test]
fn ty_3_comment_allows_no_error() {
    let text = "main func(input) {\n  nothing -- allow AS2001: it is late\n}";
    assert_eq!(codes(text), ["AS2001"]);
}

#[test]
fn ty_3_unused_things_are_not_told_in_a_file_with_errors() {
    assert_eq!(codes("main func(input) {\n  lenght = 1\n  length\n}"), ["AS2001"]);
    assert_eq!(
        codes("main func(input) {\n  lenght = 1\n  lenght == 2\n  length\n}"),
        ["AS8003", "AS2001"]
    );
    assert_eq!(codes("main func(input) {\n  done = 1\n  done == 2\n  (\n}"), ["AS1001"]);
}

#[test]
fn ty_3_lost_budget_is_fixed_with_max() {
    let (text, left) = fixed(
        "main func(input) {\n  use input 4k\n  generate({ input: \"x\" }) -> { a string }\n}",
    );
    assert!(text.contains("use input max 4k\n"), "{text}");
    assert_eq!(left, [""; 0]);
}

#[test]
fn ty_3_placeholder_is_fixed_by_joining_the_parts() {
    let (text, left) = fixed("main func(input) {\n  \"Hello ${input.name}!\"\n}");
    assert_eq!(text, "main func(input) {\n  \"Hello \" + input.name + \"!\"\n}");
    assert_eq!(left, [""; 0]);
}

#[test]
fn ty_3_comparison_as_statement_is_fixed_as_assignment() {
    let (text, left) = fixed(
        "main func(input) {\n  done = false\n  loop until done max 3 {\n    done == true\n  }\n  done\n}",
    );
    assert!(text.contains("    done = true\n"), "{text}");
    assert_eq!(left, [""; 0]);
}

#[test]
fn ty_3_source_without_budget_is_fixed_with_max() {
    let (text, left) = fixed(
        "import file Notes from \"./notes.md\"\nmain func(input) {\n  use Notes as notes\n  generate({ input: \"x\" }) -> { a string }\n}",
    );
    assert!(text.contains("use Notes max 4k as notes\n"), "{text}");
    assert_eq!(left, [""; 0]);
}

#[test]
fn ty_3_unused_variables_and_imports_are_removed_and_calls_stay() {
    let (text, left) = fixed(
        "import tool File from \"file://workspace\"\nfunc act(x) { x.add(1) }\nmain func(input) {\n  a = 1\n  b = act(input)\n  input\n}\n",
    );
    assert_eq!(text, "func act(x) { x.add(1) }\nmain func(input) {\n  act(input)\n  input\n}\n");
    assert_eq!(left, [""; 0]);
}

#[test]
fn ty_3_unused_things_hint_and_other_lints_warn() {
    use crate::codes::{ALL, UNREAD_FIELD, UNUSED_FUNCTION, UNUSED_VARIABLE};
    let lints = ALL.iter().filter(|code| code.code.starts_with("AS8"));
    for code in lints {
        let unused = [UNUSED_VARIABLE, UNUSED_FUNCTION, UNREAD_FIELD].contains(code);
        let expected = if unused { Severity::Hint } else { Severity::Warning };
        assert_eq!(code.severity, expected, "{}", code.code);
    }
}

#[test]
fn ty_3_functions_of_a_file_without_main_are_for_others() {
    assert_eq!(
        codes(
            "agent A {\n  func f(x) { x }\n  func g(x) { x }\n}\nfunc h(x) { x }\nmain agent { main func(input) { A.f(input) } }"
        ),
        ["AS8008"]
    );
    assert_eq!(
        codes(
            "agent A {\n  func f(x) { x }\n  func g(x) { x }\n}\nmain agent { main func(input) { A.f(input) } }"
        ),
        [""; 0]
    );
}

#[test]
fn ty_3_every_lint_and_type_error_has_a_page_whose_example_shows_it_alone() {
    use crate::codes::{ALL, PAGES, page};
    let is_paged = |code: &str| code.starts_with("AS8") || code.starts_with("AS21");
    for code in ALL.iter().map(|code| code.code).filter(|code| is_paged(code)) {
        assert!(page(code).is_some(), "{code}");
    }
    for page in PAGES {
        assert_eq!(codes(page.example), [page.code.code], "{}", page.code.code);
        assert_eq!(codes(page.better), [""; 0], "{}", page.code.code);
    }
    assert!(PAGES.iter().is_sorted_by_key(|page| page.code.code));
}
