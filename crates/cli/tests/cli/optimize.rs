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

/// A program that works on another one, as the reference of the language has it.
const OPTIMIZER: &str = "\
import tool Optimizer from \"host://optimizer\"

main agent Choices {
  main func(input { target: string, question: string, selection: json, write: string, trace: string }) {
    inspected = Optimizer.inspect({ target: input.target })
    trial = Optimizer.trial({
      target: input.target,
      input: { q: input.question },
      selection: input.selection,
      trace: input.trace
    })
    specialized = Optimizer.specialize({
      target: input.target,
      selection: input.selection,
      write: input.write
    })
    { inspected: inspected, trial: trial, specialized: specialized }
  }
}
";

fn input(target: &str, selection: &Value, write: &str) -> String {
    json!({ "target": target, "question": "?", "selection": selection, "write": write, "trace": "summary" })
        .to_string()
}

fn optimized(sandbox: &Sandbox, selection: Value, write: &str) -> Value {
    sandbox.write("optimizer.as", OPTIMIZER);
    let input = input("ask.as", &selection, write);
    let run = ["run", "optimizer.as", "--mock=answers.jsonl", "--quiet", "--input", &input];
    sandbox.run(run).exits(0).json()
}

#[test]
fn as_33_program_inspects_tries_and_specializes_another_one() {
    let sandbox = sandbox(1);
    let id = "ask.as#main[facts]";
    let found = optimized(&sandbox, json!({ id: "long" }), "preview");
    let site = &found["inspected"]["variant_sites"][0];
    assert_eq!(found["inspected"]["baseline_selection"], json!({ id: "short" }), "{found:#}");
    assert_eq!(site["scope"], json!({ "kind": "function", "agent": null, "func": "main" }));
    assert_eq!(site["candidates"][1], json!({ "name": "none", "empty": true, "budget": null }));
    assert_eq!(site["candidates"][2]["budget"]["limit"], 2000);
    let trial = &found["trial"];
    assert_eq!(trial["result"], json!({ "answer": "seven" }), "{found:#}");
    let pick = json!({ "variant": "long", "reason": "trial", "empty": false });
    assert_eq!(trial["picked"], json!({ id: pick }));
    assert_eq!((&trial["unreached_selection"], &trial["warnings"]), (&json!([]), &json!([])));
    assert_eq!(trial["usage"]["llm_calls"], 1);
    assert!(trial["trace_ref"].is_string(), "{trial}");
    let special = &found["specialized"];
    assert_eq!(
        (&special["changed"], &special["output"]),
        (&json!(true), &json!("ask.optimized.as"))
    );
    assert!(special["diff"].as_str().unwrap().contains("+    long:  Long max 2k selected"));
    assert!(!sandbox.path("ask.optimized.as").exists(), "a preview writes nothing");
    let copied = optimized(&sandbox, json!({ id: "long" }), "copy");
    assert_eq!(copied["specialized"]["outputs"], json!(["ask.optimized.as"]), "{copied:#}");
    let copy = sandbox.read("ask.optimized.as");
    assert_eq!(copy, PROGRAM.replace(" selected", "").replace("max 2k", "max 2k selected"));
    assert_eq!(sandbox.read("ask.as"), PROGRAM);
    let in_place = optimized(&sandbox, json!({ id: "long" }), "in_place");
    assert_eq!(in_place["specialized"]["outputs"], json!(["ask.as"]), "{in_place:#}");
    assert_eq!(sandbox.read("ask.as"), copy);
}

