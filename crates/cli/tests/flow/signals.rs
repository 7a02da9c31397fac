//! Ctrl-C and the live table.

use crate::flow;
use crate::kept::{awaited, begun, slow};
use crate::support::Sandbox;
use rexpect::process::WaitStatus;
use rexpect::session::{PtySession, spawn_command};
use serde_json::json;
use std::process::{Command, Stdio};

/// How long a text is waited for, in milliseconds: far more than it takes.
const PATIENCE: u64 = 30_000;

fn spawn(sandbox: &Sandbox, arguments: &[&str]) -> PtySession {
    let mut command = sandbox.contexture(arguments);
    command.env("TERM", "xterm-256color").env("NO_COLOR", "1");
    command.stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
    spawn_command(command, Some(PATIENCE)).unwrap()
}

fn signal(name: &str, process: u32) {
    assert!(Command::new("kill").args([name, &process.to_string()]).status().unwrap().success());
}

#[test]
fn fl_11_ctrl_c_cancels_run_exits_130_and_stores_it() {
    let sandbox = Sandbox::new();
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let (mut other, run) = begun(&sandbox, &slow(), &["--json"]);
        signal(name, other.0.id());
        let stdout = std::io::read_to_string(other.0.stdout.take().unwrap()).unwrap();
        assert_eq!(other.0.wait().unwrap().code(), Some(code));
        let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        let of = |id: &str| report["results"][id].clone();
        assert_eq!(report["status"], "FAILED");
        assert_eq!(of("first")["status"], "COMPLETED");
        assert_eq!(
            (&of("long")["status"], &of("long")["error"]["code"]),
            (&json!("FAILED"), &json!("CANCELLED"))
        );
        assert_eq!(
            (&of("last")["status"], &of("last")["reason"]["code"]),
            (&json!("SKIPPED"), &json!("CANCELLED"))
        );
        let kept = awaited(&sandbox, |_| true);
        assert_eq!((&kept["run"], &kept["status"]), (&run["run"], &json!("FAILED")));
    }
}

#[test]
fn fl_12_terminal_shows_and_erases_live_table() {
    let sandbox = Sandbox::new();
    let mut set = slow();
    set["instructions"][1]["parameters"]["ms"] = json!(1_500);
    sandbox.write("slow.json", set.to_string());
    let mut session = spawn(&sandbox, &["flow", "run", "slow.json"]);
    // What comes over the terminal is read as ASCII, so that the bars are no text.
    session.exp_string("1 of 3 steps").unwrap();
    session.exp_string("1 running").unwrap();
    session.exp_string("first  echo").unwrap();
    session.exp_string("long   sleep").unwrap();
    let rest = session.exp_eof().unwrap();
    let (_, end) = rest.rsplit_once("\u{1b}[J").unwrap();
    assert!(end.contains("first  echo") && end.contains("{\"ms\":1500}"), "{end}");
    assert!(end.contains("3 completed") && !end.contains("running"), "{end}");
    assert!(matches!(session.process().wait().unwrap(), WaitStatus::Exited(_, 0)));
}

#[test]
fn fl_12_ctrl_c_on_terminal_cancels_and_quiet_draws_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("slow.json", slow().to_string());
    let mut session = spawn(&sandbox, &["flow", "run", "slow.json"]);
    session.exp_string("long   sleep").unwrap();
    session.send_control('c').unwrap();
    let rest = session.exp_eof().unwrap();
    assert!(rest.contains("error: `long` failed: the run was cancelled [CANCELLED]"), "{rest}");
    assert!(matches!(session.process().wait().unwrap(), WaitStatus::Exited(_, 130)));
    sandbox.write(
        "fast.json",
        json!({"instructions": [
        {"instructionId": "a", "action": "sleep", "parameters": {"ms": 700}}]})
        .to_string(),
    );
    let mut session = spawn(&sandbox, &["flow", "run", "fast.json", "--quiet", "--json"]);
    let all = session.exp_eof().unwrap();
    assert!(all.starts_with('{') && !all.contains('\u{1b}'), "{all:?}");
    let _ = flow(&sandbox, &["list"]).exits(0);
}
