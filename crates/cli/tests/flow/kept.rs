//! Runs that are kept: listed, read back, gone on with.

use crate::flow;
use crate::support::Sandbox;
use serde_json::{Value, json};
use std::process::Child;
use std::time::{Duration, Instant};

/// How long anything is waited for: far more than it takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// A run that another process does.
pub(crate) struct Other(pub(crate) Child);

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A step that is done, and one that takes a minute.
pub(crate) fn slow() -> Value {
    json!({"instructions": [
        {"instructionId": "first", "action": "echo", "parameters": {"n": 1}},
        {"instructionId": "long", "action": "sleep", "parameters": {"ms": 60_000}, "dependencies": ["first"]},
        {"instructionId": "last", "action": "echo", "dependencies": ["long"]},
    ]})
}

/// Begins a run, and waits until its first step is done.
pub(crate) fn begun(sandbox: &Sandbox, set: &Value, arguments: &[&str]) -> (Other, Value) {
    sandbox.write("slow.json", set.to_string());
    let all = [&["flow", "run", "slow.json"], arguments].concat();
    let other = Other(sandbox.contexture(all).spawn().unwrap());
    let run = awaited(sandbox, |run| run["done"] == 1);
    (other, run)
}

/// The newest run, as soon as it is as wanted.
pub(crate) fn awaited(sandbox: &Sandbox, is_wanted: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let runs = flow(sandbox, &["list", "--json"]).exits(0).json()["runs"].clone();
        if is_wanted(&runs[0]) {
            return runs[0].clone();
        }
        assert!(began.elapsed() < PATIENCE, "{runs}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn fl_12_runs_are_listed_and_shown() {
    let sandbox = Sandbox::with_examples();
    let _ = flow(&sandbox, &["list"]).exits(0).says("no flow run is stored");
    let _ = flow(&sandbox, &["show", "latest"]).exits(2).says("unknown flow run");
    let ids = ["hello", "recover"].map(|name| {
        let file = format!("examples/flows/{name}.json");
        flow(&sandbox, &["run", &file, "--json"]).json()["run"].as_str().unwrap().to_owned()
    });
    let runs = flow(&sandbox, &["list", "--json"]).exits(0).json()["runs"].clone();
    let brief =
        |run: &Value| json!([run["run"], run["name"], run["status"], run["steps"], run["done"]]);
    assert_eq!(
        runs.as_array().unwrap().iter().map(brief).collect::<Vec<_>>(),
        [
            json!([ids[1], "examples/flows/recover.json", "FAILED", 5, 5]),
            json!([ids[0], "examples/flows/hello.json", "COMPLETED", 2, 2]),
        ]
    );
    let list = flow(&sandbox, &["list"]).exits(0).stdout;
    assert!(
        list.lines()
            .next()
            .unwrap()
            .contains("FAILED       examples/flows/recover.json  5 of 5 steps"),
        "{list}"
    );
    assert_eq!(
        flow(&sandbox, &["list", "--unfinished", "--json"]).exits(0).json(),
        json!({"runs": []})
    );
    assert_eq!(flow(&sandbox, &["list", "--limit", "1"]).exits(0).stdout.lines().count(), 1);

    let whole = flow(&sandbox, &["show", "latest~1", "--json"]).exits(0).json();
    assert_eq!((&whole["run"], &whole["status"]), (&json!(ids[0]), &json!("COMPLETED")));
    assert_eq!(whole["results"]["tell"]["result"], json!({"text": "it is 14"}));
    assert_eq!(whole["order"], json!(["ask", "tell"]));
    assert_eq!(whole["set"]["instructions"][0]["instructionId"], "ask");
    let events: Vec<&Value> =
        whole["events"].as_array().unwrap().iter().map(|event| &event["event"]).collect();
    assert_eq!(events, ["STARTED", "ENDED", "STARTED", "ENDED", "FINISHED"]);
    let end = &ids[0][ids[0].len() - 12..];
    let text = flow(&sandbox, &["show", end]).exits(0).stdout;
    assert!(
        text.starts_with(&format!(
            "{} · COMPLETED · examples/flows/hello.json · 2 steps\n",
            ids[0]
        )),
        "{text}"
    );
    assert!(text.contains("✓ tell  echo"), "{text}");
    let step = flow(&sandbox, &["show", "latest~1", "--step", "tell"]).exits(0).json();
    assert_eq!(
        (&step["status"], &step["result"]),
        (&json!("COMPLETED"), &json!({"text": "it is 14"}))
    );
    let _ = flow(&sandbox, &["show", "latest~1", "--step", "tel"]).exits(2).says("`tell`");
    let _ = flow(&sandbox, &["show", "flow_"]).exits(2).says("matches 2 runs");
    let _ = flow(&sandbox, &["show", "latest~9"]).exits(2).says("flow list");
    let _ = flow(&sandbox, &["show", &format!("{}x", ids[0])]).exits(2).says(&ids[0]);
    let _ = flow(&sandbox, &["resume", &ids[0]]).exits(2).says("has ended");
}

#[test]
fn fl_11_killed_run_resumes_without_repeating_ended_steps() {
    let sandbox = Sandbox::new();
    let mut set = slow();
    set["instructions"][1]["parameters"]["ms"] = json!(3_000);
    let (mut other, run) = begun(&sandbox, &set, &[]);
    assert_eq!(run["status"], "RUNNING");
    other.0.kill().unwrap();
    other.0.wait().unwrap();
    let id = run["run"].as_str().unwrap();
    assert_eq!(awaited(&sandbox, |_| true)["status"], "INTERRUPTED");
    let shown = flow(&sandbox, &["show", id]).exits(0);
    assert!(
        shown.stdout.contains("✓ first") && shown.stdout.contains("· last"),
        "{}",
        shown.stdout
    );
    assert!(shown.stderr.contains(&format!("contexture flow resume {id}")), "{}", shown.stderr);
    let report = flow(&sandbox, &["resume", id, "--json"]).exits(0).json();
    assert_eq!((&report["status"], &report["run"]), (&json!("COMPLETED"), &json!(id)));
    assert_eq!(report["order"], json!(["first", "long", "last"]));
    let whole = flow(&sandbox, &["show", id, "--json"]).exits(0).json();
    let starts = |step: &str| {
        let is_start = |event: &&Value| event["event"] == "STARTED" && event["id"] == step;
        whole["events"].as_array().unwrap().iter().filter(is_start).count()
    };
    assert_eq!([starts("first"), starts("last")], [1, 1]);
}

#[test]
fn wa_4_step_of_killed_run_is_settled_and_run_is_resumed() {
    let sandbox = Sandbox::new();
    let (mut other, run) = begun(&sandbox, &slow(), &[]);
    let id = run["run"].as_str().unwrap();
    let settle = |rest: &[&str]| sandbox.run([&["runs", "settle", id], rest].concat());
    let _ = settle(&["long", "--again"]).exits(2).says("is being done");
    other.0.kill().unwrap();
    other.0.wait().unwrap();
    let _ = settle(&["lang", "--again"]).exits(2).says("`long`");
    let _ = settle(&["first", "--again"]).exits(2).says("in doubt are long");
    let asked = sandbox.run(["runs", "resume", id]).exits(2);
    let _ = asked.says(&format!("`contexture flow resume {id}` continues it"));
    let told = settle(&["long", "--done", "{\"等\": 1}", "--json"]).exits(0).json();
    assert_eq!(told, json!({"run": id, "in_doubt": []}));
    let _ = settle(&["long", "--again"]).exits(2).says("nothing of it is in doubt");
    let _ = flow(&sandbox, &["resume", id]).exits(0);
    let whole = flow(&sandbox, &["show", id, "--json"]).exits(0).json();
    assert_eq!((&whole["status"], &whole["done"]), (&json!("COMPLETED"), &json!(3)));
    assert_eq!(whole["results"]["long"]["result"], json!({"等": 1}));
    let _ = sandbox
        .run(["runs", "settle", "no_such_run", "a", "--failed"])
        .exits(2)
        .says("unknown run");
}

#[test]
fn fl_12_run_is_paused_resumed_and_cancelled_by_another_process() {
    let sandbox = Sandbox::new();
    let mut set = slow();
    set["instructions"][1]["parameters"]["ms"] = json!(1_500);
    let (mut other, run) = begun(&sandbox, &set, &["--json"]);
    let id = run["run"].as_str().unwrap();
    let asked = flow(&sandbox, &["pause", id, "--json"]).exits(0).json();
    assert_eq!(asked, json!({"run": id, "running": true}));
    // What runs comes to its end; nothing new is started.
    let _ = awaited(&sandbox, |run| run["done"] == 2);
    std::thread::sleep(Duration::from_millis(700));
    let paused = awaited(&sandbox, |_| true);
    assert_eq!((&paused["done"], &paused["status"]), (&json!(2), &json!("PAUSED")));
    let shown = flow(&sandbox, &["show", id]).exits(0).says("is paused");
    assert!(shown.stdout.starts_with(&format!("{id} · PAUSED · ")), "{}", shown.stdout);
    assert_eq!(flow(&sandbox, &["show", id, "--json"]).exits(0).json()["status"], "PAUSED");
    let _ = flow(&sandbox, &["resume", id]).exits(0).says("continues");
    assert_eq!(other.0.wait().unwrap().code(), Some(0));
    assert_eq!(awaited(&sandbox, |_| true)["status"], "COMPLETED");

    let (mut other, run) = begun(&sandbox, &slow(), &[]);
    let id = run["run"].as_str().unwrap();
    let _ = flow(&sandbox, &["cancel", "latest"]).exits(0).says("is being cancelled");
    assert_eq!(other.0.wait().unwrap().code(), Some(1));
    let whole = flow(&sandbox, &["show", id, "--json"]).exits(0).json();
    let of = |step: &str| whole["results"][step].clone();
    assert_eq!(
        (&of("long")["status"], &of("long")["error"]["code"]),
        (&json!("FAILED"), &json!("CANCELLED"))
    );
    assert_eq!(
        (&of("last")["status"], &of("last")["reason"]["code"]),
        (&json!("SKIPPED"), &json!("CANCELLED"))
    );
    let _ = flow(&sandbox, &["pause", id]).exits(2).says("has ended");
}

#[test]
fn fl_11_cancelling_interrupted_run_closes_it() {
    let sandbox = Sandbox::new();
    for is_json in [false, true] {
        let (mut other, run) = begun(&sandbox, &slow(), &[]);
        other.0.kill().unwrap();
        other.0.wait().unwrap();
        let id = run["run"].as_str().unwrap();
        // It is closed though its set could not be run any more.
        let _ = std::fs::remove_file(sandbox.path("slow.json"));
        if is_json {
            let told = flow(&sandbox, &["cancel", id, "--json"]).exits(0).json();
            let wanted =
                json!({"run": id, "running": false, "status": "FAILED", "failed": 1, "skipped": 1});
            assert_eq!(told, wanted);
        } else {
            let _ = flow(&sandbox, &["cancel", id])
                .exits(0)
                .says("is now closed as FAILED, with 1 step failed and 1 skipped");
        }
        let whole = flow(&sandbox, &["show", id, "--json"]).exits(0).json();
        assert_eq!(whole["status"], "FAILED", "{whole:#}");
        let of = |step: &str, field: &str| {
            let outcome = &whole["results"][step];
            (outcome["status"].clone(), outcome[field]["code"].clone())
        };
        assert_eq!(of("first", "error"), (json!("COMPLETED"), Value::Null));
        assert_eq!(of("long", "error"), (json!("FAILED"), json!("CANCELLED")));
        assert_eq!(of("last", "reason"), (json!("SKIPPED"), json!("CANCELLED")));
        let events: Vec<&Value> =
            whole["events"].as_array().unwrap().iter().map(|event| &event["event"]).collect();
        assert_eq!(events, ["STARTED", "ENDED", "STARTED", "ENDED", "ENDED", "FINISHED"]);
        let _ = flow(&sandbox, &["cancel", id]).exits(2).says("has ended");
        let _ = flow(&sandbox, &["resume", id]).exits(2).says("has ended");
    }
}

#[test]
fn fl_11_resuming_cancelled_run_starts_nothing() {
    let sandbox = Sandbox::new();
    let (mut other, run) = begun(&sandbox, &slow(), &[]);
    let id = run["run"].as_str().unwrap();
    // Stopped, it can't hear of the wish before it is killed.
    let stop = |name: &str| {
        let pid = other.0.id().to_string();
        assert!(std::process::Command::new("kill").args([name, &pid]).status().unwrap().success());
    };
    stop("-STOP");
    let _ = flow(&sandbox, &["cancel", id]).exits(0).says("is being cancelled");
    stop("-KILL");
    other.0.wait().unwrap();
    assert_eq!(awaited(&sandbox, |_| true)["status"], "INTERRUPTED");
    let done = flow(&sandbox, &["resume", id]).exits(1);
    assert!(!done.stderr.contains("attempt"), "{}", done.stderr);
    let whole = flow(&sandbox, &["show", id, "--json"]).exits(0).json();
    assert_eq!(whole["results"]["long"]["error"]["code"], "CANCELLED");
    let is_start = |event: &&Value| event["event"] == "STARTED";
    assert_eq!(whole["events"].as_array().unwrap().iter().filter(is_start).count(), 2);
}

#[test]
fn fl_11_running_run_can_not_run_twice() {
    let sandbox = Sandbox::new();
    let (_other, run) = begun(&sandbox, &slow(), &[]);
    let id = run["run"].as_str().unwrap();
    let _ = flow(&sandbox, &["run", "slow.json", "--resume", id]).exits(2).says("is being done by");
}

#[test]
fn fl_11_no_keep_stores_nothing() {
    let sandbox = Sandbox::with_examples();
    let report =
        flow(&sandbox, &["run", "examples/flows/hello.json", "--no-keep", "--json"]).exits(0);
    assert_eq!(report.json().get("run"), None);
    assert_eq!(flow(&sandbox, &["list", "--json"]).exits(0).json(), json!({"runs": []}));
    assert!(!sandbox.path(".contexture").exists());
}

#[test]
fn fl_11_unusable_run_file_is_reported_and_unchanged() {
    let sandbox = Sandbox::with_examples();
    sandbox.write(".contexture/data/flows.db", "mine, and no database at all");
    let file = "examples/flows/hello.json";
    let done = flow(&sandbox, &["run", file]).exits(2);
    assert!(
        done.stderr.contains("can't store the run") && done.stderr.contains("--no-keep"),
        "{done:?}"
    );
    for command in [["list", "--json"], ["show", "latest"], ["resume", "latest"]] {
        let _ = flow(&sandbox, &command).exits(2);
    }
    let _ = flow(&sandbox, &["run", file, "--no-keep"]).exits(0);
    assert_eq!(sandbox.read(".contexture/data/flows.db"), "mine, and no database at all");
}

#[test]
fn fl_11_ended_runs_are_pruned() {
    let sandbox = Sandbox::with_examples();
    let _ = flow(&sandbox, &["prune"]).exits(2).says("--keep");
    let _ = flow(&sandbox, &["prune", "--keep", "0"]).exits(0).says("0 runs deleted, 0 kept");
    let ids = ["hello", "recover", "hello"].map(|name| {
        let file = format!("examples/flows/{name}.json");
        flow(&sandbox, &["run", &file, "--json"]).json()["run"].as_str().unwrap().to_owned()
    });
    let (mut other, broken) = begun(&sandbox, &slow(), &[]);
    other.0.kill().unwrap();
    other.0.wait().unwrap();
    let none = json!({ "removed": [], "kept": 4, "dryRun": false });
    let old = flow(&sandbox, &["prune", "--older-than", "1h", "--json"]).exits(0).json();
    assert_eq!(old, none);
    let would = flow(&sandbox, &["prune", "--keep", "1", "--dry-run"]).exits(0);
    let _ = would.says("2 runs would be deleted, 2 kept");
    let gone = flow(&sandbox, &["prune", "--keep", "1", "--json"]).exits(0).json();
    let removed: Vec<&Value> =
        gone["removed"].as_array().unwrap().iter().map(|run| &run["run"]).collect();
    assert_eq!((removed, &gone["kept"]), (vec![&json!(ids[1]), &json!(ids[0])], &json!(2)));
    let left = flow(&sandbox, &["list", "--json"]).exits(0).json()["runs"].clone();
    let left: Vec<&Value> = left.as_array().unwrap().iter().map(|run| &run["run"]).collect();
    assert_eq!(left, [&broken["run"], &json!(ids[2])]);
    let _ = flow(&sandbox, &["show", &ids[0]]).exits(2).says("unknown flow run");
    let _ = flow(&sandbox, &["prune", "--older-than", "3 weeks"]).exits(2).says("30d");
}
