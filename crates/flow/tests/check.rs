//! Checks before running.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that can't go on has failed"
)]

mod common;

use common::{plan, plan_with};
use contexture_diagnostic::Severity;
use contexture_flow::Set;
use contexture_flow::check::{Earlier, Report};
use contexture_protocol::Limits;
use contexture_protocol::content::{Outcome, Status};
use serde_json::{Value, json};

fn faults(document: &Value) -> Vec<String> {
    let report = plan_with(document, &Earlier::default()).unwrap_err();
    report.diagnostics.iter().map(|d| format!("{} {}: {}", d.code, d.path, d.message)).collect()
}

fn step(id: &str, dependencies: &[&str]) -> Value {
    json!({"instructionId": id, "action": "echo", "dependencies": dependencies})
}

#[test]
fn fl_6_all_faults_are_in_one_report() {
    let document = json!({"type": "INSTRUCTION", "content": {"instructions": [
        step("a", &["b", "ghost", "a"]),
        step("b", &["c"]),
        step("c", &["a"]),
        step("c", &[]),
        {"instructionId": "d", "action": "Echo", "condition": "x = 1",
         "parameters": {"t": ["${results.b.result}", "${open", "${HOME}", "$${fine}"]}},
        {"instructionId": "e", "action": "echo", "dependencies": ["d"],
         "condition": "dependencies.z.status == 'COMPLETED' AND foo == 1",
         "recovery": {"strategy": "DEGRADE"}},
    ]}});
    assert_eq!(
        faults(&document),
        [
            "DUPLICATE_ID /content/instructions/3/instructionId: duplicate id `c`",
            "UNKNOWN_ID /content/instructions/0/dependencies/1: unknown id `ghost`",
            "CYCLE /content/instructions/0/dependencies/2: `a` depends on itself: a → a",
            "UNKNOWN_ACTION /content/instructions/4/action: unknown action `Echo`",
            "VALIDATION_FAILED /content/instructions/5/recovery/alternative: missing replacement of `e`",
            "VALIDATION_FAILED /content/instructions/4/condition: expected a comparison, found `=` at offset 2",
            "VALIDATION_FAILED /content/instructions/4/parameters/t/1: unclosed `${` at offset 0",
            "UNDECLARED_REFERENCE /content/instructions/4/parameters/t/2: unknown root `HOME`",
            "UNKNOWN_ID /content/instructions/5/condition: unknown id `z`",
            "UNDECLARED_REFERENCE /content/instructions/5/condition: unknown root `foo`",
            "UNDECLARED_REFERENCE /content/instructions/4/parameters/t/0: `b` is not a dependency of `d`",
            "CYCLE /content/instructions/0/dependencies/0: cycle of dependencies: a → b → c → a",
        ]
    );
}

#[test]
fn fl_6_faults_of_form_hide_no_others() {
    let document = json!({"instructions": [
        {"instructionId": "a", "action": 5, "recovery": {"strategy": "NEVER"}},
        step("b", &["b"]),
        {"instructionId": "c", "action": "echo", "condition": "x = 1", "dependencies": ["a"]},
        {"instructionId": "d", "action": "ehco", "parameters": [], "dependencies": ["ghost"]},
        {"instructionId": "e", "action": "echo", "parameters": {"v": "${results.a.result}"}},
    ], "executionMode": "ALL"});
    let mut found = faults(&document);
    found.sort_unstable();
    let places: Vec<&str> = found.iter().filter_map(|fault| fault.split(':').next()).collect();
    assert_eq!(
        places,
        [
            "CYCLE /instructions/1/dependencies/0",
            "UNDECLARED_REFERENCE /instructions/4/parameters/v",
            "UNKNOWN_ACTION /instructions/3/action",
            "UNKNOWN_ID /instructions/3/dependencies/0",
            "VALIDATION_FAILED /executionMode",
            "VALIDATION_FAILED /instructions/0/action",
            "VALIDATION_FAILED /instructions/0/recovery/strategy",
            "VALIDATION_FAILED /instructions/2/condition",
            "VALIDATION_FAILED /instructions/3/parameters",
        ]
    );
}

