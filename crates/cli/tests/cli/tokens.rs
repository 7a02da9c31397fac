//! `contexture tokens`.

use crate::support::{Sandbox, repository};

#[test]
fn as_16_count_prints_only_number() {
    let sandbox = Sandbox::new();
    let done = sandbox
        .run_with(["tokens", "count", "--model", "openai://gpt-4o"], "Hello, world!")
        .exits(0);
    assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("4\n", ""));
    assert_eq!(sandbox.run_with(["tokens", "count"], "").exits(0).stdout, "0\n");
    sandbox.write("a.txt", "Hello, world!");
    assert_eq!(sandbox.run(["tokens", "count", "a.txt"]).exits(0).stdout, "4\n");
}

#[test]
fn as_16_substitute_tokenizer_is_named() {
    let done = Sandbox::new()
        .run_with(["tokens", "count", "--model", "anthropic://claude-sonnet-4"], "hi");
    let done = done.exits(0).says("o200k_base is used instead");
    assert_eq!(done.stdout, "1\n");
}

#[test]
fn as_16_cut_reads_stdin_and_prints_within_budget() {
    let sandbox = Sandbox::new();
    let text = std::fs::read_to_string(repository().join("README.md")).unwrap();
    for keep in ["head", "tail", "middle"] {
        let cut =
            sandbox.run_with(["tokens", "cut", "--max", "200", "--keep", keep], &text).exits(0);
        assert!(cut.stdout.contains("[clipped: "), "{}", cut.stdout);
        let count = sandbox.run_with(["tokens", "count"], &cut.stdout).exits(0);
        assert!(count.stdout.trim().parse::<usize>().unwrap() <= 200, "{keep}: {}", count.stdout);
    }
    let chars = sandbox.run_with(["tokens", "cut", "--max", "1k chars"], &text).exits(0);
    assert!(chars.stdout.chars().count() <= 1000);
}

#[test]
fn as_16_text_within_budget_is_unchanged() {
    let text = "line one\n\nline two without an end";
    assert_eq!(
        Sandbox::new().run_with(["tokens", "cut", "--max", "2k"], text).exits(0).stdout,
        text
    );
}

#[test]
fn as_16_invalid_budget_of_cut_is_refused() {
    for budget in ["0", "-1", "many", "2k bytes"] {
        let budget = format!("--max={budget}");
        let _ = Sandbox::new()
            .run_with(["tokens", "cut", &budget], "x")
            .exits(2)
            .says("is not a budget");
    }
}

#[test]
fn as_16_count_uses_default_model_without_option() {
    let sandbox = Sandbox::new();
    sandbox.write("contexture.toml", "model = \"anthropic://claude-sonnet-4-5\"\n");
    let _ = sandbox.run_with(["tokens", "count"], "hi").exits(0).says("claude-sonnet-4-5");
    let mut command = sandbox.contexture(["tokens", "count"]);
    command.env("CONTEXTURE_MODEL", "openai://gpt-4");
    assert_eq!(crate::support::finish(command, b"hi").exits(0).stderr, "");
}

#[test]
fn as_24_malformed_model_uri_is_refused() {
    let sandbox = Sandbox::new();
    let _ = sandbox.run_with(["tokens", "count", "--model", "gpt-4o"], "a b").exits(0);
    let done = sandbox.run_with(["tokens", "count", "--model", "opnai://gpt-4o"], "a b").exits(2);
    let _ = done.says("unknown scheme").says("help: ");
}
