//! `contexture docs` and `contexture types`.

use crate::support::Sandbox;
use serde_json::Value;

const PROGRAM: &str = "\
import llm Model from \"builtin://extractive\"
shape 事 { title string length 1 to 9, parts list[事]? }
model Model
main agent Triage {
  main func(x 事) -> 事 { x }
  func add(a integer, b integer) { a + b }
}
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("app.as", PROGRAM);
    sandbox
}

fn references<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::Object(map) => {
            found.extend(map.get("$ref").and_then(Value::as_str));
            map.values().for_each(|part| references(part, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

#[track_caller]
fn all_resolve(document: &Value) -> usize {
    let mut found = Vec::new();
    references(document, &mut found);
    for reference in &found {
        let target = document.pointer(reference.strip_prefix('#').unwrap());
        assert!(target.is_some(), "{reference} leads nowhere");
    }
    found.len()
}

#[test]
fn ty_12_docs_openapi_has_real_path_and_references_that_resolve() {
    let sandbox = sandbox();
    let done = sandbox.run(["docs", "app.as", "--openapi"]).exits(0);
    let document: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    assert!(all_resolve(&document) >= 8);
    let paths: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();
    assert_eq!(paths, ["/v1/messages"]);
    let is_key = |sign: char| sign.is_ascii_alphanumeric() || "._-".contains(sign);
    let schemas = document["components"]["schemas"].as_object().unwrap();
    assert!(schemas.keys().all(|key| key.chars().all(is_key)), "{:?}", schemas.keys());
    let call = &schemas["call.Triage.add"]["properties"]["content"]["properties"];
    let instruction = &call["instructions"]["items"]["properties"];
    assert_eq!(instruction["action"]["const"], "agent:Triage.add");
    assert_eq!(instruction["parameters"]["required"], serde_json::json!(["a", "b"]));
}

#[test]
fn ty_12_docs_json_has_shapes_as_definitions() {
    let done = sandbox().run(["docs", "app.as", "--json"]).exits(0);
    let document: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(all_resolve(&document), 3);
    assert_eq!(document["$defs"]["事"]["properties"]["title"]["maxLength"], 9);
    assert_eq!(document["entries"][1]["result_is_declared"], false);
    assert_eq!(document["touches"][0]["kind"], "model");
}

#[test]
fn ty_12_docs_and_types_refuse_invalid_program_and_usage() {
    let sandbox = sandbox();
    sandbox.write("bad.as", "main func(input) { (1 }");
    let cases: [(&[&str], &str); 6] = [
        (&["docs", "bad.as"], "bad.as:1:"),
        (&["types", "bad.as", "--lang", "ts"], "bad.as:1:"),
        (&["docs", "none.as"], "none.as"),
        (&["docs", "app.as", "--json", "--openapi"], "--openapi"),
        (&["types", "app.as"], "--lang"),
        (&["types", "app.as", "--lang", "cobol"], "cobol"),
    ];
    for (arguments, told) in cases {
        let done = sandbox.run(arguments).exits(2);
        assert!(done.stderr.contains(told), "{}", done.stderr);
    }
}
