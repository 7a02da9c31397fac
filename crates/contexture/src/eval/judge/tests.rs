use super::*;
use crate::eval::{Course, Prompt};
use contexture_context::Trust;
use serde_json::json;

fn observed() -> Observed {
    let item = |label: &str, trust| ShownItem {
        label: Some(label.to_owned()),
        source: "x".to_owned(),
        trust,
    };
    let prompt = Prompt {
        model: "mock".to_owned(),
        tokens: 120,
        text: "Fakten: 缓存".to_owned(),
        items: vec![item("facts", Trust::User), item("page", Trust::Web)],
    };
    let value = json!({ "answer": "yes", "score": 0.9, "tags": ["a", "b", "b"], "n": 1 });
    let tools = vec!["File.read".to_owned()];
    let files = BTreeSet::from(["b.md".to_owned(), "a.md".to_owned()]);
    let course = Course {
        calls: 1,
        attempts: 2,
        tools,
        files,
        stable_prefix: Some(0.5),
        tokens: 9,
        cost: None,
    };
    Observed { value, prompts: vec![prompt], course }
}

/// Judges by an expectation as a file has it.
fn told(expectation: Value) -> Option<String> {
    let expectation: Expectation = serde_json::from_value(expectation).unwrap();
    let verdict = judge(&expectation, &observed()).unwrap();
    assert_eq!(verdict.passed, verdict.detail.is_none());
    verdict.detail
}

#[track_caller]
fn fails(expectation: Value, detail: &str) {
    assert_eq!(told(expectation).as_deref(), Some(detail));
}

#[test]
fn ev_2_value_is_compared_whole_or_in_part() {
    let whole = json!({ "n": 1.0, "tags": ["a", "b", "b"], "answer": "yes", "score": 0.9 });
    assert_eq!(told(json!({ "equals": whole })), None);
    fails(json!({ "equals": { "n": 1 } }), "at `answer`: expected nothing, found \"yes\"");
    assert_eq!(told(json!({ "subset": { "answer": "yes", "tags": ["b"] } })), None);
    fails(json!({ "subset": { "tags": ["c"] } }), "at `tags`: no element is \"c\"");
    fails(json!({ "subset": { "x": 1 } }), "at `x`: expected 1, found nothing");
    fails(json!({ "subset": { "answer": "no" } }), "at `answer`: expected \"no\", found \"yes\"");
}

#[test]
fn ev_2_text_number_set_and_schema_are_judged_at_their_place() {
    assert_eq!(told(json!({ "matches": { "path": "answer", "pattern": "^y" } })), None);
    fails(
        json!({ "matches": { "path": "n", "pattern": "^y" } }),
        "`value.n` is 1, expected a text that matches `^y`",
    );
    assert_eq!(told(json!({ "near": { "path": "score", "value": 1, "within": 0.11 } })), None);
    fails(
        json!({ "near": { "path": "score", "value": 1, "within": 0.05 } }),
        "`value.score` is 0.9, expected 1 within 0.05",
    );
    let overlap = |least| json!({ "overlap": { "path": "tags", "with": ["a", "b", "c"], "at_least": least } });
    assert_eq!(told(overlap(0.66)), None);
    fails(
        overlap(0.67),
        "`value.tags` is [\"a\",\"b\",\"b\"]: overlap 0.67 with [\"a\",\"b\",\"c\"], expected at least 0.67",
    );
    assert_eq!(told(json!({ "schema": { "type": "object", "required": ["answer"] } })), None);
    let detail = told(json!({ "schema": { "properties": { "n": { "type": "string" } } } }));
    assert!(detail.unwrap().starts_with("`/n`: 1 is not of type"));
}

#[test]
fn ev_2_condition_reads_value_prompt_and_course() {
    let holds = "size(value.tags) == 3 AND contains(prompt.items, 'facts') AND course.calls == 1 AND course.stable_prefix == 0.5";
    assert_eq!(told(json!({ "where": holds })), None);
    fails(
        json!({ "where": "course.attempts < 2" }),
        "`course.attempts < 2` is false: course.attempts is 2",
    );
    let fault = serde_json::from_value::<Expectation>(json!({ "where": "prompt.item == 1" }));
    assert!(fault.unwrap_err().to_string().contains("did you mean `items`?"));
}

#[test]
fn ev_2_prompt_and_course_faults_are_all_told() {
    let wish = json!({ "has_item": "facts", "keeps": "缓存", "max_tokens": 120, "call": 1 });
    assert_eq!(told(json!({ "prompt": wish })), None);
    let wish = json!({ "has_item": "facs", "keeps": "z", "max_tokens": 9, "least_trust": "user" });
    fails(
        json!({ "prompt": wish }),
        "call 1: no item is `facs`, the prompt has [facts, page]; `z` is not in the prompt; the prompt has 120 tokens, expected at most 9; `page` is of trust web, expected at least user",
    );
    fails(json!({ "prompt": { "call": 2 } }), "expected a model call 2, found 1 of them");
    assert_eq!(told(json!({ "course": { "calls": 1, "tools": ["File.read"] } })), None);
    fails(
        json!({ "course": { "calls": 2, "attempts": 1, "tools": [] } }),
        "1 model calls, expected 2; 2 attempts, expected 1; the tools are [File.read], expected []",
    );
}

#[test]
fn ev_2_prefix_and_changed_files_are_judged() {
    let mut observed = observed();
    let mut next = observed.prompts[0].clone();
    next.text = "Fakten: 缓冲区".to_owned();
    observed.prompts.push(next);
    let told = |wish: Value| {
        let expectation = serde_json::from_value::<Expectation>(wish).unwrap();
        judge(&expectation, &observed).unwrap().detail
    };
    assert_eq!(told(json!({ "prompt": { "call": 2, "stable_prefix": 0.75 } })), None);
    assert_eq!(
        told(json!({ "prompt": { "call": 2, "stable_prefix": 0.9 } })).unwrap(),
        "call 2: it begins with 12 of 14 bytes of the prompt before it, a share of 0.857, expected at least 0.9"
    );
    let first = told(json!({ "prompt": { "stable_prefix": 0.5 } })).unwrap();
    assert!(first.contains("no prompt stands before it"), "{first}");
    assert_eq!(told(json!({ "course": { "files": ["a.md", "b.md"] } })), None);
    assert_eq!(
        told(json!({ "course": { "files": ["b.md"] } })).unwrap(),
        "the files changed are [a.md, b.md], expected [b.md]"
    );
    assert_eq!(told(json!({ "where": "contains(course.files, 'a.md')" })), None);
}

#[test]
fn ev_2_number_that_is_none_meets_nothing() {
    let near: Expectation =
        serde_saphyr::from_str("near: {path: score, value: .nan, within: .inf}").unwrap();
    assert!(!judge(&near, &observed()).unwrap().passed);
    let scorer: Scorer = serde_json::from_value(json!({ "agent": "G" })).unwrap();
    assert!(!scored(&scorer, f64::NAN).passed && scored(&scorer, 1.0).passed);
}
