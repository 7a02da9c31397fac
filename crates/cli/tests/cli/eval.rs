//! `contexture eval`: cases asked of models within limits, taken up after a stop, and compared (EV-3,
//! EV-4, EV-6).

use crate::support::Sandbox;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const PROGRAM: &str = "\
main func(input { q string }) {
  use input.q as question
  generate({ input: \"Answer.\", max_output: 50 }) -> { answer string }
}
";

fn sandbox(cases: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("ask.as", PROGRAM);
    let mut tests = String::from("program: ask.as\ncases:\n");
    for name in cases {
        tests.push_str(&format!(
            "  - name: {name}\n    input: {{q: {name}}}\n    answers: [unused]\n    expect: [equals: {{answer: one}}]\n"
        ));
    }
    sandbox.write("ask.test.yaml", tests);
    sandbox
}

fn says(sandbox: &Sandbox, answer: &str) {
    let line = json!({ "repeat": true, "json": { "answer": answer } });
    sandbox.write("answers.jsonl", format!("{line}\n"));
}

const EVAL: [&str; 4] = ["eval", "ask.test.yaml", "--mock=answers.jsonl", "--json"];

fn outcomes(found: &Value) -> Vec<&str> {
    let cases = found["suites"][0]["cases"].as_array().unwrap();
    cases.iter().map(|case| case["outcome"].as_str().unwrap()).collect()
}

fn count(found: &Value, outcome: &str) -> usize {
    outcomes(found).iter().filter(|word| **word == outcome).count()
}

/// Returns the number of cases whose values are those of an earlier eval.
fn earlier(found: &Value) -> usize {
    let cases = found["suites"][0]["cases"].as_array().unwrap();
    cases.iter().filter(|case| case["earlier"] == true).count()
}

/// Returns the cases that passed, with the tokens that they took.
fn passed(found: &Value) -> Vec<(&str, u64)> {
    let cases = found["suites"][0]["cases"].as_array().unwrap();
    let passed = cases.iter().filter(|case| case["outcome"] == "passed");
    passed.map(|case| (case["name"].as_str().unwrap(), case["tokens"].as_u64().unwrap())).collect()
}

#[test]
fn ev_4_limit_stops_cleanly_and_eval_goes_on_without_asking_twice() {
    let sandbox = sandbox(&["a", "b", "c", "d", "e"]);
    says(&sandbox, "one");
    let found = sandbox.run([&EVAL[..], &["--max-calls", "2"]].concat()).exits(3).json();
    assert_eq!((&found["estimate"]["cells"], &found["estimate"]["calls"]), (&json!(5), &json!(5)));
    assert_eq!(found["stopped"], "max_calls");
    assert_eq!((count(&found, "passed"), count(&found, "skipped")), (2, 3), "{found}");
    // Which of the first four get the two calls is not settled: they run at the same time.
    let first = passed(&found);
    // Whoever is asked from now on says something else, and what is judged again needs no record.
    says(&sandbox, "two");
    std::fs::remove_dir_all(sandbox.path(".contexture/runs")).unwrap();
    let found = sandbox.run(EVAL).exits(1).json();
    assert_eq!((count(&found, "passed"), count(&found, "failed")), (2, 3), "{found}");
    assert_eq!(passed(&found), first, "{found}");
    assert_eq!(earlier(&found), 2, "{found}");
    assert!(first.iter().all(|(_, tokens)| *tokens > 0), "{first:?}");
    assert_eq!(found["stopped"], Value::Null);
    let anew = sandbox.run(EVAL).exits(1).json();
    assert_eq!(count(&anew, "failed"), 5, "an eval that has ended is asked anew: {anew}");
    assert_eq!(earlier(&anew), 0, "{anew}");
}

#[test]
fn ev_4_limits_of_zero_ask_nothing() {
    let sandbox = sandbox(&["a", "b"]);
    says(&sandbox, "one");
    for limit in [["--max-calls", "0"], ["--max-tokens", "1"], ["--max-seconds", "0"]] {
        let found = sandbox.run([&EVAL[..], &limit[..]].concat()).exits(3).json();
        assert_eq!(count(&found, "skipped"), 2, "{limit:?} {found}");
    }
}

#[test]
fn ev_4_model_that_cannot_be_asked_is_refused_before_a_case_runs() {
    let sandbox = sandbox(&["a"]);
    says(&sandbox, "one");
    let refused = |arguments: &[&str]| {
        let refused = sandbox.run([&EVAL[..], arguments].concat()).exits(2).json();
        assert_eq!(refused["error"]["help"], "did you mean `openai://x`?", "{refused}");
        refused["error"]["message"].as_str().unwrap().to_owned()
    };
    let message = "`opnai://x` names no kind of model: unknown scheme `opnai`";
    assert_eq!(refused(&["--model", "opnai://x"]), message);
    let tests = std::fs::read_to_string(sandbox.path("ask.test.yaml")).unwrap();
    let variant =
        tests.replace("    expect", "    variants: [{name: v, model: \"opnai://x\"}]\n    expect");
    sandbox.write("ask.test.yaml", variant);
    assert_eq!(refused(&[]), format!("ask.test.yaml, a: {message}"));
    assert!(!sandbox.path(".contexture/runs").exists());
}

#[test]
fn ev_3_killed_eval_goes_on_where_it_was() {
    let sandbox = sandbox(&["fast", "quick", "slow"]);
    let slow = json!({ "when": "slow", "delay_ms": 600_000, "json": { "answer": "one" } });
    let rest = json!({ "repeat": true, "json": { "answer": "one" } });
    sandbox.write("answers.jsonl", format!("{slow}\n{rest}\n"));
    let mut run = sandbox.contexture(EVAL).spawn().unwrap();
    let began = Instant::now();
    let done = || {
        let list = sandbox.run(["runs", "list", "--json"]).exits(0).stdout;
        list.matches("\"done\"").count()
    };
    while done() < 2 {
        assert!(began.elapsed() < Duration::from_secs(60), "two cases do not end");
        std::thread::sleep(Duration::from_millis(50));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    says(&sandbox, "two");
    let found = sandbox.run(EVAL).exits(1).json();
    assert_eq!(outcomes(&found), ["passed", "passed", "failed"], "{found}");
    let tokens = |at: usize| found["suites"][0]["cases"][at]["tokens"].as_u64().unwrap();
    assert!(tokens(0) > 0 && tokens(1) > 0, "{found}");
    assert_eq!(
        sandbox.run(["runs", "list", "--json"]).exits(0).stdout.matches("\"done\"").count(),
        0
    );
}

#[test]
fn ev_3_changed_file_of_program_makes_cells_new() {
    let sandbox = sandbox(&["a", "b", "c"]);
    sandbox.write("facts.md", "Red.");
    let uses = PROGRAM.replace("use input.q", "use Facts\n  use input.q");
    sandbox.write("ask.as", format!("import file Facts from \"facts.md\"\n{uses}"));
    says(&sandbox, "one");
    let found = sandbox.run([&EVAL[..], &["--max-calls", "1"]].concat()).exits(3).json();
    assert_eq!(count(&found, "passed"), 1, "{found}");
    says(&sandbox, "two");
    sandbox.write("facts.md", "Blue.");
    let found = sandbox.run([&EVAL[..], &["--max-calls", "2"]].concat()).exits(3).json();
    assert_eq!((count(&found, "passed"), count(&found, "failed")), (0, 2), "{found}");
    sandbox.write("facts.md", "Red.");
    let found = sandbox.run(EVAL).exits(1).json();
    assert_eq!(count(&found, "passed"), 1, "what was asked of the first text: {found}");
}

#[test]
fn ev_3_repeat_gives_as_many_answers() {
    let sandbox = sandbox(&["a", "b"]);
    says(&sandbox, "one");
    let found = sandbox.run([&EVAL[..], &["--repeat", "3"]].concat()).exits(0).json();
    assert_eq!(outcomes(&found), ["passed"; 6]);
    let cases = found["suites"][0]["cases"].as_array().unwrap();
    assert!(cases[0]["run"] != cases[1]["run"], "each is a run of its own");
}

#[test]
fn ev_6_two_evals_are_compared() {
    let sandbox = sandbox(&["a", "b", "c", "d", "e", "f"]);
    says(&sandbox, "one");
    sandbox.write("good.json", sandbox.run(EVAL).exits(0).stdout);
    says(&sandbox, "two");
    sandbox.write("bad.json", sandbox.run(EVAL).exits(1).stdout);
    let compare = |arguments: &[&str], code| {
        sandbox.run([&["eval", "compare"], arguments].concat()).exits(code)
    };
    let found = compare(&["bad.json", "good.json", "--json"], 0).json();
    assert_eq!(
        (&found["better"], &found["worse"], &found["same"]),
        (&json!(6), &json!(0), &json!(0))
    );
    assert_eq!((&found["verdict"], &found["p"]), (&json!("better"), &json!(0.03125)));
    let same = compare(&["good.json", "good.json", "--json", "--fail-on-worse"], 0).json();
    assert_eq!((&same["verdict"], &same["same"]), (&json!("not told apart"), &json!(6)));
    let worse = compare(&["good.json", "bad.json", "--fail-on-worse"], 1);
    assert!(worse.stdout.ends_with("\nworse\n"), "{}", worse.stdout);
    let nothing = json!({ "suites": [], "passed": 0, "failed": 0, "skipped": 0 });
    sandbox.write("none.json", nothing.to_string());
    let gate = compare(&["good.json", "none.json", "--fail-on-worse"], 1);
    assert!(gate.stderr.contains("no case ran in both"), "{}", gate.stderr);
    sandbox.write("other.json", "{}");
    let refused = compare(&["good.json", "other.json", "--json"], 2).json();
    assert_eq!(refused["error"]["code"], "not_a_report");
}

#[test]
fn ev_7_recorded_run_becomes_case_that_passes() {
    let sandbox = sandbox(&["a"]);
    says(&sandbox, "one");
    let run = ["run", "ask.as", "--input", "{\"q\":\"你好\"}", "--mock=answers.jsonl", "--quiet"];
    let _ = sandbox.run(run).exits(0);
    let recorded = sandbox.run(["eval", "record", "latest"]).exits(0).stdout;
    let case: Value = serde_json::from_str(&recorded).unwrap();
    assert_eq!(case["input"], json!({ "q": "你好" }));
    assert_eq!(case["expect"], json!([{ "equals": { "answer": "one" } }]));
    sandbox
        .write("cases.jsonl", recorded)
        .write("ask.test.yaml", "program: ask.as\ncases: cases.jsonl\n");
    let found = sandbox.run(["test", "--json"]).exits(0).json();
    assert_eq!(found["passed"], 1, "{found}");
}

#[test]
fn ev_3_judge_counts_and_is_asked_once_by_eval_that_goes_on() {
    let sandbox = sandbox(&["a", "b", "c", "d"]);
    let judge = "\
agent Judge {
  func score(value, input) {
    r = generate({ input: \"Is it good?\", max_output: 20 }) -> { score number }
    r.score
  }
}
";
    let good = json!({ "when": "Is it good?", "repeat": true, "json": { "score": 1 } });
    let one = json!({ "repeat": true, "json": { "answer": "one" } });
    let wish =
        "scorer: {program: judge.as, agent: Judge.score, model: \"openai://gpt-5\", at_least: 1}";
    let tests = sandbox.read("ask.test.yaml").replace("equals: {answer: one}", wish);
    sandbox
        .write("judge.as", judge)
        .write("ask.test.yaml", tests)
        .write("answers.jsonl", format!("{good}\n{one}\n"));
    let found = sandbox.run([&EVAL[..], &["--max-calls", "6"]].concat()).exits(3).json();
    assert_eq!(found["estimate"]["calls"], 8, "{found}");
    assert_eq!(
        count(&found, "error") + count(&found, "failed"),
        0,
        "a limit is not a fault: {found}"
    );
    let found = sandbox.run(EVAL).exits(0).json();
    assert_eq!(outcomes(&found), ["passed"; 4], "{found}");
    let list = sandbox.run(["trace", "list", "--json", "--limit", "200"]).exits(0).json();
    let asked = |program: &str| {
        let runs = list["runs"].as_array().unwrap().iter();
        runs.filter(|run| run["program"] == program && run["outcome"] == "done").count()
    };
    assert_eq!((asked("ask.as"), asked("judge.as")), (4, 4), "{list}");
}
