use crate::support::Sandbox;
use crate::{flow, found};
use serde_json::json;

#[test]
fn fl_7_report_has_status_outcomes_and_order() {
    let sandbox = Sandbox::with_examples();
    let done = flow(&sandbox, &["run", "examples/flows/hello.json", "--json"]).exits(0);
    let report = done.json();
    assert_eq!(report["status"], "COMPLETED");
    assert_eq!(report["order"], json!(["ask", "tell"]));
    let ask = &report["results"]["ask"];
    assert_eq!((&ask["instructionId"], &ask["status"]), (&json!("ask"), &json!("COMPLETED")));
    assert_eq!(ask["result"], json!({"value": 14}));
    assert!(ask["executionTime"].is_number(), "{ask}");
    assert_eq!(report["results"]["tell"]["result"], json!({"text": "it is 14"}));
    assert!(report["run"].as_str().unwrap().starts_with("flow_"), "{report}");
    assert_eq!(done.stderr, "");
    assert_eq!(done.stdout.lines().count(), 1);
}

#[test]
fn fl_7_failures_recoveries_and_skips_are_outcomes_and_exit_1() {
    let sandbox = Sandbox::with_examples();
    let done = flow(&sandbox, &["run", "examples/flows/recover.json", "--json"]).exits(1);
    let report = done.json();
    let of = |id: &str| report["results"][id].clone();
    assert_eq!(report["status"], "FAILED");
    assert_eq!(
        (&of("live")["status"], &of("live")["result"]["temperature"]),
        (&json!("COMPLETED"), &json!(5))
    );
    assert_eq!(of("report")["result"], json!({"temperature": 5}));
    assert_eq!(
        (&of("upload")["status"], &of("upload")["error"]["code"]),
        (&json!("FAILED"), &json!("CALC_ERROR"))
    );
    assert_eq!(
        (&of("confirm")["status"], &of("confirm")["reason"]["code"]),
        (&json!("SKIPPED"), &json!("DEPENDENCY_FAILED"))
    );
    assert_eq!(of("explain")["result"], json!({"text": "not uploaded: CALC_ERROR"}));
    assert_eq!(report["order"], json!(["live", "report", "upload", "explain"]));
}

#[test]
fn fl_12_terminal_shows_table_errors_with_help_and_summary() {
    let sandbox = Sandbox::with_examples();
    let done = flow(&sandbox, &["run", "examples/flows/recover.json"]).exits(1);
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert_eq!(lines.len(), 5, "{}", done.stdout);
    for (line, (begins, part)) in lines.iter().zip([
        ("✓ live     fail", "{\"temperature\":5,"),
        ("✓ report   echo", "{\"temperature\":5}"),
        ("✗ upload   calculator", "CALC_ERROR: "),
        ("– confirm  echo", "DEPENDENCY_FAILED: "),
        ("✓ explain  echo", "{\"text\":\"not uploaded: CALC_ERROR\"}"),
    ]) {
        assert!(line.starts_with(begins) && line.contains(part), "{line}");
        assert!(line.chars().count() <= 120, "{line}");
    }
    assert!(done.stderr.contains("✗ upload  calculator  FAILED"), "{}", done.stderr);
    assert!(done.stderr.contains("error: `upload` failed: "), "{}", done.stderr);
    assert!(done.stderr.contains("  help: "), "{}", done.stderr);
    assert!(
        done.stderr.contains("FAILED · 3 completed · 1 failed · 1 skipped · "),
        "{}",
        done.stderr
    );
    let quiet = flow(&sandbox, &["run", "examples/flows/hello.json", "--quiet"]).exits(0);
    assert_eq!((quiet.stdout.lines().count(), quiet.stderr.as_str()), (2, ""));
}

#[test]
fn fl_2_slow_set_is_timeout_and_keeps_outcomes() {
    let sandbox = Sandbox::new();
    let set = json!({"executionMode": "PARALLEL", "instructions": [
        {"instructionId": "a", "action": "echo", "parameters": {"n": 1}},
        {"instructionId": "b", "action": "sleep", "parameters": {"ms": 60_000}, "dependencies": ["a"]},
        {"instructionId": "c", "action": "echo", "dependencies": ["b"]},
    ]});
    let mut own = set.clone();
    own["timeout"] = json!(0.3);
    for (set, arguments) in [(own, vec![]), (set, vec!["--timeout", "0.3"])] {
        let arguments = [&["flow", "run", "-", "--json"], &arguments[..]].concat();
        let report = sandbox.run_with(arguments, set.to_string()).exits(1).json();
        let of = |id: &str| report["results"][id]["status"].clone();
        assert_eq!(report["status"], "TIMEOUT");
        assert_eq!([of("a"), of("b"), of("c")], ["COMPLETED", "TIMEOUT", "SKIPPED"]);
        assert_eq!(report["results"]["c"]["reason"]["code"], "SET_TIMEOUT");
    }
    let _ = flow(&sandbox, &["run", "x.json", "--timeout", "0"])
        .exits(2)
        .says("a positive number of seconds");
}

