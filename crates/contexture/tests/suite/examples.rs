//! Every example program runs offline, on its real input, with the built-in model.

use crate::common::{Allowing, Place, value};
use serde_json::{Value, json};
use std::sync::Arc;

/// Each example with its input, as its first comment shows it.
fn examples() -> Vec<(&'static str, Value)> {
    vec![
        ("hello", json!({"name": "Ada"})),
        ("ask_docs", json!({"question": "When does an entry of the cache expire?"})),
        ("changelog", json!({"log": "examples/data/git-log.txt", "version": "1.4.0"})),
        ("code_review", json!({"path": "examples/data/shop", "pattern": "TODO|FIXME"})),
        ("extract_invoice", json!({"path": "examples/data/invoice.txt"})),
        ("multi_agent", json!({"path": "examples/data/proposal.md"})),
        ("plan_execute", json!({"goal": "Explain how requests are cached and logged"})),
        ("react_loop", json!({"question": "Which port does the server listen on?"})),
        ("research_memory", json!({"question": "How does the cache expire entries?"})),
        ("self_review", json!({"path": "examples/data/incident.txt"})),
        (
            "support_reply",
            json!({
                "customer": {"name": "Ada", "paying": true},
                "question": "When does an entry expire?",
            }),
        ),
        ("use_one_of", json!({"question": "What does the cache store?"})),
        ("会议纪要", json!({"路径": "examples/data/会议记录.txt"})),
    ]
}

#[test]
fn as_31_every_example_gives_its_known_value() {
    for (name, input) in examples() {
        let place = Place::with_examples();
        let value = place.value(&format!("examples/{name}.as"), input);
        insta::with_settings!({ snapshot_suffix => name, omit_expression => true }, {
            insta::assert_json_snapshot!("example", value);
        });
    }
}

#[test]
fn as_31_first_run_summarises_readme() {
    let place = Place::with_examples();
    let value = place.value("examples/summarize_file.as", json!({"path": "README.md"}));
    let readme = place.read("README.md").split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(value["title"], "Contexture");
    let points = value["key_points"].as_array().unwrap();
    assert!((3..=6).contains(&points.len()), "{points:?}");
    for text in points.iter().chain([&value["summary"]]) {
        let text = text.as_str().unwrap();
        assert!(text.len() > 20, "{text}");
        let plain = |text: &str| text.replace(['*', '`'], "");
        for sentence in plain(text).split_inclusive(". ") {
            assert!(plain(&readme).contains(sentence.trim()), "not in the README: {sentence}");
        }
    }
}

#[test]
fn as_26_second_question_recalls_finding_of_first() {
    let place = Place::with_examples();
    let question = json!({"question": "How does the cache expire entries?"});
    let first = place.value("examples/research_memory.as", question.clone());
    assert_eq!(first["recalled"], 0);
    let second = place.value("examples/research_memory.as", question);
    assert_eq!(second["recalled"], 1);
}

#[test]
fn kn_9_example_of_packs_answers_from_pack_and_names_sources() {
    let place = Place::with_examples();
    place.copy("examples/knowledge", ".");
    let question = json!({"question": "What does the widget cost?"});
    let answer = |question| {
        value(place.run_observed(place.request("answer.as", question), Arc::new(Allowing)))
    };
    let found = answer(question);
    assert!(found["answer"].as_str().unwrap().contains("89 euros"), "{found}");
    assert_eq!(found["sources"], json!(["documents/product-brief.md#prices"]));
    assert_eq!(found["missing"], json!([]));
    let unknown = answer(json!({"question": "Who founded the company in Lisbon?"}));
    assert!(!unknown["missing"].as_array().unwrap().is_empty(), "{unknown}");
}

#[test]
fn as_31_every_example_has_test_case() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let cases: Vec<&str> = examples().iter().map(|(name, _)| *name).collect();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "as") {
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(name == "summarize_file" || cases.contains(&name), "{name}");
        }
    }
}