#[test]
fn fl_6_faults_of_form_bring_no_others() {
    // An unreadable id, dependency or side is not guessed.
    let call = |fields: Value| {
        let mut call = json!({"callId": "z", "name": "echo", "parameters": {}});
        call.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        call
    };
    for (first, second, place) in [
        (json!({"callId": 5}), json!({"requiredAfter": ["a"]}), "/content/calls/0/callId"),
        (
            json!({"callId": ""}),
            json!({"parameters": {"v": "${results.a.status}"}}),
            "/content/calls/0/callId",
        ),
        (
            json!({"callId": "a"}),
            json!({"requiredAfter": [7, "a", null]}),
            "/content/calls/1/requiredAfter/0",
        ),
        (
            json!({"callId": "a"}),
            json!({"requiredAfter": "a", "parameters": {"v": "${results.a.status}"}}),
            "/content/calls/1/requiredAfter",
        ),
        (
            json!({"callId": "a", "runtime": 1}),
            json!({"requiredAfter": ["a"], "runtime": "FRONTEND"}),
            "/content/calls/0/runtime",
        ),
        (
            json!({"callId": "a", "parameters": null}),
            json!({"requiredAfter": ["a"]}),
            "/content/calls/0/parameters",
        ),
        (
            json!({"callId": "a", "fallbackBehavior": "USE_ALTERNATIVE", "alternative": {"name": 1}}),
            json!({}),
            "/content/calls/0/alternative/name",
        ),
    ] {
        let document = json!({"type": "TOOL_CALL_REQUEST", "content":
            {"calls": [call(first), call(second)], "executionMode": "FRONTEND_FIRST"}});
        let report = plan_with(&document, &Earlier::default()).unwrap_err();
        let path = &report.diagnostics[0].path;
        assert!(path == place, "{place}: {report}");
        let is_of_form = |d: &contexture_flow::check::Diagnostic| d.rule == "FLOW1001";
        assert!(report.diagnostics.iter().all(is_of_form), "{place}: {report}");
        assert!(Set::parse(document.to_string().as_bytes(), &Limits::FILE).is_err());
    }
}