#[test]
fn fl_6_set_with_errors_prints_diagnostics_and_runs_nothing() {
    let sandbox = Sandbox::new();
    let set = json!({"instructions": [
        {"instructionId": "w", "action": "echo"},
        {"instructionId": "a", "action": "nothing_like_it", "dependencies": ["gone"]},
    ]});
    sandbox.write("set.json", set.to_string());
    let done = flow(&sandbox, &["run", "set.json", "--json"]).exits(2);
    let mut all = found(&done);
    all.sort();
    let wanted = [
        ("UNKNOWN_ACTION", "/instructions/1/action"),
        ("UNKNOWN_ID", "/instructions/1/dependencies/0"),
    ];
    assert_eq!(all, wanted.map(|(code, path)| (code.to_owned(), path.to_owned())));
    assert_eq!(done.json().as_object().unwrap().len(), 1);
    let done = flow(&sandbox, &["run", "set.json"]).exits(2);
    assert_eq!(done.stdout, "");
    assert!(
        done.stderr.contains("FLOW1009") && done.stderr.contains("2 errors"),
        "{}",
        done.stderr
    );
    // Nothing of it is kept.
    assert_eq!(flow(&sandbox, &["list", "--json"]).exits(0).json(), json!({"runs": []}));
}

#[test]
fn fl_5_program_returns_set_to_run() {
    let sandbox = Sandbox::with_examples();
    let arguments =
        ["run", "examples/flows/plan.as", "--input", r#"{"numbers":[3,4,5]}"#, "--json"];
    let report = flow(&sandbox, &arguments).exits(0).json();
    assert_eq!(report["results"]["total"]["result"], json!({"value": 50}));
    sandbox.write(
        "two.as",
        r#"
        main agent Maker { main func(input) { "no set" } }
        agent Planner {
          main func(input) { { instructions: [{ instructionId: "a", action: "echo" }] } }
          func calls(input) { { calls: [{ callId: "c", name: "echo", parameters: {} }] } }
          func broken(input) { x = 1 / 0 }
        }
        "#,
    );
    let order = |agent: &str| {
        flow(&sandbox, &["run", "two.as", "--agent", agent, "--json"]).exits(0).json()["order"]
            .clone()
    };
    assert_eq!(order("Planner"), json!(["a"]));
    assert_eq!(order("Planner.calls"), json!(["c"]));
    // What is no set, what fails, and what is not there.
    let done = flow(&sandbox, &["run", "two.as", "--json"]).exits(2);
    assert_eq!(done.json()["diagnostics"][0]["severity"], "error", "{}", done.stdout);
    let _ = flow(&sandbox, &["run", "two.as", "--agent", "Planner.broken"]).exits(1).says("zero");
    let _ = flow(&sandbox, &["run", "two.as", "--agent", "Plannr"]).exits(2).says("Planner");
    let _ = flow(&sandbox, &["run", "examples/flows/hello.json", "--input", "{}"])
        .exits(2)
        .says("--input applies to programs");
    sandbox.write("bad.as", "main func(input) { nothing }");
    let done = flow(&sandbox, &["run", "bad.as", "--json"]).exits(2).json();
    assert_eq!(done["diagnostics"][0]["code"], "AS2001", "{done}");
}

#[test]
fn fl_3_set_calls_agents_of_programs() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "app/greet.as",
        "main agent Greeter { main func(input { name string }) { { text: \"Hello \" + input.name } } }",
    );
    let set = json!({"instructions": [
        {"instructionId": "a", "action": "agent:Greeter", "parameters": {"name": "Ada"}},
    ]});
    sandbox.write("set.json", set.to_string());
    let _ = flow(&sandbox, &["check", "set.json"]).exits(2);
    let _ = flow(&sandbox, &["check", "set.json", "--program", "app/greet.as"]).exits(0);
    let report =
        flow(&sandbox, &["run", "set.json", "--program", "app/greet.as", "--json"]).exits(0).json();
    assert_eq!(report["results"]["a"]["result"], json!({"text": "Hello Ada"}));
    assert_eq!(report["traces"][0]["step"], "a");
}

