//! The binary under a terminal: progress, colour, Ctrl-C and the line editor.

use crate::support::Sandbox;
use rexpect::ReadUntil;
use rexpect::process::WaitStatus;
use rexpect::session::{PtySession, spawn_command};
use std::process::Stdio;

/// How long a text is waited for, in milliseconds: far more than it takes.
const PATIENCE: u64 = 30_000;
/// A program that never ends by itself.
const ENDLESS: &str = "main func(input) { loop until false max 9000000000000 { x = 1 } }";
/// The line editor asks where the cursor is; a terminal answers.
const WHERE: &str = "\u{1b}[6n";

fn spawn(sandbox: &Sandbox, arguments: &[&str], environment: &[(&str, &str)]) -> PtySession {
    let mut command = sandbox.contexture(arguments);
    command.env("TERM", "xterm-256color").envs(environment.iter().copied());
    command.stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
    spawn_command(command, Some(PATIENCE)).unwrap()
}

/// Everything up to a text of ASCII; questions for the cursor are answered meanwhile.
fn until(session: &mut PtySession, wanted: &str) -> String {
    let mut seen = String::new();
    loop {
        let either = [WHERE, wanted].map(|text| ReadUntil::String(text.to_owned()));
        let (before, found) = session.exp_any(either.into()).unwrap();
        seen.push_str(&before);
        if found == wanted {
            return seen;
        }
        type_in(session, "\u{1b}[1;1R");
    }
}

fn type_in(session: &mut PtySession, text: &str) {
    session.send(text).unwrap();
    session.flush().unwrap();
}

fn exit_code(session: &mut PtySession) -> (String, i32) {
    let rest = session.exp_eof().unwrap();
    match session.process().wait().unwrap() {
        WaitStatus::Exited(_, code) => (rest, code),
        other => panic!("{other:?} after {rest}"),
    }
}

#[test]
fn as_31_ctrl_c_erases_progress_exits_130_and_stores_trace() {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", ENDLESS);
    let mut session = spawn(&sandbox, &["run", "p.as"], &[]);
    until(&mut session, "running");
    session.send_control('c').unwrap();
    let before = until(&mut session, "AS9059");
    let last = before.rsplit("running").next().unwrap();
    assert!(last.contains("\r\u{1b}[J"), "the line still stands: {before:?}");
    assert_eq!(exit_code(&mut session).1, 130);
    let list = sandbox.run(["trace", "list"]).exits(0);
    assert!(list.stdout.contains("cancelled"), "{list:?}");
}

#[test]
fn as_31_quiet_shows_no_progress_on_terminal() {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", "main func(input) { repeat * 60000000 { x = 1 } 7 }");
    let mut session = spawn(&sandbox, &["run", "p.as", "--quiet", "--no-trace"], &[]);
    assert_eq!(exit_code(&mut session), ("7\r\n".to_owned(), 0));
}

#[test]
fn as_31_colour_needs_willing_terminal() {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", "main func(input) { nothing }");
    let run = |environment: &[(&str, &str)]| {
        let (text, code) = exit_code(&mut spawn(&sandbox, &["check", "p.as"], environment));
        assert_eq!(code, 2, "{text}");
        text
    };
    assert!(run(&[]).contains("\u{1b}[1;31merror"), "{:?}", run(&[]));
    for refused in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let text = run(&[refused]);
        assert!(!text.contains('\u{1b}') && text.contains("AS2001"), "{refused:?} {text:?}");
    }
}

#[test]
fn as_31_tree_is_indented_on_terminal() {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", "main func(input) { 1 }");
    let (text, code) = exit_code(&mut spawn(&sandbox, &["parse", "p.as"], &[]));
    assert_eq!(code, 0, "{text}");
    assert!(text.starts_with("{\r\n  \"type\": \"File\""), "{text}");
}

#[test]
fn as_31_dumb_terminal_shows_no_progress() {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", "main func(input) { repeat * 60000000 { x = 1 } 7 }");
    let mut session = spawn(&sandbox, &["run", "p.as", "--no-trace"], &[("TERM", "dumb")]);
    let (text, code) = exit_code(&mut session);
    assert_eq!(code, 0, "{text}");
    assert!(!text.contains("running") && !text.contains('\u{1b}'), "{text:?}");
}