#[test]
fn fl_6_document_without_set_reports_what_is_expected() {
    for (text, found) in [
        (r#"{"instructions": [], "calls": []}"#, "`instructions` and `calls`"),
        (r#"{"content": {"instructions": []}}"#, "`content` without a `type`"),
        ("{}", "none of them"),
        (r#" {"steps": []}"#, "none of them"),
    ] {
        let expected = format!(
            "expected one of `instructions`, `calls` or `toolCalls`, or a message with `type` and \
             `content`; found {found}"
        );
        let value = serde_json::from_str(text).unwrap();
        for report in [
            Set::parse(text.as_bytes(), &Limits::FILE).unwrap_err(),
            Set::read(text.as_bytes(), &Limits::FILE).unwrap_err(),
            Set::from_value(value, &Limits::FILE).unwrap_err(),
        ] {
            assert_eq!(report.diagnostics[0].message, expected);
            assert_eq!(
                (report.diagnostics.len(), report.diagnostics[0].code),
                (1, "VALIDATION_FAILED")
            );
        }
    }
}

#[test]
fn fl_6_help_and_caret() {
    let document = json!({"instructions": [
        step("first", &[]),
        {"instructionId": "b", "action": "ehco", "dependencies": ["frist"], "condition": "a == 1 and b"},
        {"instructionId": "c", "action": "echo", "parameters": {"a/b": "${results.first.status}"}},
    ]});
    let report = plan_with(&document, &Earlier::default()).unwrap_err();
    let help: Vec<_> = report.diagnostics.iter().map(|d| d.help.as_deref().unwrap()).collect();
    assert_eq!(
        help,
        [
            "did you mean `first`?",
            "did you mean `echo`?",
            "write `AND` in capitals",
            "add \"first\" to `dependencies` of `c`",
        ]
    );
    assert_eq!(report.diagnostics[3].path, "/instructions/2/parameters/a~1b");
    assert_eq!(
        report.diagnostics[2].render("set.json", false),
        "error[FLOW1007]: expected AND, OR or the end, found `and` at offset 7\n \
         --> set.json#/instructions/1/condition:1:8\n  |\n1 | a == 1 and b\n  |        ^^^\n  \
         = help: write `AND` in capitals\n"
            .replace("^^^", "^")
    );
    assert_eq!(
        report.diagnostics[0].render("set.json", false),
        "error[FLOW1003]: unknown id `frist`\n --> set.json#/instructions/1/dependencies/0\n  \
         = help: did you mean `first`?\n"
    );
    let value = report.to_value();
    assert_eq!(value["diagnostics"][2]["offset"], 7);
    assert_eq!(value["diagnostics"][0]["severity"], "error");
}

#[test]
fn fl_6_every_cycle_is_printed() {
    let document = json!({"instructions": [
        step("a", &["b"]), step("b", &["a", "c"]), step("c", &["b"]), step("x", &["y"]),
        step("y", &["x"]), step("free", &["x"]),
    ]});
    let all = faults(&document);
    assert_eq!(all.len(), 3);
    for cycle in ["a → b → a", "b → c → b", "x → y → x"] {
        assert!(
            all.iter().any(|fault| fault.ends_with(&format!("dependencies: {cycle}"))),
            "{all:?}"
        );
    }
}

#[test]
fn fl_5_chain_of_dependencies_is_enough() {
    let document = json!({"instructions": [
        step("a", &[]), step("b", &["a"]), step("x", &["b"]),
        {"instructionId": "c", "action": "echo", "dependencies": ["x", "b"],
         "condition": "dependencies.a.status == 'COMPLETED'",
         "parameters": {"v": "${dependencies.a.result.n} ${results.b.status}"}},
    ]});
    assert_eq!(plan(&document).depth(), 4);
    let document = json!({"instructions": [
        step("a", &["b"]), step("b", &[]),
        {"instructionId": "c", "action": "echo", "dependencies": ["b"], "condition": "results.a.result == 1"},
        {"instructionId": "d", "action": "echo", "parameters": {"v": "${results.d.status}"}},
    ]});
    assert_eq!(
        faults(&document),
        [
            "UNDECLARED_REFERENCE /instructions/2/condition: `a` is not a dependency of `c`",
            "UNDECLARED_REFERENCE /instructions/3/parameters/v: `d` reads its own outcome",
        ]
    );
}

#[test]
fn fl_6_no_dependency_is_offered_that_would_make_cycle() {
    let document = json!({"instructions": [
        {"instructionId": "a", "action": "echo", "parameters": {"v": "${results.c.status}"}},
        step("b", &["a"]),
        step("c", &["b"]),
        {"instructionId": "d", "action": "echo", "parameters": {"v": "${results.c.status}"}},
    ]});
    let report = plan_with(&document, &Earlier::default()).unwrap_err();
    let help: Vec<_> = report.diagnostics.iter().filter_map(|d| d.help.as_deref()).collect();
    assert_eq!(
        help,
        [
            "`c` depends on `a` and ends after it: read another step",
            "add \"c\" to `dependencies` of `d`"
        ]
    );
}

#[test]
fn fl_4_impossible_status_gives_warning() {
    let document = json!({"instructions": [
        step("a", &[]),
        {"instructionId": "b", "action": "echo", "dependencies": ["a"],
         "condition": "dependencies.a.status == 'SUCCESS' OR 'Completed' == dependencies.a.status OR dependencies.a.status != 'RUNNING'"},
    ]});
    let plan = plan(&document);
    let warnings = &plan.warnings().diagnostics;
    assert!(warnings.iter().all(|d| d.severity == Severity::Warning && d.rule == "FLOW1012"));
    let help: Vec<_> = warnings.iter().filter_map(|d| d.help.as_deref()).collect();
    assert_eq!(
        help,
        [
            "write 'COMPLETED'",
            "write 'COMPLETED'",
            "a status is COMPLETED, FAILED, SKIPPED or TIMEOUT"
        ]
    );
}

#[test]
fn fl_1_requirements_against_order_of_mode() {
    let calls = |mode: &str| {
        json!({"toolCalls": [
            {"callId": "ui", "name": "pick", "runtime": "FRONTEND", "parameters": {}, "requiredAfter": ["db"]},
            {"callId": "db", "name": "echo", "parameters": {}},
        ], "executionMode": mode})
    };
    assert_eq!(
        faults(&calls("FRONTEND_FIRST")),
        [
            "VALIDATION_FAILED /toolCalls/0/requiredAfter/0: `ui` is required after `db`, but FRONTEND_FIRST runs it before"
        ]
    );
    for mode in
        ["BACKEND_FIRST", "CLIENT_SERVER_PARALLEL", "SYNC", "SEQUENTIAL", "PARALLEL", "ASYNC"]
    {
        assert_eq!(plan(&calls(mode)).len(), 2);
    }
}

#[test]
fn fl_1_three_forms_of_document() {
    let content = json!({"calls": [{"callId": "a", "name": "nope", "parameters": {}}]});
    let bare = json!({"type": "TOOL_CALL_REQUEST", "content": content});
    let mut whole = bare.clone();
    whole["messageId"] = "m".into();
    whole["timestamp"] = "2025-12-01T10:00:00Z".into();
    whole["sender"] = json!({"id": "s", "type": "SYSTEM"});
    let path = |document: &Value| {
        let text =
            plan_with(document, &Earlier::default()).unwrap_err().diagnostics[0].path.clone();
        let set = Set::from_value(document.clone(), &Limits::FILE).unwrap();
        assert_eq!(set.steps.len(), 1);
        text
    };
    assert_eq!(path(&content), "/calls/0/name");
    assert_eq!(path(&bare), "/content/calls/0/name");
    assert_eq!(path(&whole), "/content/calls/0/name");
    let parse = |text: &str| Set::parse(text.as_bytes(), &Limits::FILE).unwrap_err();
    let shape = |report: Report| {
        report.diagnostics.iter().map(|d| (d.code, d.path.clone())).collect::<Vec<_>>()
    };
    assert_eq!(
        shape(parse(r#"{"instructions": [{"instructionId": "", "action": 5}, {}]}"#)),
        [
            ("VALIDATION_FAILED", "/instructions/0/instructionId".to_owned()),
            ("VALIDATION_FAILED", "/instructions/0/action".to_owned()),
            ("VALIDATION_FAILED", "/instructions/1/instructionId".to_owned()),
            ("VALIDATION_FAILED", "/instructions/1/action".to_owned()),
        ]
    );
    assert_eq!(shape(parse("{")), [("PARSE_ERROR", String::new())]);
    assert_eq!(
        shape(parse(r#"{"type": "USER_INPUT", "content": {"text": "x"}}"#))[0].0,
        "UNKNOWN_TYPE"
    );
    assert_eq!(
        shape(parse(&format!("{{\"instructions\":{}", "[".repeat(100_000))))[0].0,
        "TOO_LARGE"
    );
    assert!(!parse("[]").diagnostics.is_empty() && !parse("{}").diagnostics.is_empty());
}

#[test]
fn fl_6_earlier_outcomes_are_known() {
    let document = json!({"instructions": [
        {"instructionId": "b", "action": "echo", "dependencies": ["old"], "parameters": {"v": "${results.old.result.n}"}},
    ]});
    assert_eq!(faults(&document).len(), 2);
    let mut earlier = Earlier::default();
    earlier
        .add(&Outcome { result: Some(json!({"n": 1})), ..Outcome::new("old", Status::Completed) });
    assert_eq!(plan_with(&document, &earlier).unwrap().len(), 1);
}

#[test]
fn fl_4_fields_without_effect_are_reported() {
    let document =
        json!({"calls": [{"callId": "a", "name": "echo", "parameters": {}, "condition": "x"}]});
    let plan = plan(&document);
    assert_eq!(plan.warnings().diagnostics[0].rule, "FLOW1013");
    assert_eq!(plan.warnings().diagnostics[0].path, "/calls/0/condition");
}

#[test]
fn fl_10_large_sets_are_checked_in_one_pass() {
    let count = 50_000;
    let steps: Vec<Value> = (0..count)
        .map(|n| match n {
            0 => json!({"instructionId": "s0", "action": "echo"}),
            // The first one is read from the end of a long chain.
            _ => json!({"instructionId": format!("s{n}"), "action": "echo",
                "dependencies": [format!("s{}", n - 1)], "parameters": {"v": "${results.s0.status}"}}),
        })
        .collect();
    let plan = plan(&json!({ "instructions": steps }));
    assert_eq!((plan.len(), plan.depth()), (count, count));
    let ring: Vec<Value> =
        (0..count).map(|n| step(&format!("s{n}"), &[&format!("s{}", (n + 1) % count)])).collect();
    let all = faults(&json!({ "instructions": ring }));
    assert_eq!(all.len(), 1);
    assert!(all[0].len() < 10_000 && all[0].contains("s0 → s1 → s2"), "{}", all[0]);
    let lost: Vec<Value> = (0..5_000).map(|n| step(&format!("s{n}"), &["ghost"])).collect();
    let report = plan_with(&json!({ "instructions": lost }), &Earlier::default()).unwrap_err();
    assert_eq!((report.diagnostics.len(), report.unlisted), (1_000, 4_000));
    assert_eq!(report.to_value()["diagnostics"][1_000]["code"], "TOO_LARGE");
}

#[test]
fn fl_6_misspelt_fields_give_warnings() {
    let of = |document: Value| -> Vec<String> {
        let plan = plan(&document);
        let fault = |d: &contexture_flow::check::Diagnostic| {
            assert_eq!(d.severity, Severity::Warning);
            format!("{}: {} ({})", d.path, d.message, d.help.as_deref().unwrap_or_default())
        };
        plan.warnings().diagnostics.iter().map(fault).collect()
    };
    let document = json!({"type": "INSTRUCTION", "content": {
        "instructions": [
            {"instructionId": "a", "action": "echo", "dependsOn": [], "Condition": "true", "timeOut": 5,
             "parameter": {}, "note": "its own", "recovery": {"strategy": "RETRY", "attempt": 5, "why": 1}},
            {"instructionId": "b", "action": "echo", "timeout": 5, "timeouts": 6, "parameters": {"params": 1}},
            {"instructionId": "c", "action": "echo", "requiredAfter": ["a"], "parameters": null},
        ],
        "executionmode": "PARALLEL", "executionId": 1, "executionTime": 2, "x/y": 3,
    }});
    assert_eq!(
        of(document),
        [
            "/content/executionmode: `executionmode` has no effect here (did you mean `executionMode`?)",
            "/content/instructions/0/dependsOn: `dependsOn` has no effect here (did you mean `dependencies`?)",
            "/content/instructions/0/Condition: `Condition` has no effect here (did you mean `condition`?)",
            "/content/instructions/0/timeOut: `timeOut` has no effect here (did you mean `timeout`?)",
            "/content/instructions/0/parameter: `parameter` has no effect here (did you mean `parameters`?)",
            "/content/instructions/0/recovery/attempt: `attempt` has no effect here (did you mean `attempts`?)",
            "/content/instructions/2/requiredAfter: `requiredAfter` has no effect here (instructions name their dependencies in `dependencies`)",
        ]
    );
    let calls = json!({"calls": [
        {"callId": "a", "name": "echo", "parameters": {}, "dependsOn": [], "condition": "true"},
    ], "mode": "PARALLEL"});
    assert_eq!(
        of(calls),
        [
            "/mode: `mode` has no effect here (did you mean `executionMode`?)",
            "/calls/0/dependsOn: `dependsOn` has no effect here (did you mean `requiredAfter`?)",
            "/calls/0/condition: `condition` has no effect here (calls have no condition; instructions have)",
        ]
    );
}

#[test]
fn fl_6_nearly_right_word_is_suggested() {
    let help = |document: Value| {
        let report = Set::parse(document.to_string().as_bytes(), &Limits::FILE).unwrap_err();
        report.diagnostics.iter().map(|d| d.help.clone().unwrap_or_default()).collect::<Vec<_>>()
    };
    let step = json!({"instructionId": "a", "action": "echo", "recovery": {"strategy": "RETRYY"}});
    assert_eq!(
        help(json!({"instructions": [step], "executionMode": "PARALEL"})),
        ["did you mean `RETRY`?", "did you mean `PARALLEL`?"]
    );
    assert_eq!(help(json!({"instructions": [], "executionMode": "ASYNC"})), [""]);
    assert_eq!(
        help(json!({"type": "instruction", "content": {"instructions": []}})),
        ["did you mean `INSTRUCTION`?"]
    );
}

#[test]
fn fl_6_fault_of_text_has_place_in_text() {
    let message = |text: &str| {
        let report = Set::parse(text.as_bytes(), &Limits::FILE).unwrap_err();
        report.diagnostics.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("; ")
    };
    for (text, place) in [
        (r#"{"calls":[],"x":1e400}"#, "line 1 column 21"),
        (r#"{"instructions":[{"a":1,"a":2}]}"#, "line 1 column 27"),
        ("{\"instructions\":[\n{\"a\":1,\"a\":2}]}", "line 2 column 10"),
    ] {
        assert!(message(text).ends_with(place), "{}", message(text));
    }
    let deep = format!("{{\"calls\":{}{}}}", "[".repeat(300), "]".repeat(300));
    assert!(message(&deep).ends_with("line 1 column 109"), "{}", message(&deep));
}
