//! What an answer was made of, when a later turn reads it back (GU-4).

use crate::ws::client::{Client, message, said};
use crate::ws::site::Site;
use serde_json::{Value, json};

/// Reads a page, and writes where its last answer, or the state, says.
const AGENT: &str = r#"
import tool File from "file://workspace"

main func(input { text string, messages list, state json }) {
  if input.text == "read" { return File.read({ path: "page.txt" }) }
  place = ""
  if input.text == "state" { place = input.state.place } else { place = input.messages[1].text }
  return try { { wrote: File.write({ path: place, content: "x" }).ok } } else err { { code: err.code, from: err.details.sources } }
}
"#;

fn trust_and_way(answer: &Value) -> (Value, String) {
    let value = &answer["metadata"]["value"];
    assert_eq!(value["code"], "POLICY_DENIED", "{answer:#}");
    let one = &value["from"][0];
    let path = one["path"].as_array().unwrap().iter().map(|step| step.as_str().unwrap());
    let way: Vec<&str> = [one["source"].as_str().unwrap()].into_iter().chain(path).collect();
    (one["trust"].clone(), way.join(" → "))
}

async fn ask(site: &Site, id: &str, text: &str) -> Value {
    site.post(&said(id, Some("ctx_1"), text)).await.1
}

#[tokio::test]
async fn gu_4_answer_read_back_in_next_turn_keeps_its_sources_and_client_sees_none() {
    let mut site = Site::with_files(AGENT, "", &[("page.txt", "out.txt")], None).await;
    ask(&site, "m1", "read").await;
    site.again().await;
    let refused = ask(&site, "m2", "write").await;
    let way = "page.txt → context ctx_1 → file.write.path".to_owned();
    assert_eq!(trust_and_way(&refused), (json!("tool"), way));
    assert!(!site.path("out.txt").exists());
    // A copy of the context is as low, and no door shows what the store knows.
    let fork = json!({ "contextId": "ctx_2" }).to_string();
    let head = format!("POST /v1/contexts/ctx_1/fork HTTP/1.1\r\nHost: {}\r\n", site.address);
    let head = format!("{head}Connection: close\r\nContent-Type: application/json\r\n");
    site.http(&format!("{head}Content-Length: {}\r\n\r\n{fork}", fork.len())).await;
    let (_, refused) = site.post(&said("m3", Some("ctx_2"), "write")).await;
    assert_eq!(trust_and_way(&refused).0, "tool");
    for path in ["", "/messages", "/changes"] {
        let shown = site.get(&format!("/v1/contexts/ctx_1{path}")).await.to_string();
        assert!(shown.contains("out.txt") && !shown.contains("$label"), "{shown}");
    }
}

#[tokio::test]
async fn gu_4_state_is_a_source_with_a_name() {
    let site = Site::with_files(AGENT, "", &[], None).await;
    let content = json!({ "operation": "UPDATE_STATE", "path": "place", "value": "out.txt" });
    site.post(&message("CONTEXT_UPDATE", "u1", Some("ctx_1"), content)).await;
    let refused = ask(&site, "m1", "state").await;
    let way = "the state of ctx_1 → file.write.path".to_owned();
    assert_eq!(trust_and_way(&refused), (json!("memory"), way));
}

#[tokio::test]
async fn gu_4_answer_of_intent_is_as_low_as_what_its_set_read() {
    let config =
        "[[serve.intents]]\nname = \"page\"\nmatches = '^page$'\ninstructions = \"page.json\"\n";
    let set = r#"{ "instructions": [
      { "instructionId": "read", "action": "file_read", "parameters": { "path": "page.txt" } },
      { "instructionId": "told", "action": "echo", "dependencies": ["read"],
        "parameters": { "text": "${results.read.result.value}" } } ] }"#;
    let files = [("page.txt", "out.txt"), ("page.json", set)];
    let site = Site::with_files(AGENT, config, &files, None).await;
    let told = ask(&site, "m1", "page").await;
    assert_eq!(told["metadata"]["trust"], "tool", "{told:#}");
    assert_eq!(told["content"]["text"], "out.txt");
    let refused = ask(&site, "m2", "write").await;
    let way = "page.txt → read → context ctx_1 → file.write.path".to_owned();
    assert_eq!(trust_and_way(&refused), (json!("tool"), way));
}

#[tokio::test]
async fn gu_4_set_that_names_result_of_earlier_set_is_as_low_as_it() {
    let config = "[serve]\nactions = [\"file_read\", \"file_write\"]\n";
    let site = Site::with_files(AGENT, config, &[("page.txt", "out.txt")], None).await;
    let mut client = Client::new(site.address).await;
    let set = |id: &str, steps: Value| {
        message("INSTRUCTION", id, Some("ctx_1"), json!({ "instructions": steps }))
    };
    let read = json!({ "instructionId": "read", "action": "file_read", "parameters": { "path": "page.txt" } });
    let none = json!({ "instructionId": "none", "action": "file_write", "dependencies": ["read"],
        "parameters": { "path": "here.txt", "content": "x" } });
    client.send(&set("s1", json!([read, none]))).await;
    client.answers("s1").await;
    let write = json!({ "instructionId": "write", "action": "file_write", "dependencies": ["read"],
        "parameters": { "path": "${results.read.result.value}", "content": "x" } });
    client.send(&set("s2", json!([write]))).await;
    let told = client.answers("s2").await.pop().unwrap();
    let error = &told["content"]["results"][0]["error"];
    assert_eq!(error["code"], "POLICY_DENIED", "{told:#}");
    assert!(error["message"].as_str().unwrap().contains("read → file_write"), "{error}");
    assert!(site.path("here.txt").exists() && !site.path("out.txt").exists());
}