#[test]
fn as_31_line_editor_runs_discards_and_ends() {
    let sandbox = Sandbox::new();
    let mut session = spawn(&sandbox, &["repl"], &[("NO_COLOR", "1")]);
    until(&mut session, ":help");
    type_in(&mut session, "40 + 2\r");
    until(&mut session, "42\r\n");
    until(&mut session, "> ");
    // An open bracket continues on the next line.
    type_in(&mut session, "[7,\r8].length * 50\r");
    until(&mut session, "100\r\n");
    until(&mut session, "> ");
    // Ctrl-C discards the line and the session continues.
    type_in(&mut session, "nonsense");
    until(&mut session, "nonsense");
    session.send_control('c').unwrap();
    until(&mut session, "> ");
    type_in(&mut session, "6 * 111\r");
    until(&mut session, "666\r\n");
    until(&mut session, "> ");
    session.send_control('d').unwrap();
    let (rest, code) = exit_code(&mut session);
    assert!(code == 0 && !rest.contains("undefined name"), "{code} {rest:?}");
}

#[test]
fn as_31_ctrl_c_ends_running_line_not_session() {
    let sandbox = Sandbox::new();
    let mut session = spawn(&sandbox, &["repl"], &[("NO_COLOR", "1")]);
    until(&mut session, ":help");
    type_in(&mut session, "loop until false max 9000000000000 { x = 1 }\r");
    until(&mut session, "running");
    session.send_control('c').unwrap();
    until(&mut session, "AS9059");
    until(&mut session, "> ");
    type_in(&mut session, "6 * 111\r");
    until(&mut session, "666\r\n");
    until(&mut session, "> ");
    type_in(&mut session, ":quit\r");
    assert_eq!(exit_code(&mut session).1, 0);
}

#[test]
fn kn_8_terminal_is_asked_before_run() {
    let sandbox = crate::packs::workspace("draft");
    let mut session = spawn(&sandbox, &["run", "ask.as", "--no-trace"], &[]);
    let before = until(&mut session, "[y/N]");
    assert!(before.contains("`port`") && before.contains("is a draft"), "{before}");
    type_in(&mut session, "n\r");
    let (rest, code) = exit_code(&mut session);
    assert!(code == 2 && rest.contains("--allow-pack port@sha256:"), "{code} {rest}");
    let mut session = spawn(&sandbox, &["run", "ask.as", "--no-trace"], &[]);
    until(&mut session, "[y/N]");
    type_in(&mut session, "y\r");
    let (rest, code) = exit_code(&mut session);
    assert!(code == 0 && rest.contains("7878"), "{code} {rest}");
}

#[test]
fn kn_8_question_waits_for_answer() {
    let sandbox = crate::packs::workspace("ready");
    let mut session = spawn(&sandbox, &["repl", "--no-trace"], &[("NO_COLOR", "1")]);
    until(&mut session, ":help");
    type_in(&mut session, "import knowledge Port from \"knowledge://port\"\r");
    until(&mut session, "> ");
    type_in(&mut session, "Port.guide().status\r");
    until(&mut session, "[y/N]");
    // Longer than it takes until a line says that something is running.
    std::thread::sleep(std::time::Duration::from_millis(1_400));
    type_in(&mut session, "y\r");
    let between = until(&mut session, "\"ready\"");
    assert!(!between.contains("running"), "the question was drawn over: {between:?}");
    until(&mut session, "> ");
    type_in(&mut session, ":quit\r");
    assert_eq!(exit_code(&mut session).1, 0);
}

/// A set whose write goes where a file says.
const WRITES: &str = r#"{"instructions": [
  {"instructionId": "read", "action": "file_read", "parameters": {"path": "page.txt"}},
  {"instructionId": "write", "action": "file_write", "dependencies": ["read"],
   "parameters": {"path": "${dependencies.read.result.value}", "content": "x"}}]}"#;

fn asks() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("set.json", WRITES);
    sandbox.write("page.txt", "out.txt");
    let program = "import tool File from \"file://workspace\"\n\
        main func() { File.write({ path: File.read({ path: \"page.txt\" }), content: \"x\" }) }\n";
    sandbox.write("p.as", program);
    sandbox
}

#[test]
fn gu_6_flow_at_terminal_asks_and_obeys_answer() {
    for (answer, expected) in [("y", 0), ("n", 1), ("", 1)] {
        let sandbox = asks();
        let mut session = spawn(&sandbox, &["flow", "run", "set.json"], &[("NO_COLOR", "1")]);
        let before = until(&mut session, "[y/N]");
        assert!(before.contains("`file_write` is influenced by"), "{before}");
        assert!(before.contains("path: \"out.txt\""), "{before}");
        // The table is not drawn over a question that waits for its answer.
        std::thread::sleep(std::time::Duration::from_millis(400));
        type_in(&mut session, &format!("{answer}\r"));
        let (rest, code) = exit_code(&mut session);
        assert_eq!(code, expected, "{rest}");
        assert_eq!(sandbox.path("out.txt").exists(), expected == 0, "{rest}");
        assert_eq!(rest.contains("PERMISSION_DENIED"), expected == 1, "{rest}");
    }
    let sandbox = asks();
    let done = sandbox.run(["flow", "run", "set.json"]).exits(1);
    assert!(done.stdout.contains("POLICY_DENIED"), "nobody can be asked: {done:?}");
}

