//! `contexture optimize`: choices of programs, listed, tried and marked (AS-33, EV-9, EV-12).

use crate::support::Sandbox;
use serde_json::{Value, json};

const PROGRAM: &str = "\
import file Short from \"short.txt\"
import file Long from \"long.txt\"

main func(input { q string }) {
  use one of {
    short: Short max 40 selected // the first try
    none: empty
    long:  Long max 2k
    again: Short max 10
  } as facts
  use input.q as question
  generate({ input: \"Answer.\", max_output: 50 }) -> { answer string }
}
";

fn sandbox(cases: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .write("ask.as", PROGRAM)
        .write("short.txt", "Nothing.")
        .write("long.txt", "The key is 7.");
    let line = |n: usize| {
        let expect = json!([{ "equals": { "answer": "seven" } }]);
        format!(
            "{}\n",
            json!({ "name": format!("case {n}"), "input": { "q": "?" }, "expect": expect })
        )
    };
    sandbox.write("cases.jsonl", (0..cases).map(line).collect::<String>());
    // A model that knows what it is shown.
    let knows = json!({ "when": "The key is 7.", "repeat": true, "json": { "answer": "seven" } });
    let else_ = json!({ "repeat": true, "json": { "answer": "unknown" } });
    sandbox.write("answers.jsonl", format!("{knows}\n{else_}\n"));
    sandbox
}

fn trial(sandbox: &Sandbox, more: &[&str]) -> Value {
    let all =
        ["optimize", "trial", "ask.as", "--cases", "cases.jsonl", "--mock=answers.jsonl", "--json"];
    sandbox.run([&all[..], more].concat()).exits(0).json()
}

#[test]
fn ev_12_right_candidate_is_found_within_40_calls_and_source_stays() {
    let sandbox = sandbox(20);
    let found = trial(&sandbox, &["--max-calls", "40", "--max-trials", "8"]);
    assert_eq!(found["best"], json!({ "facts": "long" }), "{found}");
    assert_eq!(
        (&found["gain"], &found["held_out"], &found["trials"]),
        (&json!(1.0), &json!(10), &json!(3))
    );
    assert!(found["calls"].as_u64().unwrap() <= 40, "{found}");
    assert!(found["interval"][0].as_f64().unwrap() > 0.0, "{found}");
    assert_eq!(sandbox.read("ask.as"), PROGRAM);
    let special = ["optimize", "specialize", "ask.as", "--select", "facts=long"];
    let done = sandbox.run(special).exits(0);
    let expected =
        PROGRAM.replace("max 40 selected //", "max 40 //").replace("max 2k", "max 2k selected");
    assert_eq!(done.stdout, expected);
}

#[test]
fn ev_12_program_without_gain_stays_unchanged() {
    let sandbox = sandbox(20);
    sandbox.write("answers.jsonl", "{\"repeat\": true, \"json\": {\"answer\": \"seven\"}}\n");
    let found = trial(&sandbox, &[]);
    assert_eq!((&found["best"], &found["gain"]), (&Value::Null, &json!(0.0)), "{found}");
}

#[test]
fn ev_9_runs_that_fail_are_told_with_the_first_reason() {
    let sandbox = sandbox(2);
    sandbox.write("answers.jsonl", "{\"repeat\": true, \"text\": \"no\"}\n");
    let found = trial(&sandbox, &[]);
    assert_eq!((&found["best"], &found["gain"]), (&Value::Null, &json!(0.0)), "{found}");
    assert!(found["failed"].as_u64().unwrap() > 1, "{found}");
    assert_eq!(found["error"]["code"], "unusable_answer", "{found}");
    let words = ["optimize", "trial", "ask.as", "--cases", "cases.jsonl", "--mock=answers.jsonl"];
    let said = sandbox.run(words).exits(0).stdout;
    assert!(said.contains("runs failed, the first with: ask.as:"), "{said}");
}

#[test]
fn ev_9_gain_on_few_cases_is_called_chance() {
    let sandbox = sandbox(4);
    let words = ["optimize", "trial", "ask.as", "--cases", "cases.jsonl", "--mock=answers.jsonl"];
    let said = sandbox.run(words).exits(0).stdout;
    assert!(said.starts_with("the gain may be chance, so the program stays as it is"), "{said}");
}

#[test]
fn ev_9_limits_end_a_trial_cleanly() {
    let sandbox = sandbox(20);
    for limit in [["--max-calls", "0"], ["--max-trials", "0"], ["--max-seconds", "0"]] {
        let found = trial(&sandbox, &limit);
        assert_eq!(
            (&found["best"], &found["held_out"]),
            (&Value::Null, &json!(0)),
            "{limit:?} {found}"
        );
    }
    let found = trial(&sandbox, &["--max-calls", "12"]);
    assert!(found["calls"].as_u64().unwrap() <= 12, "{found}");
}

#[test]
fn ev_9_inspect_lists_sites_and_misuse_is_refused() {
    let sandbox = sandbox(1);
    let found = sandbox.run(["optimize", "inspect", "ask.as", "--json"]).exits(0).json();
    let site = &found["sites"][0];
    assert_eq!((&site["line"], &site["label"]), (&json!(5), &json!("facts")));
    let candidate = &site["candidates"][2];
    assert_eq!((&candidate["name"], &candidate["selected"]), (&json!("long"), &json!(false)));
    let place = |name: &str| usize::try_from(candidate["span"][name].as_u64().unwrap()).unwrap();
    assert_eq!(&PROGRAM[place("start")..place("end")], "long:  Long max 2k");
    let refused = |select: &str| {
        let all = ["optimize", "specialize", "ask.as", "--json", "--select", select];
        let done = sandbox.run([&all[..3], &all[4..]].concat()).exits(2);
        done.stderr
    };
    assert!(refused("facs=long").contains("did you mean `facts`?"));
    assert!(refused("facts=lon").contains("did you mean `long`?"));
    sandbox.write("ask.as", PROGRAM.replace("Long max", "Lung max"));
    let done = sandbox.run(["optimize", "inspect", "ask.as", "--json"]).exits(2).json();
    assert_eq!(done["error"]["code"], "AS2001", "candidates that do not compile are not offered");
}