#[test]
fn fl_10_many_steps_are_counted_not_listed() {
    let sandbox = Sandbox::new();
    let steps: Vec<_> = (0..2_000)
        .map(
            |n| json!({"instructionId": format!("s{n}"), "action": "echo", "parameters": {"n": n}}),
        )
        .collect();
    sandbox
        .write("set.json", json!({"executionMode": "PARALLEL", "instructions": steps}).to_string());
    let done = flow(&sandbox, &["run", "set.json", "--no-keep"]).exits(0);
    assert_eq!(done.stdout, "… 2,000 steps more; --json has all\n");
    assert!(done.stderr.contains("1,000 of 2,000 steps\n"), "{}", done.stderr);
    assert!(done.stderr.contains("COMPLETED · 2,000 completed · "), "{}", done.stderr);
    assert!(done.stderr.lines().count() <= 21, "{}", done.stderr);
}

#[test]
fn fl_12_misspelt_option_or_command_gets_suggestion() {
    let sandbox = Sandbox::new();
    let _ = flow(&sandbox, &["runn", "x.json"]).exits(2).says("'run'");
    let _ = flow(&sandbox, &["run", "x.json", "--concurency", "3"]).exits(2).says("--concurrency");
    let _ = flow(&sandbox, &[]).exits(2).says("Usage: contexture flow");
}

#[test]
fn fl_2_program_without_set_in_time_is_stopped() {
    let sandbox = Sandbox::new();
    let endless = "main func(input) { n = 0 loop until n < 0 max 1000000000 { n = n + 1 } n }";
    sandbox.write("endless.as", endless);
    let told = flow(&sandbox, &["run", "endless.as", "--timeout", "0.3", "--json"]).exits(1);
    assert_eq!(told.json()["error"]["code"], "flow_program_late");
    // In time it makes no difference.
    let plan =
        "main func(input) { { instructions: [{ instructionId: \"a\", action: \"echo\" }] } }";
    sandbox.write("plan.as", plan);
    let told = flow(&sandbox, &["run", "plan.as", "--timeout", "30", "--json"]).exits(0);
    assert_eq!(told.json()["status"], "COMPLETED");
}

#[test]
fn ca_5_limit_is_one_account_for_the_program_and_all_steps_of_its_set() {
    let sandbox = Sandbox::new();
    let ask = "generate({ input: \"Go.\", max_input: 1000, max_output: 50 })";
    sandbox.write("app.as", format!("main agent Asker {{ main func(input) {{ {ask} }} }}"));
    let set = json!({"executionMode": "SEQUENTIAL", "instructions": [
        {"instructionId": "a", "action": "agent:Asker", "parameters": {}},
        {"instructionId": "b", "action": "agent:Asker", "parameters": {}},
    ]});
    sandbox.write("set.json", set.to_string());
    let run = |options: &[&str], code| {
        let all = ["run", "set.json", "--program", "app.as", "--mock", "--json"];
        flow(&sandbox, &[&all, options].concat()).exits(code).json()
    };
    assert_eq!(run(&["--max-tokens", "2.2k"], 0)["status"], "COMPLETED");
    let report = run(&["--max-tokens", "1050"], 1);
    let of = |id: &str| report["results"][id].clone();
    assert_eq!(of("a")["status"], "COMPLETED", "{report}");
    let error = of("b")["error"].to_string();
    assert!(error.contains("COST_LIMIT") && error.contains("the limit of 1050"), "{error}");
    let made = format!("main func() {{\n  x = {ask}\n  {set}\n}}");
    sandbox.write("made.as", made);
    let done = flow(
        &sandbox,
        &["run", "made.as", "--program", "app.as", "--mock", "--json", "--max-tokens", "1050"],
    );
    let report = done.exits(1).json();
    assert!(report["results"]["a"]["error"].to_string().contains("COST_LIMIT"), "{report}");
    let unpriced = run(&["--max-cost", "1", "--model", "ollama://none"], 1);
    assert!(unpriced["results"]["a"]["error"].to_string().contains("price"), "{unpriced}");
}
