//! `contexture test`: cases of programs on recorded answers (EV-1 to EV-5).

use crate::support::Sandbox;
use serde_json::{Value, json};

const PROGRAM: &str = "\
import tool File from \"file://workspace\"

agent Grader {
  func score(value { answer string }, input { q string }) {
    if value.answer == input.q { return 1 }
    0.25
  }
  func endless(value) {
    loop until false max 2000000000 { x = 1 }
    1
  }
  func words(value) { \"good\" }
  func stars(value) { 7 }
  func shaped(value { answer string }) { if value.answer == \"What?\" { return 1 } 0 }
}

main func(input { q string }) {
  page = File.read({ path: \"page.txt\" })
  use one of {
    long: page max 200 selected
    short: page max 9
  } as facts
  use input.q as question
  generate({ input: \"Answer the question.\", attempts: 2 }) -> { answer string }
}
";

fn sandbox(tests: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("ask.as", PROGRAM);
    sandbox.write("page.txt", "The cache stores answers. 缓存保存答案。 ".repeat(20));
    sandbox.write("ask.test.yaml", tests);
    sandbox
}

fn cases(sandbox: &Sandbox, arguments: &[&str], code: i32) -> Vec<Value> {
    let all = [&["test", "--json"], arguments].concat();
    let found = sandbox.run(all).exits(code).json();
    found["suites"][0]["cases"].as_array().unwrap().clone()
}

const GOOD: &str = "\
program: ask.as
cases:
  - name: answers
    input: {q: 'What?'}
    answers: ['not JSON', {json: {answer: 'It stores answers.'}}]
    expect:
      - equals: {answer: 'It stores answers.'}
      - matches: {path: answer, pattern: 'stores'}
      - where: size(value.answer) == 18 AND course.calls == 1
      - schema: {type: object, required: [answer]}
      - prompt: {has_item: facts, keeps: 'The cache stores', max_tokens: 600, call: 1}
      - course: {calls: 1, attempts: 2, tools: ['File.read']}
  - name: choices
    input: {q: 'What?'}
    answers: [{json: {answer: 'x'}}]
    variants:
      - {name: long, select: {facts: long}}
      - {name: short, select: {facts: short}}
    expect:
      - prompt: {keeps: '答案'}
";

#[test]
fn ev_1_cases_are_recorded_runs_with_verdicts() {
    let sandbox = sandbox(GOOD);
    let found = sandbox.run(["test", "--json"]).exits(1).json();
    assert_eq!(found["suites"][0]["file"], "ask.test.yaml");
    assert_eq!((&found["passed"], &found["failed"]), (&json!(2), &json!(1)));
    let cases = found["suites"][0]["cases"].as_array().unwrap();
    let outcome = |at: usize| (cases[at]["variant"].clone(), cases[at]["outcome"].clone());
    assert_eq!(outcome(0), (Value::Null, json!("passed")), "{cases:#?}");
    assert_eq!(outcome(1), (json!("long"), json!("passed")), "{cases:#?}");
    assert_eq!(outcome(2), (json!("short"), json!("failed")));
    let verdict = &cases[2]["expectations"][0];
    assert_eq!(verdict["name"], "prompt");
    assert_eq!(verdict["detail"], "call 1: `答案` is not in the prompt");
    assert!(cases[0]["tokens"].as_u64().unwrap() > 50);
    let run = cases[0]["run"].as_str().unwrap();
    let trace = sandbox.run(["trace", "show", run]).exits(0);
    assert!(trace.stdout.contains("generate"), "{}", trace.stdout);
}

#[test]
fn ev_5_reports_are_text_markdown_and_junit() {
    let sandbox = sandbox(GOOD);
    let done = sandbox.run(["test", "ask.test.yaml", "--junit", "report.xml"]).exits(1);
    assert!(done.stdout.contains("failed  choices · short"), "{}", done.stdout);
    assert!(done.stdout.contains("2 passed, 1 failed"), "{}", done.stdout);
    let matrix = "           ·        long     short\n  answers  passed\n  choices           passed   failed\n  passed   1 of 1   1 of 1   0 of 1\n";
    assert!(done.stdout.contains(matrix), "{}", done.stdout);
    let xml = sandbox.read("report.xml");
    let head =
        "<testsuite name=\"ask.test.yaml\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"0\">";
    assert!(xml.contains(head), "{xml}");
    assert!(xml.contains("<failure message=\"prompt: call 1: `答案` is not"), "{xml}");
    let done = sandbox.run(["test", "--markdown"]).exits(1);
    assert!(done.stdout.starts_with("**2 passed, 1 failed**"), "{}", done.stdout);
    assert!(done.stdout.contains("| choices · short | failed |"), "{}", done.stdout);
}

#[test]
fn ev_1_faults_of_file_are_refused_with_line_and_suggestion() {
    for (line, from, to, help) in [
        (3, "name: answers", "nme: answers", "did you mean `name`?"),
        (7, "- equals:", "- equal:", "did you mean `equals`?"),
        (2, "cases:", "case:", "did you mean `cases`?"),
        (11, "has_item:", "has_items:", "did you mean `has_item`?"),
    ] {
        let sandbox = sandbox(&GOOD.replacen(from, to, 1));
        let found = sandbox.run(["test", "--json"]).exits(2).json();
        let error = &found["error"];
        assert_eq!(error["code"], "EV1001", "{found}");
        assert_eq!(error["help"], help, "{found}");
        assert_eq!(error["span"]["line"], line, "{found}");
        assert!(!sandbox.path(".contexture/runs").exists(), "nothing has run");
    }
}

#[test]
fn ev_1_misuse_is_refused() {
    let sandbox = sandbox(GOOD);
    let missing = sandbox.run(["test", "none.test.yaml", "--json"]).exits(2).json();
    assert_eq!(missing["error"]["code"], "file_unreadable");
    sandbox.write("ask.as", "main func(input) { nothing }");
    let refused = sandbox.run(["test", "--json"]).exits(2).json();
    assert_eq!(refused["error"]["code"], "AS2001");
    let empty = Sandbox::new().run(["test", "--json"]).exits(2).json();
    assert_eq!(empty["error"]["code"], "no_tests");
}

#[test]
fn ev_1_run_that_fails_is_error_and_others_run() {
    let tests = "\
program: ask.as
cases:
  - name: no answer left
    input: {q: a}
    answers: []
  - name: wrong input
    input: {question: a}
  - name: unknown candidate
    input: {q: a}
    select: {facts: lon}
  - name: good
    input: {q: a}
    answers: [{json: {answer: b}}]
";
    let sandbox = sandbox(tests);
    let cases = cases(&sandbox, &[], 1);
    let told: Vec<_> = cases
        .iter()
        .map(|case| (case["outcome"].as_str(), case["error"]["code"].as_str()))
        .collect();
    assert_eq!(told[1], (Some("error"), Some("unknown_input")), "{cases:#?}");
    assert_eq!(told[2], (Some("error"), Some("unknown_candidate")));
    assert_eq!(told[0].0, Some("error"));
    assert_eq!(told[3], (Some("passed"), None));
}

#[test]
fn ev_1_no_model_is_asked_over_network() {
    let tests = "\
program: ask.as
cases:
  - {name: far, input: {q: a}, model: 'openai://gpt-4o-mini'}
  - {name: near, input: {q: 'What does the cache store?'}, model: 'builtin://extractive'}
";
    let sandbox = sandbox(tests);
    let cases = cases(&sandbox, &[], 1);
    let message = cases[0]["error"]["message"].as_str().unwrap();
    assert!(message.contains("openai://gpt-4o-mini is not asked here"), "{message}");
    assert_eq!(cases[1]["outcome"], "passed", "{cases:#?}");
    assert_eq!(self::cases(&sandbox, &["--mock"], 0)[0]["outcome"], "passed");
}

#[test]
fn ev_2_scorer_gets_value_and_input_and_its_faults_are_errors() {
    let tests = "\
program: ask.as
cases:
  - name: same
    input: {q: a}
    answers: [{json: {answer: a}}]
    expect: [scorer: {agent: Grader.score, at_least: 0.8}]
  - name: other
    input: {q: a}
    answers: [{json: {answer: b}}]
    expect: [scorer: {agent: Grader.score, at_least: 0.8}]
  - name: words
    input: {q: a}
    answers: [{json: {answer: b}}]
    expect: [scorer: {agent: Grader.words}]
  - name: endless
    input: {q: a}
    answers: [{json: {answer: b}}]
    expect: [scorer: {agent: Grader.endless}]
  - name: missing
    input: {q: a}
    answers: [{json: {answer: b}}]
    expect: [scorer: {agent: Grader.none}]
  - name: too much
    input: {q: a}
    answers: [{json: {answer: b}}]
    expect: [scorer: {agent: Grader.stars}]
  - name: shaped
    input: {q: a}
    answers: [{json: {answer: 'What?'}}]
    expect: [scorer: {agent: Grader.shaped}]
";
    let sandbox = sandbox(tests);
    sandbox.write("contexture.toml", "[limits]\nsteps = 1000000\n");
    let cases = cases(&sandbox, &[], 1);
    let outcomes: Vec<_> = cases.iter().map(|case| case["outcome"].as_str().unwrap()).collect();
    assert_eq!(
        outcomes,
        ["passed", "failed", "error", "error", "error", "error", "passed"],
        "{cases:#?}"
    );
    let detail = cases[1]["expectations"][0]["detail"].as_str().unwrap();
    assert_eq!(detail, "Grader.score gave 0.25, expected at least 0.8");
    let message = cases[2]["error"]["message"].as_str().unwrap();
    assert!(message.contains("expected a number"), "{message}");
    assert!(
        cases[3]["error"]["message"].as_str().unwrap().contains("1000000 instructions"),
        "{cases:#?}"
    );
    assert_eq!(cases[4]["error"]["code"], "no_score");
    assert_eq!(
        cases[5]["error"]["message"],
        "Grader.stars gave no score: it gave 7, expected a number from 0 to 1"
    );
}

#[test]
fn ev_4_limits_of_case_end_it_before_the_request() {
    let tests = "\
program: ask.as
cases:
  - {name: none, input: {q: a}, answers: [{json: {answer: b}}], limits: {max_calls: 0}}
  - {name: one, input: {q: a}, answers: [raw, {json: {answer: b}}], limits: {max_calls: 1}}
  - {name: two, input: {q: a}, answers: [raw, {json: {answer: b}}], limits: {max_calls: 2}}
  - {name: tokens, input: {q: a}, answers: [{json: {answer: b}}], limits: {max_tokens: 10}}
  - {name: enough, input: {q: a}, answers: [{json: {answer: b}}], limits: {max_tokens: 1000, max_cost: 0.1}}
";
    let sandbox = sandbox(tests);
    let cases = cases(&sandbox, &[], 1);
    let outcomes: Vec<_> = cases.iter().map(|case| case["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["failed", "failed", "passed", "failed", "passed"], "{cases:#?}");
    let told = cases[3]["expectations"][0]["detail"].as_str().unwrap();
    assert!(told.starts_with("expected at most 10 tokens, found "), "{told}");
    let verdict = &cases[0]["expectations"][0];
    assert_eq!(verdict["name"], "limits");
    assert!(verdict["detail"].as_str().unwrap().contains("limit of 0 requests"), "{verdict}");
}

#[test]
fn ev_1_half_broken_data_is_told_by_line_and_rest_runs_on_request() {
    let sandbox = sandbox("program: ask.as\ncases: cases.jsonl\n");
    let good =
        json!({ "name": "a", "input": { "q": "x" }, "answers": [{ "json": { "answer": "y" } }] });
    sandbox.write("cases.jsonl", format!("{good}\n{{\"name\": \"b\"\n{{\"nme\": 1}}\n"));
    let refused = sandbox.run(["test", "--json"]).exits(2).json();
    assert_eq!(refused["error"]["span"]["line"], 2, "{refused}");
    assert_eq!(refused["error"]["file"], "cases.jsonl");
    let lines = |found: &Value| {
        let faults = found["diagnostics"].as_array().unwrap();
        faults.iter().map(|one| one["span"]["line"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(lines(&refused), [2, 3]);
    let cases = cases(&sandbox, &["--skip-broken"], 0);
    let told: Vec<_> = cases
        .iter()
        .map(|case| (case["name"].as_str().unwrap(), case["outcome"].as_str().unwrap()))
        .collect();
    let expected = [("a", "passed"), ("cases.jsonl:2", "skipped"), ("cases.jsonl:3", "skipped")];
    assert_eq!(told, expected);
    sandbox.write("ask.test.yaml", "program: ask.as\ncases: cases.csv\n");
    sandbox.write("cases.csv", "name,input.q,answers,expect.subset\n问,007,\"[{\"\"json\"\": {\"\"answer\"\": \"\"y\"\"}}]\",\"{\"\"answer\"\": \"\"y\"\"}\"\n");
    assert_eq!(self::cases(&sandbox, &[], 0)[0]["name"], "问");
}

const WRITER: &str = "\
import tool File from \"file://workspace\"
import file Rules from \"rules.md\"

main func(input { q string }) {
  use Rules
  use input.q as question
  first = generate({ input: \"Answer.\" })
  use first as answer
  second = generate({ input: \"Answer.\" })
  File.write({ path: \"out/b.md\", content: second })
  File.write({ path: \"a.md\", content: first })
  second
}
";

#[test]
fn ev_2_stable_prefix_and_changed_files_are_judged() {
    let sandbox = sandbox(
        "\
program: write.as
cases:
  - name: good
    input: {q: x}
    answers: [one, two]
    expect:
      - prompt: {call: 2, stable_prefix: 0.9}
      - course: {files: [out/b.md, a.md]}
      - where: contains(course.files, 'a.md')
  - name: bad
    input: {q: x}
    answers: [three, four]
    expect:
      - prompt: {call: 2, stable_prefix: 1}
      - course: {files: [a.md]}
",
    );
    sandbox.write("write.as", WRITER).write("rules.md", "Be short. ".repeat(60));
    let found = cases(&sandbox, &[], 1);
    assert_eq!(found[0]["outcome"], "passed", "{found:#?}");
    let detail = |at: usize| found[1]["expectations"][at]["detail"].as_str().unwrap();
    assert!(detail(0).starts_with("call 2: it begins with "), "{}", detail(0));
    assert_eq!(detail(1), "the files changed are [a.md, out/b.md], expected [a.md]");
}

#[test]
fn ev_13_check_tells_order_and_hits_of_prompts() {
    let sandbox = Sandbox::new();
    sandbox.write("write.as", WRITER).write("rules.md", "Be short. ".repeat(60));
    let cache = || {
        let found = sandbox.run(["check", "write.as", "--cache", "--json"]).exits(0).json();
        found["cache"].as_array().unwrap().clone()
    };
    let before = cache();
    let changes: Vec<&str> = before[1]["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["changes"].as_str().unwrap())
        .collect();
    assert_eq!(changes, ["fixed", "run", "call"], "{before:#?}");
    assert_eq!(before[0]["predicted"], json!({ "bytes": 600, "exact": true }));
    assert_eq!((&before[0]["moves"], &before[0]["measured"]), (&json!([]), &Value::Null));
    for q in ["x", "y"] {
        let input = json!({ "q": q }).to_string();
        let _ = sandbox.run(["run", "write.as", "--mock", "--quiet", "--input", &input]).exits(0);
    }
    let after = cache();
    let hits = &after[0]["measured"];
    assert_eq!((&hits["calls"], &hits["pairs"]), (&json!(2), &json!(1)), "{hits}");
    assert!(
        hits["share"].as_f64().unwrap() > 0.8 && hits["share"].as_f64().unwrap() < 1.0,
        "{hits}"
    );
    assert_eq!(hits["cached_tokens"], Value::Null, "no provider told");
    let moved = WRITER
        .replace("use Rules\n  use input.q as question", "use input.q as question\n  use Rules");
    sandbox.write("write.as", moved);
    assert_eq!(cache()[0]["moves"], json!([{ "item": 0, "before": 1 }]));
    let text = sandbox.run(["check", "write.as", "--cache"]).exits(0).stdout;
    assert!(
        text.contains("moves the rest: stands before Rules, which changes less often"),
        "{text}"
    );
    assert!(text.contains("predicted: 0 bytes of items stay at its head"), "{text}");
    let head = "use Rules max 1k\n  use one of { a: \"12345\" max 10, b: \"123\" } as style\n  use \"12\" max 1";
    sandbox.write("write.as", WRITER.replace("use Rules", head));
    assert_eq!(
        cache()[0]["predicted"],
        json!({ "bytes": 603, "exact": false }),
        "a cut is not known"
    );
}

#[test]
fn ev_7_new_values_are_shown_and_then_taken_over() {
    let tests = "\
# What the model says.
program: ask.as
cases:
  - name: one # first
    input: {q: a}
    answers: [{json: {answer: 'new: value'}}]
    expect:
      - equals:
          answer: old   # said before
      - matches: {path: answer, pattern: e}
  - name: '二'
    input: {q: a}
    answers: [{json: {answer: same}}]
    variants: [{name: long, select: {facts: long}}, {name: short, select: {facts: short}}]
    expect: [equals: {answer: other}]
";
    let sandbox = sandbox(tests);
    let shown = sandbox.run(["eval", "accept"]).exits(1);
    assert!(shown.stdout.contains("-          answer: old   # said before"), "{}", shown.stdout);
    assert!(
        shown.stdout.contains("+          answer: \"new: value\"   # said before"),
        "{}",
        shown.stdout
    );
    assert_eq!(sandbox.read("ask.test.yaml"), tests, "nothing is written unseen");
    let written = sandbox.run(["eval", "accept", "--yes"]).exits(0);
    assert!(
        written.stdout.contains("+    expect: [equals: {answer: \"same\"}]"),
        "{}",
        written.stdout
    );
    let expected = tests
        .replace("answer: old ", "answer: \"new: value\" ")
        .replace("answer: other", "answer: \"same\"");
    assert_eq!(sandbox.read("ask.test.yaml"), expected);
    assert!(sandbox.run(["eval", "accept", "--yes"]).exits(0).stderr.contains("no new values"));
    let line = r#"{"name": "a",  "input": {"q": "x"}, "answers": ["{\"answer\": \"b\"}"], "expect": [{"equals": {"answer": "c"}}]}"#;
    sandbox.write("cases.jsonl", format!("\n{line}\n"));
    sandbox.write("ask.test.yaml", "program: ask.as\ncases: cases.jsonl\n");
    let _ = sandbox.run(["eval", "accept", "--yes"]).exits(0);
    let changed = line.replace(r#"{"answer": "c"}"#, r#"{"answer": "b"}"#);
    assert_eq!(sandbox.read("cases.jsonl"), format!("\n{changed}\n"));
    sandbox
        .write("ask.test.yaml", tests.replace("answers: [{json: {answer: same}}]", "answers: []"));
    let left = sandbox.run(["eval", "accept", "--yes"]).exits(0);
    let text = left.stdout;
    assert!(!text.contains("same"), "a run that fails has no value: {text}");
}

#[test]
fn ev_1_two_cases_of_one_name_are_told_where_they_stand() {
    let sandbox = sandbox("program: ask.as\ncases: cases.jsonl\n");
    sandbox.write("cases.jsonl", "{\"name\": \"a\"}\n\n{\"name\": \"b\"}\n{\"name\": \"a\"}\n");
    let twice = |line: u64, file: &str| {
        let refused = sandbox.run(["test", "--json"]).exits(2).json();
        let error = &refused["error"];
        assert_eq!(error["message"], "two cases are called `a`, the other one in line 1");
        assert_eq!(
            (error["span"]["line"].as_u64(), error["file"].as_str()),
            (Some(line), Some(file))
        );
    };
    twice(4, "cases.jsonl");
    sandbox.write("ask.test.yaml", "program: ask.as\ncases: cases.csv\n");
    sandbox.write("cases.csv", "name,input.q\na,\"two\nlines\"\nb,x\na,y\n");
    let refused = sandbox.run(["test", "--json"]).exits(2).json();
    assert_eq!(refused["error"]["span"]["line"], 5, "{refused}");
    assert_eq!(refused["error"]["message"], "two cases are called `a`, the other one in line 2");
    sandbox.write(
        "ask.test.yaml",
        "program: ask.as\ncases:\n  - name: a\n  - {name: b}\n  - name: a\n",
    );
    let refused = sandbox.run(["test", "--json"]).exits(2).json();
    assert_eq!(refused["error"]["span"]["line"], 5, "{refused}");
    sandbox.write("other.test.yaml", "program: ask.as\ncases: [{nme: a}]\n");
    let told = sandbox.run(["test"]).exits(2).stderr;
    assert!(told.contains("ask.test.yaml:5") && told.contains("other.test.yaml:2"), "{told}");
}

/// With `CONTEXTURE_SCHEMAS=write` in the environment the file is written.
#[test]
fn ev_1_published_schema_is_that_of_the_reader() {
    let file = crate::support::repository().join("schemas/test.schema.json");
    let text = serde_json::to_string_pretty(&contexture::eval::test_schema()).unwrap() + "\n";
    if std::env::var_os("CONTEXTURE_SCHEMAS").is_some_and(|word| word == "write") {
        std::fs::write(&file, &text).unwrap();
    }
    let published = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(published == text, "run this test with CONTEXTURE_SCHEMAS=write and commit the file");
}
