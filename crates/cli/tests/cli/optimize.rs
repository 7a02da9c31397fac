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

/// A program whose right budget lies in a range, and its right part at the end.
const BOUNDS: &str = "\
import file Long from \"long.txt\"

main func(input { q string }) {
  use Long max 20..200 keep head | tail selected 20 head as facts
  use input.q as question
  generate({ input: \"Answer.\", max_output: 50 }) -> { answer string }
}
";

/// A sandbox in which the key stands 60 tokens before the end of a long text.
fn bounds() -> Sandbox {
    let sandbox = sandbox(20);
    let (before, after) = ("Tea grows on hills. ".repeat(80), "Rain falls. ".repeat(20));
    sandbox.write("long.txt", format!("{before}The key is 7. {after}")).write("ask.as", BOUNDS);
    sandbox
}

#[test]
fn ev_10_budget_and_part_are_found_and_marked_with_what_was_measured() {
    let sandbox = bounds();
    let found = trial(&sandbox, &["--max-trials", "16", "--out", "new.as"]);
    let chosen = found["best"]["facts"].as_str().unwrap();
    assert!(["80 tail", "160 tail", "200 tail"].contains(&chosen), "{found}");
    assert_eq!((&found["gain"], &found["held_out"]), (&json!(1.0), &json!(10)), "{found}");
    let new = BOUNDS.replace("selected 20 head", &format!("selected {chosen}"));
    assert_eq!(sandbox.read("new.as"), new);
    assert_eq!(sandbox.read("ask.as"), BOUNDS);
    let (old, now) = (BOUNDS.lines().nth(3).unwrap(), new.lines().nth(3).unwrap());
    assert!(found["diff"].as_str().unwrap().contains(&format!("-{old}\n+{now}\n")), "{found}");
    let measured = &found["lock"];
    assert_eq!(measured["selected"], json!({ "facts": chosen }));
    assert_eq!(measured["models"], json!(["recorded answers"]), "{measured}");
    assert_eq!(
        (&measured["gain"], &measured["interval"], &measured["calls"]),
        (&found["gain"], &found["interval"], &found["calls"])
    );
    assert_eq!(measured["cost"], json!(0.0), "{measured}");
    let lock: Value = serde_json::from_str(&sandbox.read("contexture.lock")).unwrap();
    assert_eq!(lock["choices"], json!({ "new.as": measured }));
}

#[test]
fn ev_10_measurement_drifts_with_mark_and_with_cases() {
    let sandbox = bounds();
    let found = trial(&sandbox, &["--max-trials", "16", "--out", "new.as"]);
    let chosen = found["best"]["facts"].as_str().unwrap().to_owned();
    let check = |code| sandbox.run(["lock", "--check", "--json"]).exits(code).json();
    assert_eq!(check(0)["drift"], json!([]));
    let _ = sandbox.run(["check", "new.as"]).exits(0);
    let marked = sandbox.read("new.as");
    sandbox.write("new.as", marked.replace(&chosen, "40 head"));
    let drift = json!([{ "kind": "choices", "name": "new.as facts", "pinned": chosen, "found": "40 head" }]);
    assert_eq!(check(1)["drift"], drift);
    let refused = sandbox.run(["check", "new.as"]).exits(2);
    assert!(refused.stdout.contains("choices new.as facts"), "{}", refused.stdout);
    sandbox.write("new.as", marked);
    sandbox.write("cases.jsonl", format!("{}\n", sandbox.read("cases.jsonl")));
    let drift = check(1);
    assert_eq!(drift["drift"][0]["name"], "new.as cases.jsonl", "{drift}");
    let _ = sandbox.run(["lock", "--update"]).exits(0);
    let lock: Value = serde_json::from_str(&sandbox.read("contexture.lock")).unwrap();
    assert_eq!(lock.get("choices"), None, "what no longer holds is forgotten");
    assert_eq!(check(0)["drift"], json!([]));
}

#[test]
fn ev_10_bounds_are_sites_and_only_their_mark_differs() {
    let sandbox = bounds();
    let found = sandbox.run(["optimize", "inspect", "ask.as", "--json"]).exits(0).json();
    let names: Vec<&str> = found["sites"][0]["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    let budgets = ["20", "40", "80", "160", "200"];
    let all: Vec<String> =
        budgets.iter().flat_map(|n| [format!("{n} head"), format!("{n} tail")]).collect();
    assert_eq!(names, all);
    let select = |choice: &str| {
        let words = ["optimize", "specialize", "ask.as", "--select", choice];
        sandbox.run(words).exits(0).stdout
    };
    assert_eq!(select("facts=20 head"), BOUNDS, "what is selected stays");
    assert_eq!(select("facts=160 tail"), BOUNDS.replace("20 head", "160 tail"));
    let plain = BOUNDS.replace(" selected 20 head", "");
    sandbox.write("ask.as", &plain);
    assert_eq!(select("facts=200 head"), plain, "the greatest numbers are shown anyway");
    assert_eq!(select("facts=40 tail"), BOUNDS.replace("20 head", "40 tail"));
    let run = |select: &str| {
        let words = [
            "run",
            "ask.as",
            "--input",
            "{\"q\":\"?\"}",
            "--mock=answers.jsonl",
            "--quiet",
            "--select",
            select,
        ];
        sandbox.run(words)
    };
    assert_eq!(run("facts=160 tail").exits(0).json(), json!({ "answer": "seven" }));
    assert_eq!(run("facts=160 head").exits(0).json(), json!({ "answer": "unknown" }));
    let refused = run("facts=170 tail").exits(2).stderr;
    assert!(refused.contains("has no candidate `170 tail`"), "{refused}");
}

#[test]
fn ev_9_choices_on_one_line_are_told_apart_and_only_what_gains_changes() {
    let sandbox = sandbox(0);
    let program = "\
main func(input { q string }) {
  use one of { a: \"alpha\" b: \"beta\" selected } as \"x\" use one of { a: \"gamma\" selected b: \"delta\" } as \"y\"
  use one of { a: \"one\" b: \"two\" selected } use one of { a: \"three\" b: \"four\" selected }
  generate({ input: \"Answer.\", max_output: 50 }) -> { answer string }
}
";
    sandbox.write("ask.as", program);
    let line = |n: usize| {
        let expect =
            json!([{ "prompt": { "keeps": "delta" } }, { "prompt": { "keeps": "three" } }]);
        format!(
            "{}\n",
            json!({ "name": format!("case {n}"), "input": { "q": "?" }, "expect": expect })
        )
    };
    sandbox.write("cases.jsonl", (0..12).map(line).collect::<String>());
    let found = trial(&sandbox, &["--out", "new.as"]);
    let best = json!({ "x": "b", "y": "b", "3:3": "b", "3:45": "a" });
    assert_eq!(found["best"], best, "{found}");
    let new = program
        .replace("\"gamma\" selected b: \"delta\"", "\"gamma\" b: \"delta\" selected")
        .replace("\"three\" b: \"four\" selected", "\"three\" selected b: \"four\"");
    assert_eq!(sandbox.read("new.as"), new);
    let lock: Value = serde_json::from_str(&sandbox.read("contexture.lock")).unwrap();
    let selected = json!({ "x": "b", "y": "b", "main#3": "b", "main#4": "a" });
    assert_eq!(lock["choices"]["new.as"]["selected"], selected);
    // A line above moves nothing.
    sandbox.write("new.as", format!("// Why.\n{new}"));
    let _ = sandbox.run(["lock", "--check"]).exits(0);
    let words = ["optimize", "specialize", "ask.as", "--select", "3:45=a"];
    let marked = sandbox.run(words).exits(0).stdout;
    assert!(marked.contains("\"three\" selected b: \"four\""), "{marked}");
}

#[test]
fn ev_9_variants_of_one_case_are_on_one_side_and_cases_may_choose() {
    let sandbox = sandbox(1);
    let case = sandbox.read("cases.jsonl");
    let mut case: Value = serde_json::from_str(&case).unwrap();
    let variant = |n: usize| json!({ "name": format!("v{n}") });
    case["variants"] = (0..10).map(variant).collect();
    sandbox.write("cases.jsonl", format!("{case}\n"));
    let found = trial(&sandbox, &[]);
    assert_eq!((&found["best"], &found["held_out"]), (&Value::Null, &json!(0)), "{found}");
    let sandbox = self::sandbox(12);
    let cases = sandbox.read("cases.jsonl");
    let choosing = cases.replace("{\"name\"", "{\"select\":{\"facts\":\"none\"},\"name\"");
    assert_ne!(choosing, cases);
    sandbox.write("cases.jsonl", choosing);
    let found = trial(&sandbox, &[]);
    assert_eq!(
        (&found["best"], &found["failed"]),
        (&json!({ "facts": "long" }), &json!(0)),
        "{found}"
    );
}

#[test]
fn ev_9_what_was_paid_for_is_told_and_edits_are_kept() {
    let sandbox = sandbox(12);
    let words =
        ["optimize", "trial", "ask.as", "--cases", "cases.jsonl", "--mock=answers.jsonl", "--json"];
    for out in ["no/such.as", "."] {
        let refused = sandbox.run([&words[..], &["--out", out]].concat()).exits(2).json();
        assert_eq!(refused["error"]["code"], "output_failed", "{refused}");
    }
    assert!(!sandbox.path(".contexture/runs").exists(), "nothing was asked");
    sandbox.write("contexture.lock", "{bro");
    let refused = sandbox.run([&words[..], &["--out", "new.as"]].concat()).exits(2).json();
    assert_eq!(refused["error"]["code"], "mcp_lock", "{refused}");
    std::fs::remove_file(sandbox.path("contexture.lock")).unwrap();
    let found = trial(&sandbox, &["--max-calls", "3"]);
    assert_eq!((&found["stopped"], &found["failed"]), (&json!("max_calls"), &json!(0)), "{found}");
    let found = trial(&sandbox, &["--max-seconds", "0"]);
    assert_eq!(
        (&found["stopped"], &found["failed"]),
        (&json!("max_seconds"), &json!(0)),
        "{found}"
    );
    let _ = trial(&sandbox, &["--out", "ask.as"]);
    assert!(sandbox.read("ask.as").contains("Long max 2k selected"));
}

#[test]
fn ev_10_number_of_examples_is_found() {
    let sandbox = sandbox(20);
    let example = |n: usize| json!({ "input": format!("question {n} about keys"), "output": n });
    let examples: Vec<Value> = (0..9).map(example).collect();
    sandbox.write("examples.json", json!(examples).to_string());
    let program = "\
import file Examples from \"examples.json\"

main func(input { q string }) {
  use best 0..4 of Examples for input.q selected best 0 as examples
  generate({ input: \"Answer.\", max_output: 50 }) -> { answer string }
}
";
    sandbox.write("ask.as", program);
    let line = |n: usize| {
        let expect = json!([{ "equals": { "answer": "seven" } }]);
        format!(
            "{}\n",
            json!({ "name": format!("case {n}"), "input": { "q": "which keys" }, "expect": expect })
        )
    };
    sandbox.write("cases.jsonl", (0..12).map(line).collect::<String>());
    // The second example is what tells the model.
    let knows =
        json!({ "when": "question 1 about", "repeat": true, "json": { "answer": "seven" } });
    let else_ = json!({ "repeat": true, "json": { "answer": "unknown" } });
    sandbox.write("answers.jsonl", format!("{knows}\n{else_}\n"));
    let known = json!([{ "input": { "q": "which keys" }, "output": { "answer": "seven" } }]);
    sandbox.write("examples.json", known.to_string());
    let words =
        ["optimize", "trial", "ask.as", "--cases", "cases.jsonl", "--mock=answers.jsonl", "--json"];
    let refused = sandbox.run(words).exits(2).json();
    assert_eq!(refused["error"]["code"], "known_case", "{refused}");
    sandbox.write("examples.json", json!(examples).to_string());
    let found = trial(&sandbox, &["--out", "new.as"]);
    assert_eq!(found["best"], json!({ "examples": "best 2" }), "{found}");
    assert_eq!(sandbox.read("new.as"), program.replace("best 0 as", "best 2 as"));
    let prompt = |choice: &str| {
        let select = format!("examples={choice}");
        let words = [
            "run",
            "ask.as",
            "--input",
            "{\"q\":\"which keys\"}",
            "--dry-run",
            "--json",
            "--select",
            &select,
        ];
        // The prompt and its item both hold the text.
        sandbox.run(words).exits(0).stdout.matches("question ").count() / 2
    };
    assert_eq!((prompt("best 0"), prompt("best 1"), prompt("best 4")), (0, 1, 4));
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
    assert!(said.contains("nothing was found, so new.as is not written"), "{said}");
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
}