#[test]
fn as_33_what_optimizer_refuses_is_a_value_and_limits_end_the_run() {
    let sandbox = sandbox(1);
    let code = |selection: Value| {
        let found = optimized(&sandbox, selection, "copy");
        let told = |part: &str| found[part]["code"].as_str().unwrap_or_default().to_owned();
        (told("trial"), told("specialized"))
    };
    let twice = |code: &str| (code.to_owned(), code.to_owned());
    assert_eq!(code(json!({ "ask.as#main[fact]": "long" })), twice("unknown_selection_key"));
    assert_eq!(code(json!({ "ask.as#main[facts]": "lon" })), twice("unknown_variant"));
    sandbox.write("ask.as", "main func(input) { nothing }");
    assert_eq!(code(json!({})), twice("semantic_error"));
    sandbox.write("ask.as", PROGRAM);
    let call = "Optimizer.specialize({ target: \"ask.as\", selection: {}, snapshot_id: \"old\" })";
    sandbox.write("old.as", format!("import tool Optimizer from \"host://optimizer\"\n{call}\n"));
    let changed = sandbox.run(["run", "old.as", "--quiet"]).exits(0).json();
    assert_eq!(
        (&changed["code"], &changed["expected"]),
        (&json!("snapshot_mismatch"), &json!("old"))
    );
    let run = |target: &str, more: &[&str]| {
        let input = input(target, &json!({}), "copy");
        let run = ["run", "optimizer.as", "--mock=answers.jsonl", "--json", "--input", &input];
        sandbox.run([&run[..], more].concat())
    };
    let outside = run("../ask.as", &[]).exits(1).json();
    assert_eq!(outside["error"]["code"], "path_outside_workspace", "{outside}");
    let stopped = run("ask.as", &["--max-tokens", "1"]).exits(1).json();
    assert_eq!(stopped["error"]["code"], "COST_LIMIT", "{stopped}");
    let found = run("optimizer.as", &[]).exits(0).json();
    let found = &found["value"];
    assert_eq!(found["inspected"]["code"], "semantic_error", "no program optimizes itself");
}

#[test]
fn as_33_dry_run_tries_and_writes_nothing() {
    let sandbox = sandbox(1);
    sandbox.write("optimizer.as", OPTIMIZER);
    let input = input("ask.as", &json!({ "ask.as#main[facts]": "long" }), "copy");
    let run = ["run", "optimizer.as", "--mock=answers.jsonl", "--dry-run", "--input", &input];
    let _ = sandbox.run(run).exits(0);
    assert!(!sandbox.path("ask.optimized.as").exists());
    let refused = sandbox
        .write("wrong.as", "import tool O from \"host://optimiser\"\nmain func(input) { 1 }\n")
        .run(["check", "wrong.as"])
        .exits(2);
    assert!(refused.stdout.contains("host://optimizer"), "{}", refused.stdout);
}

