use crate::flow;
use crate::support::Sandbox;

const FILE: &str = "examples/flows/branches.json";

#[test]
fn fl_13_plan_is_tree_with_actions_and_conditions() {
    let sandbox = Sandbox::with_examples();
    let text = flow(&sandbox, &["graph", FILE]).exits(0).stdout;
    assert!(text.starts_with("north  calculator\n"), "{text}");
    assert!(text.contains("└─ warn  echo  if dependencies.total.result.value < 600"), "{text}");
    for (format, begins) in [("mermaid", "flowchart "), ("dot", "digraph "), ("svg", "<svg ")] {
        let picture = flow(&sandbox, &["graph", FILE, "--format", format]).exits(0).stdout;
        assert!(picture.starts_with(begins), "{format}: {picture}");
        for id in ["north", "south", "settle", "total", "praise", "warn"] {
            assert!(picture.contains(id), "{format}: no {id}");
        }
    }
    let _ = flow(&sandbox, &["graph", FILE, "--format", "sgv"]).exits(2).says("svg");
}

#[test]
fn fl_13_picture_of_run_shows_statuses_times_and_critical_path() {
    let sandbox = Sandbox::with_examples();
    let report = flow(&sandbox, &["run", FILE, "--json"]).exits(0);
    sandbox.write("report.json", &report.stdout);
    let run = report.json()["run"].as_str().unwrap().to_owned();
    let of_report = flow(&sandbox, &["graph", FILE, "--report", "report.json"]).exits(0).stdout;
    for part in
        ["✓ north  calculator  COMPLETED ", "– warn  echo  SKIPPED", "settle  sleep  COMPLETED "]
    {
        assert!(of_report.contains(part), "no `{part}` in {of_report}");
    }
    let critical: Vec<&str> =
        of_report.lines().filter(|line| line.contains("(critical)")).collect();
    for (line, id) in critical.iter().zip(["south", "settle", "total", "praise"]) {
        assert!(line.contains(id), "{of_report}");
    }
    assert_eq!(critical.len(), 4, "{of_report}");
    // The kept run knows its set.
    for arguments in [vec!["graph", FILE, "--run", &run], vec!["graph", "--run", "latest"]] {
        assert_eq!(flow(&sandbox, &arguments).exits(0).stdout, of_report, "{arguments:?}");
    }
    let svg = flow(&sandbox, &["graph", "--run", &run, "--format", "svg"]).exits(0).stdout;
    assert!(svg.contains("COMPLETED") && svg.contains("#0969da"), "{svg}");
}

#[test]
fn fl_13_picture_replaces_file_only_with_force() {
    let sandbox = Sandbox::with_examples();
    let to_file = ["graph", FILE, "--format", "svg", "--output", "out.svg"];
    let done = flow(&sandbox, &to_file).exits(0);
    assert_eq!(done.stdout, "");
    assert!(sandbox.read("out.svg").starts_with("<svg "));
    let _ = flow(&sandbox, &to_file).exits(2).says("already exists");
    let _ = flow(&sandbox, &[&to_file[..], &["--force"]].concat()).exits(0);
    let _ = flow(&sandbox, &["graph", FILE, "--output", "no/such/out.txt"]).exits(1);
    let names = std::fs::read_dir(sandbox.path("")).unwrap().map(|one| one.unwrap().file_name());
    assert!(!names.into_iter().any(|name| name.to_str().unwrap().ends_with(".part")));
}

#[test]
fn fl_13_invalid_set_or_report_is_refused() {
    let sandbox = Sandbox::with_examples();
    sandbox.write("other.json", r#"{"results":{"z":{"status":"COMPLETED"}}}"#);
    sandbox.write("none.json", "{}");
    let _ = flow(&sandbox, &["graph", FILE, "--report", "other.json"])
        .exits(2)
        .says("no outcome for any id of");
    let _ = flow(&sandbox, &["graph", FILE, "--report", "none.json"]).exits(2).says("no `results`");
    let _ = flow(&sandbox, &["graph", "none.json"]).exits(2).says("FLOW1001");
    let _ = flow(&sandbox, &["graph"]).exits(2).says("give a FILE, `-` for stdin, or --run RUN");
    let _ = flow(&sandbox, &["graph", "-", "--report", "-"]).exits(2).says("stdin");
    let _ = flow(&sandbox, &["graph", "--run", "nothing"]).exits(2).says("unknown flow run");
    // A faulty set can be drawn, too.
    let cyclic = r#"{"instructions":[{"instructionId":"a","action":"x","dependencies":["b"]},
        {"instructionId":"b","action":"x","dependencies":["a"]}]}"#;
    let done = sandbox.run_with(["flow", "graph", "-"], cyclic).exits(0);
    assert!(done.stdout.contains("in or after a cycle"), "{}", done.stdout);
}
