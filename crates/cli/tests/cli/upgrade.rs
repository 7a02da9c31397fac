//! Folders that earlier versions kept: they open, and a newer one is refused.

use crate::support::{Sandbox, repository};
use serde_json::Value;
use std::path::Path;

/// Puts a folder of `tests/folders` into a sandbox.
fn kept_by(version: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let folder = repository().join("crates/cli/tests/folders").join(version);
    copy(&sandbox, &folder, "");
    sandbox
}

fn copy(sandbox: &Sandbox, from: &Path, to: &str) {
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        // A name that version control would leave out.
        let name = if name == "state" { ".contexture".to_owned() } else { name };
        let to = if to.is_empty() { name } else { format!("{to}/{name}") };
        match entry.file_type().unwrap().is_dir() {
            true => copy(sandbox, &entry.path(), &to),
            false => drop(sandbox.write(to, std::fs::read(entry.path()).unwrap())),
        }
    }
}

#[test]
fn gu_12_folder_of_version_0_1_opens_with_all_it_has() {
    let sandbox = kept_by("v0.1");
    let json = |arguments: &[&str]| sandbox.run(arguments).exits(0).json();
    // Looking upgrades nothing.
    let before = std::fs::read(sandbox.path(".contexture/data/contexts.db")).unwrap();
    assert_eq!(json(&["context", "verify", "--json"])["whole"], true);
    assert_eq!(std::fs::read(sandbox.path(".contexture/data/contexts.db")).unwrap(), before);

    let shown = json(&["context", "show", "ctx_notes", "--owner", "ada", "--json"]);
    assert_eq!((&shown["version"], &shown["messageCount"]), (&6.into(), &4.into()), "{shown}");
    let exported = sandbox.run(["context", "export", "ctx_notes"]).exits(0).stdout;
    assert!(exported.contains("部署前先备份数据库"), "{exported}");
    let head: Value = serde_json::from_str(exported.lines().next().unwrap()).unwrap();
    assert_eq!(head["state"]["topic"]["name"], "backups");
    assert_eq!(json(&["context", "list", "--json"])["contexts"].as_array().unwrap().len(), 2);
    let whole = json(&["context", "verify", "--json"]);
    assert_eq!((&whole["whole"], &whole["contexts"]), (&true.into(), &2.into()), "{whole}");

    let flows = sandbox.run(["flow", "list"]).exits(0).stdout;
    let interrupted = flows.lines().find(|line| line.contains("INTERRUPTED")).unwrap();
    assert!(flows.contains("COMPLETED"), "{flows}");
    let run = interrupted.split(' ').next().unwrap();
    let resumed = json(&["flow", "run", "--resume", run, "--json"]);
    assert_eq!(resumed["results"]["tell"]["result"]["text"], "the sum is 42", "{resumed}");

    let asked = sandbox.run(["run", "ask.as", "--mock", "--input", "{\"question\": \"database\"}"]);
    assert_eq!(asked.exits(0).stdout.trim(), "\"mock answer\"");
    let runs = sandbox.run(["trace", "list"]).exits(0).stdout;
    assert_eq!(runs.lines().count(), 5, "{runs}");
    let last = runs.lines().next().unwrap().split(' ').next().unwrap();
    let trace = sandbox.run(["trace", "show", last]).exits(0).stdout;
    assert!(trace.contains("Notes.query") && trace.contains("1 item"), "{trace}");
    for line in runs.lines().skip(1) {
        let run = line.split(' ').next().unwrap();
        let trace = sandbox.run(["trace", "show", run]).exits(0).stdout;
        assert!(trace.contains("app.as") || trace.contains("ask.as"), "{trace}");
    }

    let tokens = json(&["token", "list", "--json"]);
    assert!(tokens.to_string().contains("\"ada\""), "{tokens}");
    let servers = sandbox.run(["mcp-servers", "list"]);
    assert!(servers.stdout.contains("load_resource"), "{} {}", servers.stdout, servers.stderr);
}

#[test]
fn gu_9_recordings_of_version_0_1_replay() {
    let sandbox = kept_by("v0.1-recordings");
    let replay = |name: &str, input: &str| {
        let (program, recording) = (format!("{name}.as"), format!("{name}.recorded.jsonl"));
        sandbox.run(["run", &program, "--replay", &recording, "--input", input, "--quiet"])
    };
    let input = r#"{"questions": ["When is it copied?", "Is the bucket closed?"]}"#;
    let answers = replay("ask", input).exits(0).json();
    assert_eq!(answers["title"], "Two questions");
    assert_eq!(answers["answers"][1]["lines"], serde_json::json!([2, 3]), "{answers}");
    let other = input.replace("copied", "restored");
    let _ = replay("ask", &other).exits(1).says("is `When is it restored?`");

    // The model saw the key then; now it sees it only where the project says so.
    let refused = replay("keys", "{}").exits(1);
    let refused = refused.says("differs in secrets alone").says("secrets = \"allow\"");
    assert!(!refused.stderr.contains("AKIAIOSFODNN7EXAMPLE"), "{}", refused.stderr);
    sandbox.write("contexture.toml", "[policy]\nsecrets = \"allow\"\n");
    assert_eq!(replay("keys", "{}").exits(0).stdout.trim(), "\"mock answer\"");
}

#[test]
fn gu_12_newer_folder_is_refused_with_its_format_and_known_format() {
    let sandbox = kept_by("v0.1");
    let _ = sandbox.run(["context", "list"]).exits(0);
    let path = sandbox.path(".contexture/data/contexts.db");
    let mut bytes = std::fs::read(&path).unwrap();
    // The place of `user_version` in the header of an SQLite file.
    bytes[60..64].copy_from_slice(&9_u32.to_be_bytes());
    std::fs::write(&path, &bytes).unwrap();
    for command in [
        &["context", "list"][..],
        &["context", "verify"],
        &["serve", "app.as", "--listen", "127.0.0.1:0"],
    ] {
        let refused = sandbox.run(command).exits(2);
        let told = "have format 9, this program knows up to 3";
        assert!(refused.stderr.contains(told), "{command:?}: {}", refused.stderr);
        let help = "a newer version of contexture wrote it";
        assert!(refused.stderr.contains(help), "{command:?}: {}", refused.stderr);
    }
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

#[test]
fn gu_12_event_of_newer_version_is_named_with_version_and_stops_its_run_alone() {
    let sandbox = kept_by("v0.1");
    let path = sandbox.path(".contexture/data/flows.db");
    let listed = sandbox.run(["flow", "list"]).exits(0).stdout;
    let runs: Vec<&str> = listed.lines().collect();
    let id = |line: &str| line.split(' ').next().unwrap().to_owned();
    let broken = id(runs.iter().find(|line| line.contains("INTERRUPTED")).unwrap());
    let mut bytes = std::fs::read(&path).unwrap();
    let (known, newer) = (b"\"event\":\"STARTED\"", b"\"event\":\"DREAMED\"");
    for at in 0..bytes.len() - known.len() {
        if bytes[at..].starts_with(known) {
            bytes[at..at + known.len()].copy_from_slice(newer);
        }
    }
    std::fs::write(&path, &bytes).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    for command in [&["flow", "show", &broken][..], &["flow", "run", "--resume", &broken]] {
        let refused = sandbox.run(command).exits(2).says("has an event `DREAMED`");
        let told = format!("version {version} does not know");
        assert!(refused.stderr.contains(&told), "{command:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("other runs are not affected"), "{}", refused.stderr);
    }
    assert_eq!(sandbox.run(["flow", "list"]).exits(0).stdout, listed, "nothing is lost");
}
