//! Intents that name templates and instruction sets (CP-5, 9.2).

use crate::ws::client::{Client, said};
use crate::ws::site::{ECHO, Model, Site};
use contexture::{Environment, Project};
use contexture_server::serve::{Serve, Settings};
use serde_json::{Value, json};
use std::time::Duration;

const INTENTS: &str = r#"
[[serve.intents]]
name = "sums"
matches = '^\s*[0-9+*/ ()-]+$'
instructions = "flows/sums.json"

[[serve.intents]]
name = "haiku"
contains = ["haiku"]
template = "prompts/haiku.md"
vars = { season = "autumn" }
"#;

const SUMS: &str = r#"{ "type": "INSTRUCTION", "content": { "instructions": [
  { "instructionId": "sum", "action": "calculator", "dependencies": ["input"],
    "parameters": { "expression": "${results.input.result.text}" } },
  { "instructionId": "told", "action": "echo", "dependencies": ["input", "sum"],
    "parameters": { "text": "${results.input.result.text} = ${results.sum.result.value}" } }
] } }"#;

fn files() -> Vec<(&'static str, &'static str)> {
    vec![
        ("flows/sums.json", SUMS),
        ("prompts/haiku.md", "You write one haiku about {{season}}. {{> tone}}"),
        ("prompts/tone.md", "Be \"calm\"."),
    ]
}

#[tokio::test]
async fn cp_5_intent_set_results_become_answer() {
    let site = Site::with_files(ECHO, INTENTS, &files(), None).await;
    let mut client = Client::new(site.address).await;
    client.send(&said("m1", Some("ctx_1"), "2*(3+4)")).await;
    let mut answers = client.answers("m1").await;
    let answer = answers.pop().unwrap();
    assert_eq!(answer["type"], "MODEL_RESPONSE", "{answer:#}");
    assert_eq!(answer["content"]["text"], "2*(3+4) = 14");
    assert_eq!(answer["content"]["finishReason"], "STOP");
    assert_eq!(answer["metadata"]["intent"], "sums");
    assert_eq!(answer["sender"], json!({ "id": "sums", "type": "MODEL" }));
    let first = &answers[0];
    assert_eq!(first["type"], "INSTRUCTION");
    assert_eq!(first["sender"], json!({ "id": "system", "type": "SYSTEM" }));
    assert_eq!(first["content"]["instructions"][1]["instructionId"], "told");
    assert!(answers.iter().any(|one| one["type"] == "PROGRESS"));
    let stored = site.get("/v1/contexts/ctx_1/messages").await;
    let kinds: Vec<_> = stored["messages"].as_array().unwrap().iter().map(|m| &m["type"]).collect();
    assert_eq!(kinds, ["USER_INPUT", "INSTRUCTION", "INSTRUCTION_RESPONSE", "MODEL_RESPONSE"]);
    // Sent again it is told again, and not run again.
    let (_, again) = site.post(&said("m1", Some("ctx_1"), "2*(3+4)")).await;
    assert_eq!(again["messageId"], answer["messageId"]);
    // What fails is an error.
    client.send(&said("m2", Some("ctx_1"), "1/0")).await;
    let answer = client.answers("m2").await.pop().unwrap();
    assert_eq!(answer["type"], "ERROR_RESPONSE");
    let text = answer["content"]["message"].as_str().unwrap();
    assert!(text.starts_with("the agent could not answer"), "{answer}");
    // What fits no intent goes to the agent.
    client.send(&said("m3", Some("ctx_1"), "hello")).await;
    let answer = client.answers("m3").await.pop().unwrap();
    assert_eq!(answer["content"]["text"], "hello");
}