#[test]
fn gu_6_question_nobody_answers_ends_with_ctrl_c() {
    for arguments in [&["run", "p.as"][..], &["flow", "run", "set.json"]] {
        let sandbox = asks();
        let mut session = spawn(&sandbox, arguments, &[("NO_COLOR", "1")]);
        until(&mut session, "[y/N]");
        session.send_control('c').unwrap();
        let (rest, code) = exit_code(&mut session);
        assert_eq!(code, 130, "{rest}");
        assert!(!sandbox.path("out.txt").exists());
    }
}

#[test]
fn gu_6_answer_typed_before_question_is_not_used() {
    let sandbox = asks();
    let program = "import tool File from \"file://workspace\"\nmain func() {\n\
        page = File.read({ path: \"page.txt\" })\n\
        File.write({ path: page, content: \"x\" })\n\
        File.write({ path: \"second-\" + page, content: \"x\" })\n}\n";
    sandbox.write("p.as", program);
    let mut session = spawn(&sandbox, &["run", "p.as"], &[("NO_COLOR", "1")]);
    until(&mut session, "[y/N]");
    // Two lines at once: the second was typed before its question.
    type_in(&mut session, "y\ry\r");
    until(&mut session, "[y/N]");
    type_in(&mut session, "n\r");
    let (rest, code) = exit_code(&mut session);
    assert_ne!(code, 0, "{rest}");
    assert!(sandbox.path("out.txt").exists() && !sandbox.path("second-out.txt").exists());
}

#[test]
fn cp_10_terminal_confirms_before_delete() {
    let sandbox = Sandbox::with_examples();
    let file = "examples/serve/conversation.jsonl";
    let _ = sandbox.run(["context", "import", file]).exits(0);
    let mut session = spawn(&sandbox, &["context", "delete", "ctx_weather"], &[("NO_COLOR", "1")]);
    let before = until(&mut session, "[y/N]");
    assert!(before.contains("ctx_weather  local  4 messages"), "{before}");
    type_in(&mut session, "n\r");
    let (rest, code) = exit_code(&mut session);
    assert!(code == 1 && rest.contains("nothing was deleted"), "{code} {rest}");
    let mut session = spawn(&sandbox, &["context", "delete", "ctx_weather"], &[]);
    until(&mut session, "[y/N]");
    type_in(&mut session, "y\r");
    assert_eq!(exit_code(&mut session).1, 0);
    let _ = sandbox.run(["context", "show", "ctx_weather"]).exits(2);
}

#[test]
fn cp_9_conversation_is_wrapped_and_coloured_only_on_terminal() {
    let sandbox = Sandbox::with_examples();
    let file = "examples/serve/conversation.jsonl";
    let _ = sandbox.run(["context", "import", file]).exits(0);
    let (shown, code) = exit_code(&mut spawn(&sandbox, &["context", "show", "ctx_weather"], &[]));
    assert!(code == 0 && shown.contains("\u{1b}[1m\u{1b}[36mmodel_1"), "{code} {shown:?}");
    let plain = sandbox.run(["context", "show", "ctx_weather"]).exits(0).stdout;
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
}

#[test]
fn ca_8_terminal_shows_first_token_before_second_comes() {
    use crate::calls::{Server, head, streamed};
    for (shape, pieces, first) in [
        ("", &["The capital\u{1b}[2J is ", "Paris."], "The capital"),
        ("-> { answer string }", &["{\"answer\": \"The capital is ", "Paris.\"}"], "\"answer\""),
    ] {
        let (open, gate) = std::sync::mpsc::channel();
        let server = Server::answering(vec![head(streamed(pieces, Some(gate)))]);
        let sandbox = Sandbox::new();
        sandbox.write("p.as", format!("main func() {{ generate({{ input: \"x\" }}) {shape} }}"));
        let arguments = ["run", "p.as", "--no-trace", "--model", &server.model];
        let mut session = spawn(&sandbox, &arguments, &[("NO_COLOR", "1")]);
        let before = until(&mut session, first);
        assert!(!before.contains("Paris"), "{before:?}");
        open.send(()).unwrap();
        let (rest, code) = exit_code(&mut session);
        assert_eq!(code, 0, "{rest}");
        let last = rest.rsplit("\u{1b}[J").next().unwrap();
        assert!(last.contains("Paris.") && !rest.contains("\u{1b}[2J"), "{rest:?}");
    }
}
