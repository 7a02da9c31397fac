//! `contexture repl`, fed through a pipe.

use crate::support::{Done, Sandbox};

fn repl(lines: &str) -> Done {
    Sandbox::new().run_with(["repl"], lines)
}

#[test]
fn as_31_lines_of_session_build_on_each_other() {
    let done = repl("x = 20\nfunc twice(n) {\n  n * 2\n}\n\ntwice(x) + 2\nx += 1\n[x]\n").exits(0);
    assert_eq!(done.stdout, "42\n[\n  21\n]\n");
    assert_eq!(done.stderr, "");
}

#[test]
fn as_31_use_and_import_apply_to_later_lines() {
    let sandbox = Sandbox::new();
    sandbox.write("note.txt", "Tea is hot. Snow is cold.");
    let lines = "import tool File from \"file://workspace\"\n\
                 note = File.read({ path: \"note.txt\" })\n\
                 use note as note\n\
                 generate({ input: \"What is hot?\" }) -> { answer string }\n";
    let done = sandbox.run_with(["repl", "--model", "builtin://extractive"], lines).exits(0);
    assert_eq!(done.json()["answer"], "Tea is hot.");
    let trace = sandbox.run(["trace", "show"]).exits(0);
    assert!(trace.stdout.contains("[note] note"), "{}", trace.stdout);
}

#[test]
fn as_31_failing_line_does_not_end_session() {
    let done = repl("x = [1]\nx[7]\nnothing\n1 +\nx\n").exits(1);
    assert_eq!(done.stdout, "[\n  1\n]\n");
    let done = done.says("AS9007").says("session:2:1");
    let _ = done.says("use of undefined name `nothing`").says("AS1001");
}

#[test]
fn as_31_session_has_commands() {
    let done = repl("b = 1\na = 2\n:names\n:help\n:nonsense\n:quit\n3\n").exits(1);
    assert_eq!(done.stdout, "");
    let _ = done.says("b a").says(":quit").says("unknown command :nonsense");
}

#[test]
fn as_31_open_bracket_at_end_of_session_is_error() {
    let _ = repl("f({\n  a: 1\n").exits(1).says("incomplete");
    let done = repl("").exits(0);
    assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("", ""));
    let _ = Sandbox::new().run_with(["repl"], b"\xff\n").exits(2);
}

#[test]
fn ca_5_limit_holds_for_all_lines_of_a_session() {
    let ask = "generate({ input: \"Go.\", max_input: 1000, max_output: 50 })\n";
    let arguments = ["repl", "--mock", "--max-tokens", "1050"];
    let done = Sandbox::new().run_with(arguments, ask.repeat(2)).exits(1);
    assert_eq!(done.stdout.lines().count(), 1, "{}", done.stdout);
    let _ = done.says("COST_LIMIT").says("the limit of 1050");
}

#[test]
fn gu_6_session_forbids_what_its_lines_and_imported_files_forbid() {
    let sandbox = Sandbox::new();
    let file = "import tool File from \"file://workspace\"\n";
    let write = "File.write({ path: \"a.txt\", content: \"x\" })\n";
    let agent =
        format!("policy write \"deny\"\n{file}main agent Lib {{ main func(x) {{ {write} }} }}");
    sandbox.write("lib.as", agent);
    for lines in [
        format!("{file}policy write \"deny\"\n{write}"),
        format!("{file}import agent Lib from \"lib.as\"\n{write}"),
        "import agent Lib from \"lib.as\"\nLib(1)\n".to_owned(),
    ] {
        let said = sandbox.run_with(["repl", "--mock"], lines.as_str());
        assert!(said.stderr.contains("POLICY_DENIED"), "{lines}: {} {}", said.stdout, said.stderr);
        assert!(!sandbox.path("a.txt").exists(), "{lines}");
    }
    let said = sandbox.run_with(["repl", "--mock"], "policy write \"allow\"\n");
    assert!(said.stderr.contains("can't widen"), "{}", said.stderr);
}
