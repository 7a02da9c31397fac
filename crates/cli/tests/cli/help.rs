//! Every example that `--help` shows is run.

use crate::server::Server;
use crate::support::{Sandbox, repository};
use std::collections::BTreeSet;

/// The help of a command and of all commands below it.
fn helps(path: &[String], found: &mut Vec<(String, String)>) {
    let sandbox = Sandbox::new();
    let arguments = path.iter().map(String::as_str).chain(["--help"]);
    let help = sandbox.run(arguments).exits(0).stdout;
    let commands = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty());
    let commands: Vec<String> =
        commands.filter(|name| *name != "help").map(str::to_owned).collect();
    found.push((path.join(" "), help));
    for command in commands {
        helps(&[path, &[command]].concat(), found);
    }
}

fn all() -> Vec<(String, String)> {
    let mut found = Vec::new();
    helps(&[], &mut found);
    found
}

/// The examples of a help text: lines indented by two, until the blank line; an open quote and a
/// backslash at the end go on.
fn examples(help: &str) -> Vec<String> {
    let mut examples: Vec<String> = Vec::new();
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    for line in lines.take_while(|line| !line.is_empty()) {
        let line = line.strip_prefix("  ").unwrap_or(line);
        match examples.last_mut() {
            Some(open) if open.ends_with('\\') || open.matches('\'').count() % 2 == 1 => {
                open.push('\n');
                open.push_str(line);
            }
            _ => examples.push(line.to_owned()),
        }
    }
    examples
}

#[test]
fn as_31_every_help_has_examples() {
    for (command, help) in all() {
        assert!(!examples(&help).is_empty(), "`contexture {command} --help` has no examples");
    }
}

#[test]
fn as_31_every_example_of_help_runs() {
    let mut faults = Vec::new();
    for (command, help) in all() {
        let sandbox = Sandbox::with_examples();
        prepare(&sandbox);
        if command.starts_with("runs") {
            prepare_journal(&sandbox, command == "runs settle");
        }
        let _run = is_of_a_run(&command).then(|| Endless::begin(&sandbox));
        for example in examples(&help) {
            let servers = ["contexture serve ", "contexture inspect"];
            if servers.iter().any(|command| example.starts_with(command)) {
                // It serves until it is ended.
                let served = Server::start(&sandbox, &example);
                faults.extend(served.err());
                continue;
            }
            let done = sandbox.sh(&format!("set -e\n{example}"));
            // A build without the feature says so.
            if command.starts_with("knowledge embedder") && cfg!(not(feature = "embedder")) {
                let told = "build contexture with the feature `embedder`";
                let is_told = [&done.stdout, &done.stderr].iter().any(|text| text.contains(told));
                if done.code != Some(2) || !is_told {
                    faults.push(format!("$ {example}\n{}{}", done.stdout, done.stderr));
                }
                continue;
            }
            if done.code != Some(0) {
                faults.push(format!(
                    "contexture {command} --help\n$ {example}\n{}{}",
                    done.stdout, done.stderr
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Whether the examples are about a run that goes on.
fn is_of_a_run(command: &str) -> bool {
    ["flow pause", "flow resume", "flow cancel"].contains(&command)
}

/// A run of a flow that another process does.
struct Endless(std::process::Child);

impl Endless {
    fn begin(sandbox: &Sandbox) -> Self {
        let step = r#"{"instructionId":"a","action":"sleep","parameters":{"ms":600000}}"#;
        sandbox.write("endless.json", format!(r#"{{"instructions":[{step}]}}"#));
        let run = Self(sandbox.contexture(["flow", "run", "endless.json"]).spawn().unwrap());
        let began = std::time::Instant::now();
        while !sandbox.run(["flow", "list"]).exits(0).stdout.contains("RUNNING") {
            assert!(began.elapsed().as_secs() < 30, "the run does not begin");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        run
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The names of the long options in a text.
fn options(text: &str) -> BTreeSet<&str> {
    let is_name = |sign: char| sign.is_ascii_lowercase() || sign == '-';
    let words = text.split(|sign: char| !is_name(sign)).filter(|word| word.starts_with("--"));
    words.filter(|word| word.len() > 3 && !word.ends_with('-')).collect()
}

#[test]
fn as_31_cli_page_lists_all_commands_and_options() {
    let page = std::fs::read_to_string(repository().join("docs/cli.md")).unwrap();
    let helps = all();
    let helped: BTreeSet<&str> = helps.iter().flat_map(|(_, help)| options(help)).collect();
    let mut told = options(&page);
    told.extend(["--help", "--version"]);
    assert_eq!(told.difference(&helped).collect::<Vec<_>>(), [&""; 0], "no such options");
    assert_eq!(helped.difference(&told).collect::<Vec<_>>(), [&""; 0], "not on the page");
    for (command, _) in &helps {
        assert!(page.contains(command), "`{command}` is not on the page");
    }
}

/// A static embedding model of two tokens with two numbers each.
fn prepare_model(sandbox: &Sandbox) {
    let tokenizer = r#"{"version": "1.0", "truncation": null, "padding": null,
        "added_tokens": [], "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "refund": 1}}}"#;
    let header = r#"{"embeddings":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}"#;
    let length = char::from(u8::try_from(header.len()).unwrap());
    let weights = format!("{length}{}{header}{}", "\0".repeat(7), "\0".repeat(16));
    sandbox.write("models/english/tokenizer.json", tokenizer);
    sandbox.write("models/english/model.safetensors", weights);
    sandbox.write("models/english/config.json", r#"{"normalize": true}"#);
}

/// What the examples of the help take for granted: two runs and a conversation of which to speak, and
/// a program with cases.
fn prepare(sandbox: &Sandbox) {
    let _ = sandbox.run(["context", "import", "examples/serve/conversation.jsonl"]).exits(0);
    prepare_model(sandbox);
    let task = "main func(input { q string }) {\n  use one of {\n    plain: \"Answer.\" max 200\n    none: empty\n  } as task\n  use input.q as question\n  generate({ input: \"Do the task.\", max_output: 50 }) -> { answer string }\n}\n";
    let case = r#"{"input":{"q":"a"},"expect":[{"where":"size(value.answer) > 0"}]}"#;
    sandbox.write("task.as", task).write("cases.jsonl", format!("{case}\n{case}\n{case}\n"));
    for question in ["What does the cache store?", "When does an entry expire?"] {
        let input = format!(r#"{{"question":"{question}"}}"#);
        let _ =
            sandbox.run(["run", "examples/use_one_of.as", "--quiet", "--input", &input]).exits(0);
    }
}

/// A run that its limit has stopped; or one that was killed in the midst of a call.
fn prepare_journal(sandbox: &Sandbox, is_in_doubt: bool) {
    let input = r#"{"question":"What does the cache store?"}"#;
    let program = ["run", "examples/use_one_of.as", "--durable", "--max-tokens", "10"];
    let _ = sandbox.run(program.into_iter().chain(["--input", input])).exits(1);
    if !is_in_doubt {
        return;
    }
    let folder = sandbox.path(".contexture/journals");
    let file = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&file).unwrap();
    let (head, _) = text.split_once('\n').unwrap();
    let digest = format!("sha256:{}", "0".repeat(64));
    let call =
        format!(r#"{{"v":1,"seq":2,"at_us":0,"key":"2","call":"Web.post","digest":"{digest}"}}"#);
    std::fs::write(&file, format!("{head}\n{call}\n")).unwrap();
}