#[tokio::test]
async fn cp_5_outcomes_of_intent_set_are_streamed_as_stored() {
    let site = Site::with_files(ECHO, INTENTS, &files(), None).await;
    let mut client = Client::new(site.address).await;
    client.send(&said("m1", Some("ctx_1"), "2*(3+4)")).await;
    let mut told = Vec::new();
    while told.last().is_none_or(|last: &Value| last["type"] != "MODEL_RESPONSE") {
        told.push(client.message().await);
    }
    told.retain(|one| one["type"] != "PROGRESS");
    // Over HTTP as events.
    let (address, body) = (site.address, said("m2", Some("ctx_1"), "1+1").to_string());
    let (status, events) = site.http(&format!(
        "POST /v1/messages HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )).await;
    assert_eq!(status, 200, "{events}");
    let data = events.lines().filter_map(|line| line.strip_prefix("data:"));
    let mut events: Vec<Value> = data.map(|data| serde_json::from_str(data).unwrap()).collect();
    events.retain(|one| one["type"] != "PROGRESS");
    let stored = site.get("/v1/contexts/ctx_1/messages").await;
    let stored = stored["messages"].as_array().unwrap();
    for (told, stored) in [(&told, &stored[1..4]), (&events, &stored[5..8])] {
        let kinds: Vec<_> = told.iter().map(|one| one["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["INSTRUCTION", "INSTRUCTION_RESPONSE", "MODEL_RESPONSE"]);
        for (told, stored) in told.iter().zip(stored) {
            let of = |one: &Value| ["messageId", "content"].map(|name| one[name].clone());
            assert_eq!(of(told), of(stored));
        }
        // They answer the INSTRUCTION, so that they end nothing of what the user waits for.
        assert_eq!(told[1]["metadata"]["inReplyTo"], told[0]["messageId"]);
        assert_eq!(told[1]["content"]["results"][0]["instructionId"], "sum");
    }
}

#[tokio::test]
async fn cp_5_intent_template_becomes_system_prompt() {
    let model = Model::saying(&["leaves ", "fall"], Duration::from_millis(1)).await;
    let site = Site::with_files(ECHO, INTENTS, &files(), Some(model.uri.clone())).await;
    let mut client = Client::new(site.address).await;
    client.send(&said("m1", Some("ctx_1"), "A haiku, please.")).await;
    let answers = client.answers("m1").await;
    let answer = answers.last().unwrap();
    assert_eq!(answer["content"]["text"], "leaves fall", "{answer:#}");
    assert_eq!(
        (&answer["metadata"]["intent"], &answer["sender"]["id"]),
        (&json!("haiku"), &json!("haiku"))
    );
    assert!(answers.iter().any(|one| one["type"] == "MODEL_RESPONSE_DELTA"), "it streams");
    let asked: Value = serde_json::from_str(&model.last()).unwrap();
    let system = &asked["messages"][0];
    assert_eq!(system["role"], "system");
    assert_eq!(system["content"], "You write one haiku about autumn. Be \"calm\".");
}

fn refused(config: &str, files: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("app.as", ECHO);
    write("contexture.toml", config);
    files.iter().for_each(|(path, text)| write(path, text));
    let home = folder.path().join("home").display().to_string();
    let project = Project::open(folder.path(), Environment::of([("HOME", home)])).unwrap();
    let fault = Serve::open(Settings::new(project, vec![folder.path().join("app.as")]));
    let fault = fault.expect_err("it is refused");
    assert_eq!(fault.code, "SRV1002", "{fault}");
    fault.to_string()
}

#[tokio::test]
async fn cp_5_intent_targets_are_checked_at_start() {
    let intent =
        |rest: &str| format!("[[serve.intents]]\nname = \"x\"\ncontains = [\"x\"]\n{rest}\n");
    let set = |action: &str| {
        format!(r#"{{ "instructions": [{{ "instructionId": "a", "action": "{action}" }}] }}"#)
    };
    let wrong = set("ecko");
    for (rest, files, expected) in [
        ("", vec![], "nobody answers"),
        ("agent = \"app\"\ninstructions = \"a.json\"", vec![], "more than one"),
        ("agent = \"app\"\nanswer = \"{ a string }\"", vec![], "no `template`"),
        ("agent = \"None\"", vec![], "not served"),
        ("instructions = \"none.json\"", vec![], "none.json"),
        ("instructions = \"../a.json\"", vec![], "../a.json"),
        ("instructions = \"a.json\"", vec![("a.json", wrong.as_str())], "ecko"),
        ("instructions = \"a.json\"", vec![("a.json", "{\"calls\": []}")], "a.json"),
        ("template = \"none.md\"", vec![], "none.md"),
        ("template = \"a.md\"", vec![("a.md", "Hello {{name}}")], "name"),
        ("template = \"a.md\"", vec![("a.md", "{{> part}}")], "part"),
        ("template = \"a.md\"\nanswer = \"{ a strin\"", vec![("a.md", "Hello")], "a.md"),
    ] {
        let said = refused(&intent(rest), &files);
        assert!(said.contains(expected), "{rest}: {said}");
    }
}
