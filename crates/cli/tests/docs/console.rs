//! Blocks of a terminal session.

use crate::blocks::Block;
use crate::server::Server;
use crate::support::Sandbox;
use std::time::{Duration, Instant};

/// The longest time of a block, on a machine with other work.
const LONGEST: Duration = Duration::from_secs(300);

/// A command with the output that the document shows.
#[derive(Debug, Default)]
struct Step {
    command: String,
    expected: Vec<String>,
}

/// What blocks have in common that go on with each other: a folder, and the server that runs.
pub(crate) struct Session {
    /// Ends before its folder is removed.
    server: Option<Server>,
    sandbox: Sandbox,
}

impl Session {
    pub(crate) fn new() -> Self {
        Self { server: None, sandbox: Sandbox::with_examples() }
    }
}

/// Runs the block.
pub(crate) fn run(block: &Block, session: &mut Session) -> Result<(), String> {
    run_within(block, session, LONGEST)
}

fn run_within(block: &Block, session: &mut Session, limit: Duration) -> Result<(), String> {
    let end = Instant::now() + limit;
    let steps = steps(&block.text)?;
    let last = steps.len();
    for (at, step) in steps.into_iter().enumerate() {
        let expected = match block.mark("exit") {
            Some(code) if at + 1 == last => code.parse().map_err(|_| "exit=N needs a number")?,
            _ => 0,
        };
        if step.command.starts_with("contexture serve ") {
            // The server before is ended first.
            drop(session.server.take());
            let server = Server::start(&session.sandbox, &step.command)?;
            let said: Vec<&str> = server.said.iter().map(String::as_str).collect();
            let wanted: Vec<&str> = step.expected.iter().map(String::as_str).collect();
            if !matches(&wanted, &said) {
                return Err(format!("$ {}\n{}", step.command, said.join("\n")));
            }
            session.server = Some(server);
            continue;
        }
        let command = match &session.server {
            Some(server) => server.real(&step.command),
            None => step.command.clone(),
        };
        let left = end.saturating_duration_since(Instant::now());
        let done = session.sandbox.sh_within(&format!("exec 2>&1\n{command}"), left);
        let Some(done) = done else {
            return Err(format!("$ {}\nthe block took longer than {limit:?}", step.command));
        };
        if done.code != Some(expected) {
            let (code, output) = (done.code, done.stdout);
            return Err(format!("$ {}\nexit {code:?}, not {expected}:\n{output}", step.command));
        }
        let output: Vec<&str> = done.stdout.trim_end().lines().map(str::trim_end).collect();
        let wanted: Vec<&str> = step.expected.iter().map(String::as_str).collect();
        if !wanted.is_empty() && !matches(&wanted, &output) {
            return Err(format!(
                "$ {}\n--- the document\n{}\n--- the command\n{}",
                step.command,
                wanted.join("\n"),
                output.join("\n")
            ));
        }
    }
    Ok(())
}

fn steps(text: &str) -> Result<Vec<Step>, String> {
    let mut steps: Vec<Step> = Vec::new();
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step { command: command.to_owned(), expected: Vec::new() });
            continue;
        }
        let step = steps.last_mut().ok_or("a console block begins with `$ `")?;
        if let Some(end) = open_document(&step.command) {
            step.command.push('\n');
            step.command.push_str(line);
            if line == end {
                step.command.push('\n');
            }
            continue;
        }
        match line.strip_prefix("> ") {
            Some(rest) if step.expected.is_empty() => {
                step.command.push('\n');
                step.command.push_str(rest);
            }
            _ => step.expected.push(line.trim_end().to_owned()),
        }
    }
    for step in &mut steps {
        while step.expected.last().is_some_and(String::is_empty) {
            step.expected.pop();
        }
    }
    Ok(steps)
}

/// The word that ends the here-document that a command has open.
fn open_document(command: &str) -> Option<String> {
    let (_, rest) = command.lines().next()?.split_once("<<")?;
    let word: String = rest
        .trim_start_matches(['-', '\'', '"'])
        .chars()
        .take_while(|c| c.is_alphanumeric())
        .collect();
    let closed = command.lines().skip(1).any(|line| line == word) || word.is_empty();
    (!closed).then_some(word)
}

/// Returns the command of `contexture` in a line of shell with `--help` added, which reads the words before it and runs
/// nothing.
pub(crate) fn with_help(line: &str) -> Option<String> {
    let line = line.split(" # ").next().unwrap_or_default();
    let mut words = line.split_whitespace();
    let (_, command) = line.split_once("cargo run -- ").or_else(|| {
        words.any(|word| word == "contexture").then(|| line.split_once("contexture "))?
    })?;
    let command = command.split(" && ").next().unwrap_or_default();
    let command = command.split(" > ").next().unwrap_or_default();
    Some(format!("contexture {} --help", command.trim_end()))
}

/// Whether lines are as wanted; `...` stands for any number of lines.
fn matches(wanted: &[&str], lines: &[&str]) -> bool {
    match wanted {
        [] => lines.is_empty(),
        ["...", rest @ ..] => (0..=lines.len()).any(|skip| matches(rest, &lines[skip..])),
        [first, rest @ ..] => {
            let Some((line, others)) = lines.split_first() else { return false };
            line_matches(first, line) && matches(rest, others)
        }
    }
}

/// Whether a line is as wanted; `[..]` stands for any characters.
fn line_matches(wanted: &str, line: &str) -> bool {
    let Some((before, after)) = wanted.split_once("[..]") else { return wanted == line };
    let Some(rest) = line.strip_prefix(before) else { return false };
    let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    ends.into_iter().any(|at| line_matches(after, &rest[at..]))
}

#[test]
fn wildcards_stand_for_lines_and_for_characters() {
    assert!(matches(&["a", "...", "z"], &["a", "b", "c", "z"]));
    assert!(matches(&["a", "...", "z"], &["a", "z"]));
    assert!(!matches(&["a", "...", "z"], &["a", "b"]));
    assert!(line_matches("run [..], [..] tokens", "run 01J, 12 tokens"));
    assert!(!line_matches("run [..] tokens", "run 01J"));
}

#[test]
fn block_that_does_not_end_is_ended_with_what_it_began() {
    let text = "$ sleep 60 & until test -f never; do sleep 0.1; done\n$ touch after\n";
    let block = &crate::blocks::read("a.md", &format!("```console\n{text}```\n"))[0];
    let mut session = Session::new();
    let began = Instant::now();
    let fault = run_within(block, &mut session, Duration::from_millis(500)).unwrap_err();
    assert!(fault.contains("took longer than 500ms"), "{fault}");
    assert!(began.elapsed() < Duration::from_secs(30), "the sleeper held its output open");
    assert!(!session.sandbox.path("after").exists());
}

#[test]
fn commands_of_a_line_of_shell_are_read_without_being_run() {
    let help = |line| with_help(line).unwrap_or_default();
    assert_eq!(help("KEY=… contexture run a.as  # why"), "contexture run a.as --help");
    assert_eq!(help("cargo run -- check a.as > out.txt"), "contexture check a.as --help");
    assert_eq!(help("cp -r contexture-1 x"), "");
}

#[test]
fn here_documents_belong_to_their_command() {
    let steps = steps("$ cat <<'END'\na\n\nb\nEND\na\n$ true\n").unwrap();
    assert_eq!(steps.len(), 2);
    assert_eq!(steps[0].command, "cat <<'END'\na\n\nb\nEND\n");
    assert_eq!(steps[0].expected, ["a"]);
}
