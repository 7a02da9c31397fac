//! The project of a set that lies elsewhere: where its run is kept, and what it may reach.

use crate::support::{Done, Sandbox};
use serde_json::{Value, json};

/// Two folders side by side: a set, a program and a secret in one, nothing in the other.
fn sides() -> Sandbox {
    let sandbox = Sandbox::new();
    let set = |steps: Value| json!({ "instructions": steps }).to_string();
    sandbox.write("p1/s.json", set(json!([{"instructionId": "a", "action": "echo"}])));
    sandbox.write("p1/secret.txt", "the secret of p1");
    sandbox.write("p1/beside.as", "main agent Beside { main func(input) { { n: 7 } } }");
    sandbox.write("p2/own.txt", "the text of p2");
    let read = |path: &str| {
        json!({"instructionId": path, "action": "file_read",
        "parameters": {"path": path}})
    };
    let outside = sandbox.path("p1/secret.txt").display().to_string();
    let steps =
        json!([read("own.txt"), read("secret.txt"), read("../p1/secret.txt"), read(&outside),]);
    sandbox.write("p1/reads.json", json!({"instructions": steps}).to_string());
    sandbox
}

fn within(sandbox: &Sandbox, folder: &str, line: &str) -> Done {
    sandbox.sh(&format!("cd {folder} && contexture flow {line}"))
}

fn runs(sandbox: &Sandbox, folder: &str) -> Vec<String> {
    let list = within(sandbox, folder, "list --json").exits(0).json();
    let names = list["runs"].as_array().unwrap().iter();
    names.map(|run| run["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn fl_11_run_of_set_elsewhere_is_stored_in_current_project() {
    let sandbox = sides();
    let absolute = sandbox.path("p1/s.json").display().to_string();
    for file in ["../p1/s.json", &absolute] {
        let report = within(&sandbox, "p2", &format!("run {file} --json")).exits(0).json();
        let id = report["run"].as_str().unwrap();
        assert_eq!(runs(&sandbox, "p2")[0], file);
        let shown = within(&sandbox, "p2", "show latest --json").exits(0).json();
        assert_eq!((&shown["run"], &shown["status"]), (&json!(id), &json!("COMPLETED")));
        let _ = within(&sandbox, "p2", &format!("resume {id}")).exits(2).says("has ended");
        let _ = within(&sandbox, "p2", &format!("cancel {id}")).exits(2).says("has ended");
    }
    assert!(!sandbox.path("p1/.contexture").exists());
    let _ = within(&sandbox, "p2", "check ../p1/s.json").exits(0);
    // The nearest folder with settings at or above the current one; `--workspace` wins.
    sandbox.write("p2/contexture.toml", "");
    sandbox.write("p2/deep/x.txt", "");
    let _ = within(&sandbox, "p2/deep", "run ../../p1/s.json").exits(0);
    assert_eq!(runs(&sandbox, "p2"), ["../../p1/s.json", &absolute, "../p1/s.json"]);
    assert!(!sandbox.path("p2/deep/.contexture").exists());
    let _ = within(&sandbox, "p2", "run ../p1/s.json --workspace ../p1").exits(0);
    assert_eq!(runs(&sandbox, "p2").len(), 3);
    assert_eq!(runs(&sandbox, "p1"), ["../p1/s.json"]);
}

#[test]
fn fl_11_set_in_other_folder_cannot_read_that_folder() {
    let sandbox = sides();
    let report = within(&sandbox, "p2", "run ../p1/reads.json --json").exits(1).json();
    let of = |step: &str| report["results"][step].clone();
    assert_eq!(of("own.txt")["result"]["value"], "the text of p2");
    assert!(!report.to_string().contains("the secret of p1"), "{report:#}");
    let outside = sandbox.path("p1/secret.txt").display().to_string();
    for step in ["secret.txt", "../p1/secret.txt", &outside] {
        assert_ne!(of(step)["error"], Value::Null, "{report:#}");
    }
    // Nor a program: the project in which it lies has to be named.
    let set = json!({"instructions": [{"instructionId": "a", "action": "agent:Beside"}]});
    sandbox.write("p1/agent.json", set.to_string());
    let _ = within(&sandbox, "p2", "run ../p1/agent.json")
        .exits(2)
        .says("unknown action `agent:Beside`");
    let report = within(&sandbox, "p2", "run ../p1/agent.json --workspace ../p1 --json").exits(0);
    assert_eq!(report.json()["results"]["a"]["result"], json!({"n": 7}));
}

#[test]
fn fl_12_command_without_set_shows_how_to_name_one() {
    let sandbox = sides();
    let _ = within(&sandbox, "p1", "run").exits(2).says("--resume RUN");
    let _ = within(&sandbox, "p1", "graph").exits(2).says("--run RUN");
    let answer = within(&sandbox, "p1", "run --json").exits(2).json();
    assert_eq!(answer["diagnostics"][0]["code"], "bad_usage", "{answer}");
}
