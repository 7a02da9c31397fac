//! GU-7: plans over the real binary: shown, recorded, replayed, tried without effects.

use crate::support::Sandbox;
use serde_json::json;

const RUN: [&str; 3] = ["run", "examples/plan/ticket.as", "--mock=examples/plan/answers.jsonl"];

#[test]
fn gu_7_example_files_letter_and_nothing_that_letter_wants() {
    let sandbox = Sandbox::with_examples();
    let done = sandbox.run(RUN).exits(0);
    assert!(
        done.stderr.contains("plan of examples/plan/ticket.as:10:1\nread  read_text\n"),
        "{}",
        done.stderr
    );
    assert!(done.stderr.contains(" · 2 model calls"), "{}", done.stderr);
    assert!(sandbox.read("tickets.md").starts_with("- refund: order 4711"));
    assert!(!sandbox.path(".profile").exists());
    let shown = sandbox.run(["trace", "show"]).exits(0).stdout;
    for line in [
        "[letter] letter · 0 of ",
        "left out by the plan: it is data",
        "✓ read read_text {\"text\":\"${results.letter.result}\"",
        "✓ file File.write {\"path\":\"tickets.md\"",
        "generate 2 examples/plan/ticket.as:10:1",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let planner = sandbox.run(["trace", "prompt", "latest", "1"]).exits(0).stdout;
    assert!(planner.contains("- letter") && !planner.contains("kettle"), "{planner}");
    let reader = sandbox.run(["trace", "prompt", "latest", "2"]).exits(0).stdout;
    assert!(reader.contains("<untrusted_data trust=\"tool\">\nHello,"), "{reader}");
    let why = sandbox.run(["trace", "why"]).exits(0).stdout;
    assert!(why.contains("file.write (write): allowed by the policy"), "{why}");
}

#[test]
fn gu_7_recorded_plan_replays() {
    let sandbox = Sandbox::with_examples();
    let recorded = RUN.into_iter().chain(["--quiet", "--record", "plan.jsonl"]);
    let first = sandbox.run(recorded).exits(0).stdout;
    std::fs::remove_file(sandbox.path("tickets.md")).unwrap();
    let replay = ["run", "examples/plan/ticket.as", "--quiet", "--replay", "plan.jsonl"];
    assert_eq!(sandbox.run(replay).exits(0).stdout, first);
    assert!(sandbox.read("tickets.md").starts_with("- refund: order 4711"));
}

#[test]
fn gu_7_check_and_dry_run_tell_of_plan() {
    let sandbox = Sandbox::with_examples();
    let program = "examples/plan/ticket.as";
    let report = sandbox.run(["check", program, "--json"]).exits(0).json();
    let write = json!({ "tool": "File", "method": "write", "class": "write" });
    assert_eq!(report["generates"][0]["can"], json!([write]));
    assert_eq!(report["generates"][0]["plan"], true);
    let told = sandbox.run(["check", program, "--effects"]).exits(0).stdout;
    assert!(told.contains("its plan may write with File.write"), "{told}");
    let dry = sandbox.run(["run", program, "--dry-run"]).exits(0).stdout;
    assert!(dry.contains("- File.write: ") && !dry.contains("kettle"), "{dry}");
    assert!(!sandbox.path("tickets.md").exists());
}
