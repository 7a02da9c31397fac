//! `generate`: a model's answer with a shape.

use crate::common::Place;
use crate::flows::support::{answers, error, instructions, items, prepare, result, run, runtime};
use contexture::context::Trust;
use serde_json::{Value, json};

fn ask(parameters: &Value) -> contexture::flows::FlowRequest {
    instructions(&json!([{ "instructionId": "a", "action": "generate", "parameters": parameters }]))
}

const NOTES: &str = "The server listens on port 7878. It was built in spring.";

#[test]
fn fl_3_generation_answers_in_its_shape_from_its_uses() {
    let place = Place::new(&[]);
    let parameters = json!({
        "prompt": "Which port does the server listen on?",
        "uses": { "notes": NOTES },
        "shape": "{ answer string }",
    });
    let report = run(&place, ask(&parameters));
    assert_eq!(result(&report, "a"), json!({ "answer": "The server listens on port 7878." }));

    let plain =
        json!({ "prompt": "Which port does the server listen on?", "uses": { "notes": NOTES } });
    assert_eq!(result(&run(&place, ask(&plain)), "a"), json!("The server listens on port 7878."));
}

#[test]
fn fl_3_shape_may_be_schema() {
    let place = Place::new(&[]);
    let parameters = |shape: &Value| json!({ "prompt": "Fill it.", "shape": shape });
    let schema = json!({
        "type": "object",
        "properties": {
            "title": { "type": "string", "description": "in few words" },
            "points": { "type": "array", "items": { "type": "string" } },
            "mood": { "enum": ["good", "bad"] },
            "size": { "type": "integer" },
        },
        "required": ["title", "points", "mood"],
    });
    let answer = json!({ "title": "T", "points": ["a"], "mood": "good", "size": 3 });
    let mut request = ask(&parameters(&schema));
    request.run.stand_in = answers(&place, &json!([answer]));
    assert_eq!(result(&run(&place, request), "a"), answer);

    // An answer that does not fit fails, however often it is asked for.
    let mut request = ask(&parameters(&schema));
    request.run.stand_in =
        answers(&place, &json!([{ "title": "T" }, { "title": "T" }, { "title": "T" }]));
    let (code, message) = error(&run(&place, request), "a");
    assert_eq!(code, "unusable_answer", "{message}");
}

#[test]
fn fl_2_a_shape_that_can_not_be_kept_is_refused() {
    let place = Place::new(&[]);
    for (shape, word) in [
        (json!({ "type": "string", "pattern": "a" }), "`pattern`"),
        (json!({ "anyOf": [] }), "`anyOf`"),
        (json!({ "type": ["string", "null"] }), "`type`"),
        (json!({ "type": "object", "required": ["x"] }), "`x`"),
        (json!("{ a string, a integer }"), "duplicate field"),
        (json!("{ a string } generate({ input: \"x\" })"), "end of the shape"),
        (json!("nonsense"), "nonsense"),
    ] {
        let report = run(&place, ask(&json!({ "prompt": "x", "shape": shape })));
        let (code, message) = error(&report, "a");
        assert_eq!(code, "VALIDATION_FAILED", "{shape}: {message}");
        assert!(message.contains(word), "{shape}: {message}");
    }
    for parameters in [json!({}), json!({ "prompt": "" }), json!({ "prompt": "x", "use": {} })] {
        let report = run(&place, ask(&parameters));
        assert_eq!(error(&report, "a").0, "VALIDATION_FAILED", "{parameters}");
    }
}

#[test]
fn fl_5_uses_of_generation_keep_label_budget_and_trust() {
    let place = Place::new(&[("notes.txt", NOTES)]);
    let flow = prepare(
        &place,
        instructions(&json!([
            { "instructionId": "own", "action": "echo", "parameters": { "text": NOTES } },
            { "instructionId": "a", "action": "generate", "dependencies": ["own"], "parameters": {
                "prompt": "Which port does the server listen on?",
                "uses": [
                    { "label": "first notes", "value": "${dependencies.own.result.text}" },
                    { "label": "many", "value": "word ".repeat(500), "max": 50 },
                    { "value": { "n": 1 } }
                ],
                "shape": "{ answer string }",
            } },
            { "instructionId": "b", "action": "generate", "dependencies": ["a"], "parameters": {
                "prompt": "Which port?", "uses": { "answer": "${dependencies.a.result}" } } }
        ])),
    )
    .unwrap();
    let traces = flow.traces();
    let report = runtime().block_on(flow.run());
    assert_eq!(result(&report, "a"), json!({ "answer": "The server listens on port 7878." }));
    let traces = traces.get();
    let shown = items(&place, &traces[0].run);
    let labels: Vec<Option<&str>> = shown.iter().map(|item| item.label.as_deref()).collect();
    assert_eq!(labels, [Some("first notes"), Some("many"), None]);
    assert_eq!(shown[0].trust, Trust::User);
    assert!(shown[1].tokens <= 50, "{}", shown[1].tokens);
    assert_eq!(items(&place, &traces[1].run)[0].trust, Trust::Model);
}

#[test]
fn fl_3_labels_are_no_source() {
    let place = Place::new(&[]);
    for label in ["a\"b", "x\n}", "", " "] {
        let parameters = json!({ "prompt": "x", "uses": { label: "y" } });
        let (code, message) = error(&run(&place, ask(&parameters)), "a");
        assert_eq!(code, "VALIDATION_FAILED", "{label:?}: {message}");
    }
}
