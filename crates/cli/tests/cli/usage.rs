//! Bad usage, bad input, closed streams: said in words, exit code 2, never a panic.

use crate::support::{Sandbox, finish};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

#[test]
fn as_31_no_arguments_print_help_and_exit_2() {
    let done = Sandbox::new().run([] as [&str; 0]).exits(2);
    assert!(done.stderr.contains("Usage: contexture"), "{}", done.stderr);
}

#[test]
fn as_31_version_is_printed() {
    let done = Sandbox::new().run(["--version"]).exits(0);
    assert!(done.stdout.starts_with("contexture "), "{}", done.stdout);
}

#[test]
fn as_31_misspelt_command_or_option_gets_suggestion() {
    let sandbox = Sandbox::with_examples();
    let _ = sandbox.run(["chek", "examples/hello.as"]).exits(2).says("'check'");
    for (group, slip, meant) in [
        ("knowledge", "nwe", "'new'"),
        ("context", "lsit", "'list'"),
        ("flow", "rnu", "'run'"),
        ("token", "ad", "'add'"),
        ("trace", "wyh", "'why'"),
        ("ref", "laod", "'load'"),
    ] {
        let _ = sandbox.run([group, slip]).exits(2).says("similar subcommand").says(meant);
    }
    let _ = sandbox.run(["--color", "never", "rnu"]).exits(2).says("'run'");
    let _ = sandbox.run(["run", "examples/hello.as", "--inptu", "{}"]).exits(2).says("--input");
    let _ = sandbox.run(["examples/hello.as"]).exits(2).says("contexture run examples/hello.as");
}

#[test]
fn cp_6_listen_address_is_accepted_or_explained() {
    let sandbox = Sandbox::with_examples();
    let cases = [
        (":9000", "127.0.0.1:9000"),
        ("9000", "127.0.0.1:9000"),
        ("0.0.0.0", "0.0.0.0:7878"),
        ("::1", "[::1]:7878"),
        ("agents.example.com:80", "127.0.0.1:7878"),
    ];
    for (given, meant) in cases {
        let told = format!("expected an IP address and a port, such as {meant}");
        for listen in [&["serve", "examples/hello.as", "--listen"][..], &["mcp", "--http"]] {
            let _ = sandbox.run(listen.iter().chain([&given])).exits(2).says(&told);
        }
    }
    let local = ["serve", "none.as", "--listen", "localhost:0"];
    let _ = sandbox.run(local).exits(2).says("there is no `none.as`");
    sandbox.write("contexture.toml", "[serve]\nlisten = \":9000\"\n");
    let told = "such as 127.0.0.1:9000";
    let _ = sandbox.run(["serve", "examples/hello.as"]).exits(2).says(told).says("2:10");
}

#[test]
fn cp_5_program_with_errors_is_reported_with_places() {
    let sandbox = Sandbox::new();
    sandbox.write("slip.as", "main func(said string) {\n  sayd\n}\n");
    let told = "slip.as:2:3: error[AS2001]: use of undefined name `sayd`";
    let _ = sandbox.run(["serve", "slip.as"]).exits(2).says(told);
}