const TASK: &str = "\
main func(input { q string }) {
  use one of {
    plain: \"Answer in one word.\" max 200 // the first try
    none: empty
  } as task
  use input.q as question
  generate({ input: \"Do the task.\", max_output: 50 }) -> { answer string }
}
";

/// A sandbox in which a text passes if a model is told to say seven, and who reflects says so.
fn reflecting(proposal: &str) -> Sandbox {
    let sandbox = sandbox(12);
    let proposal = json!({ "reason": "No number.", "instruction": proposal });
    let reflects = json!({ "when": "present instruction", "repeat": true, "json": proposal });
    let told = json!({ "when": "Always say", "repeat": true, "json": { "answer": "seven" } });
    let else_ = json!({ "repeat": true, "json": { "answer": "unknown" } });
    sandbox.write("ask.as", TASK).write("answers.jsonl", format!("{reflects}\n{told}\n{else_}\n"));
    sandbox
}

#[test]
fn ev_11_proposal_that_passes_is_written_unmarked_and_found_by_the_next_trial() {
    let sandbox = reflecting("Always say \"seven\"\\(x).");
    let found = trial(&sandbox, &["--reflect", "openai://gpt-5", "--out", "new.as"]);
    assert_eq!(found["best"], Value::Null, "{found}");
    let proposals = found["reflection"]["proposals"].as_array().unwrap();
    assert_eq!(proposals.len(), 1, "no case of the kept text fails: {found}");
    let one = &proposals[0];
    assert_eq!(
        (&one["site"], &one["parent"], &one["name"], &one["reason"]),
        (&json!("task"), &json!("plain"), &json!("proposal_1"), &json!("No number."))
    );
    assert_eq!(
        (&one["passed"], &one["parent_passed"], &one["cases"]),
        (&json!(6), &json!(0), &json!(6))
    );
    let new = "    none: empty\n    proposal_1: \"Always say \\\"seven\\\"\\\\(x).\" max 200\n";
    assert_eq!(sandbox.read("new.as"), TASK.replace("    none: empty\n", new));
    assert_eq!(sandbox.read("ask.as"), TASK);
    // The held-out cases are asked of the new program alone.
    let asked = sandbox.run(["trace", "list", "--json"]).exits(0).stdout;
    assert!(asked.contains("reflect.as"), "the request is recorded: {asked}");
    let words = ["optimize", "trial", "new.as", "--cases", "cases.jsonl", "--mock=answers.jsonl"];
    let told = sandbox.run(words).exits(0).stdout;
    assert!(told.starts_with("task=proposal_1\ngain +1.00 "), "{told}");
}

#[test]
fn ev_11_proposal_shows_train_cases_alone_and_what_was_wrong() {
    let sandbox = reflecting("Say it.");
    let found =
        trial(&sandbox, &["--reflect", "openai://gpt-5", "--proposals", "2", "--out", "new.as"]);
    let dropped: Vec<&Value> = found["reflection"]["proposals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["dropped"])
        .collect();
    let beaten = json!("it passes no case that the candidates do not pass");
    assert_eq!(dropped, [&beaten, &beaten], "{found}");
    assert!(!sandbox.path("new.as").exists(), "nothing is kept");
    let words = ["optimize", "trial", "ask.as", "--cases", "cases.jsonl", "--mock=answers.jsonl"];
    let out = ["--reflect", "openai://gpt-5", "--out", "new.as"];
    let said = sandbox.run([&words[..], &out].concat()).exits(0).stderr;
    assert!(said.contains("no text is kept, so new.as is not written"), "{said}");
    let list = sandbox.run(["trace", "list", "--json", "--limit", "200"]).exits(0).json();
    let runs = list["runs"].as_array().unwrap();
    let of = runs.iter().find(|run| run["program"] == "reflect.as").unwrap();
    let id = of["run"].as_str().unwrap();
    let prompt = sandbox.run(["trace", "prompt", id, "1"]).exits(0).stdout;
    assert!(prompt.contains("Answer in one word."), "{prompt}");
    assert!(prompt.contains("expected \\\"seven\\\", found \\\"unknown\\\""), "{prompt}");
}

#[test]
fn ev_11_limits_end_reflection_and_program_without_text_is_refused() {
    let sandbox = reflecting("Always say seven.");
    let found = trial(&sandbox, &["--reflect", "openai://gpt-5", "--max-calls", "12"]);
    assert!(found["calls"].as_u64().unwrap() <= 12, "{found}");
    assert_eq!(found["stopped"], "max_calls");
    let proposals = found["reflection"]["proposals"].as_array().unwrap();
    let told: Vec<_> = proposals.iter().map(|one| (&one["text"], &one["dropped"])).collect();
    let late = json!("a limit was met before all train cases had run");
    assert_eq!(told, [(&json!("Always say seven."), &late)], "what was paid for is told");
    let none = ["--reflect", "openai://gpt-5", "--proposals", "0"];
    let all = ["optimize", "trial", "ask.as", "--cases", "cases.jsonl", "--mock=answers.jsonl"];
    let _ = sandbox.run([&all[..], &none].concat()).exits(2);
    let unknown = sandbox.run([&all[..], &["--reflect", "opnai://x"]].concat()).exits(2).stderr;
    assert!(unknown.contains("unknown scheme `opnai`"), "{unknown}");
    assert!(unknown.contains("did you mean `openai://x`?"), "{unknown}");
    let sandbox = self::sandbox(2);
    let all = ["optimize", "trial", "ask.as", "--cases", "cases.jsonl", "--reflect", "openai://x"];
    let refused = sandbox.run([&all[..], &["--json"]].concat()).exits(2).json();
    assert_eq!(refused["error"]["code"], "no_text", "{refused}");
    let misused = sandbox.run([&all[..5], &["--out", "new.as"]].concat()).exits(2);
    assert!(misused.stderr.contains("--reflect"), "{}", misused.stderr);
}