#[test]
fn as_29_first_stored_data_is_ignored_by_version_control() {
    let pack = "---\nname: tea\ndescription: About tea.\ntype: domain-reference\nstatus: ready\n---\n# Tea\n";
    let set = r#"{"instructions":[{"instructionId":"a","action":"echo"}]}"#;
    for first in [
        &["flow", "run", "set.json"][..],
        &["token", "add", "phone"],
        &["context", "import", "context.json"],
        &[
            "knowledge",
            "resolve-context",
            "--pack",
            "tea",
            "--query",
            "Is tea green?",
            "--root",
            ".",
        ],
    ] {
        let sandbox = Sandbox::new();
        sandbox.write("set.json", set).write("context.json", r#"{"contextId":"ctx_1"}"#);
        sandbox.write(".agents/knowledge/tea/KNOWLEDGE.md", pack);
        sandbox.write(".agents/knowledge/tea/compiled/a.md", "# Green\n\nTea is green.\n");
        let _ = sandbox.run(first).exits(0);
        assert!(sandbox.read(".contexture/.gitignore").starts_with("*\n"), "{first:?}");
    }
}

#[test]
fn as_31_every_command_refuses_unknown_arguments() {
    let sandbox = Sandbox::new();
    for command in [
        "run",
        "check",
        "parse",
        "fmt",
        "migrate",
        "repl",
        "prompt",
        "answer",
        "tokens",
        "flow",
        "trace",
        "completions",
        "explain",
    ] {
        let _ = sandbox.run([command, "--no-such-option"]).exits(2);
    }
}

#[test]
fn as_31_arguments_of_any_bytes_never_panic() {
    let sandbox = Sandbox::new();
    let bytes = OsStr::from_bytes(b"\xff\xfe\x80");
    let all: [&[&OsStr]; 7] = [
        &[bytes],
        &[OsStr::new("run"), bytes],
        &[OsStr::new("check"), bytes],
        &[OsStr::new("run"), OsStr::new("a.as"), OsStr::new("--input"), bytes],
        &[OsStr::new("tokens"), OsStr::new("cut"), OsStr::new("--max"), bytes],
        &[OsStr::new("answer"), OsStr::new("parse"), OsStr::new("--shape"), bytes],
        &[OsStr::new("trace"), OsStr::new("show"), bytes],
    ];
    for arguments in all {
        let done = sandbox.run(arguments).exits(2);
        assert!(!done.stderr.contains("panicked"), "{}", done.stderr);
    }
}

#[test]
fn as_31_text_that_is_not_utf_8_is_refused_with_line() {
    let sandbox = Sandbox::new();
    let _ = sandbox.run_with(["tokens", "count"], b"one\ntwo \xff\n").exits(2).says("line 2");
    let _ = sandbox.run_with(["answer", "parse"], b"\xff").exits(2).says("UTF-8");
}

#[test]
fn as_31_closed_pipe_is_not_error() {
    let sandbox = Sandbox::with_examples();
    let done = sandbox.sh("contexture completions zsh | head -c 1 > /dev/null; contexture tokens cut --max 100k README.md | true");
    let done = done.exits(0);
    assert_eq!(done.stderr, "");
}

#[test]
fn as_31_closed_streams_never_panic() {
    let sandbox = Sandbox::with_examples();
    let done = sandbox.sh("contexture tokens count README.md 2>&-").exits(0);
    assert_ne!(done.stdout, "");
    let done = sandbox.sh("contexture tokens count <&-");
    assert!(matches!(done.code, Some(0 | 2)), "{done:?}");
    let done = sandbox.sh("contexture tokens count README.md >&-");
    assert!(!done.stderr.contains("panicked"), "{done:?}");
}

#[test]
fn as_31_full_disk_is_error() {
    let sandbox = Sandbox::with_examples();
    let _ = sandbox
        .sh("contexture tokens count README.md > /dev/full")
        .exits(1)
        .says("can't write stdout");
}

#[test]
fn as_31_colour_follows_option_and_environment() {
    let sandbox = Sandbox::new();
    let escape = '\u{1b}';
    let plain = sandbox.run(["tokens", "count", "none.txt"]).exits(2);
    assert!(!plain.stderr.contains(escape));
    let always = sandbox.run(["tokens", "count", "none.txt", "--color", "always"]).exits(2);
    assert!(always.stderr.contains(escape), "{}", always.stderr);
    let of = |variables: &[(&str, &str)]| {
        let mut command = sandbox.contexture(["tokens", "count", "none.txt"]);
        command.envs(variables.iter().copied());
        finish(command, b"").exits(2).stderr.contains(escape)
    };
    assert!(of(&[("CLICOLOR_FORCE", "1")]));
    assert!(!of(&[("CLICOLOR_FORCE", "0")]) && !of(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    let usage = sandbox.run(["--color=always", "nonsense"]).exits(2);
    assert!(usage.stderr.contains(escape), "{}", usage.stderr);
}

#[test]
fn as_31_commands_without_stdin_input_do_not_wait_for_it() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.contexture(["completions", "bash"]);
    command.stdin(Stdio::null());
    let _ = finish(command, b"").exits(0);
}

#[test]
fn as_31_completions_exist_for_every_shell() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = sandbox.run(["completions", shell]).exits(0).stdout;
        assert!(script.contains("contexture") && script.contains("dry-run"), "{shell}");
    }
    let _ = sandbox.run(["completions", "bsh"]).exits(2).says("bash");
    let _ = sandbox.sh("contexture completions bash > c.bash && bash -n c.bash").exits(0);
}
