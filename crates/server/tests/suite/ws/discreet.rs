//! What clients and operators learn of a failure (CA-10).

use crate::ws::client::{Client, said};
use crate::ws::sets::{calls, of};
use crate::ws::site::Site;
use contexture_server::serve::{Format, Level, LogSettings};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

const KEY: &str = "sk-proj-4f9a8b7c6d5e4f3a2b1c0d9e";

/// A model that refuses each question with a status, and says a key in its words.
async fn refusing(status: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let host = address.clone();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let text = format!("Incorrect API key provided: {KEY} by {host} in /srv/keys.txt");
            let body = json!({ "error": { "message": text, "type": "x" } }).to_string();
            let head = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: ");
            let mut asked = vec![0; 1 << 16];
            let _ = stream.read(&mut asked).await;
            let _ =
                stream.write_all(format!("{head}{}\r\n\r\n{body}", body.len()).as_bytes()).await;
        }
    });
    address
}

/// A server whose model is at an address, and its log.
async fn site(address: &str) -> (Site, Arc<Mutex<Vec<u8>>>) {
    let program = format!(
        "import llm Model from \"openai+http://{address}/v1/m\"\n\
         import tool File from \"file://workspace\"\n\
         main agent Chat {{ model Model\n main func(input {{ text string }}) {{\n\
           if input.text == \"file\" {{ File.read({{ path: \"secret/place.txt\" }}) }}\n\
           generate({{ input: input.text }})\n\
         }} }}\n"
    );
    let lines = Arc::new(Mutex::new(Vec::new()));
    let out: Arc<Mutex<Vec<u8>>> = Arc::clone(&lines);
    let site = Site::set_up(&program, move |settings| {
        settings.log = LogSettings { level: Level::Info, format: Format::Json, out: Some(out) };
        settings.project.config.serve.actions = vec!["agent:*".to_owned(), "generate".to_owned()];
        settings.project.config.retry.times = 0;
    })
    .await;
    (site, lines)
}

fn events(log: &Arc<Mutex<Vec<u8>>>, event: &str) -> Vec<Value> {
    let text = String::from_utf8(log.lock().unwrap().clone()).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["event"] == event).collect()
}

fn is_discreet(told: &Value, address: &str) {
    let told = told.to_string();
    for secret in [address, "127.0.0.1", "sk-proj", "API key", "/srv", "API_KEY", "secret/place"] {
        assert!(!told.contains(secret), "{secret}: {told}");
    }
}

#[tokio::test]
async fn ca_10_wrong_key_gives_general_sentence_and_id_whose_log_has_reason() {
    let address = refusing("401 Unauthorized").await;
    let (mut site, log) = site(&address).await;
    let mut client = Client::new(site.address).await;
    client.send(&said("m1", Some("ctx_1"), "hello")).await;
    let answer = client.answers("m1").await.pop().unwrap();
    assert_eq!(answer["content"]["errorCode"], "EXECUTION_FAILED", "{answer:#}");
    is_discreet(&answer, &address);
    let id = answer["content"]["details"]["run"].as_str().unwrap().to_owned();
    let text = answer["content"]["message"].as_str().unwrap();
    assert!(text.starts_with("the agent could not answer") && text.contains(&id), "{text}");
    // OpenAI's form.
    let body = json!({ "model": "Chat", "messages": [{ "role": "user", "content": "hello" }] });
    let body = body.to_string();
    let (status, told) = site
        .http(&format!(
            "POST /v1/chat/completions HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            site.address,
            body.len()
        ))
        .await;
    assert_eq!(status, 500, "{told}");
    let told: Value = serde_json::from_str(&told).unwrap();
    is_discreet(&told, &address);
    is_discreet(&site.get("/v1/contexts/ctx_1").await, &address);
    site.end().await;
    let turns = events(&log, "turn");
    assert_eq!(turns.len(), 2, "{turns:?}");
    for turn in &turns {
        assert_eq!((&turn["status"], &turn["code"]), (&json!(401), &json!("auth")), "{turn}");
        assert!(turn["reason"].as_str().unwrap().contains("Incorrect API key"), "{turn}");
        assert!(!turn.to_string().contains(KEY), "{turn}");
    }
    assert_eq!(turns[0]["run"], json!(id));
    let second = turns[1]["run"].as_str().unwrap();
    assert!(told["error"]["message"].as_str().unwrap().contains(second), "{told}");
}

#[tokio::test]
async fn ca_10_model_that_is_down_and_missing_file_name_no_place() {
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = closed.local_addr().unwrap().to_string();
    drop(closed);
    let (mut site, log) = site(&address).await;
    let mut client = Client::new(site.address).await;
    for (id, text) in [("m1", "hello"), ("m2", "file")] {
        client.send(&said(id, Some("ctx_1"), text)).await;
        let answer = client.answers(id).await.pop().unwrap();
        assert_eq!(answer["type"], "ERROR_RESPONSE", "{answer:#}");
        is_discreet(&answer, &address);
    }
    site.end().await;
    let turns = events(&log, "turn");
    assert!(turns[0]["reason"].as_str().unwrap().contains(&address), "{turns:?}");
    assert!(turns[1]["reason"].as_str().unwrap().contains("secret/place.txt"), "{turns:?}");
}

#[tokio::test]
async fn ca_10_failed_steps_of_clients_sets_name_no_place_and_are_logged() {
    let address = refusing("503 Service Unavailable").await;
    let (mut site, log) = site(&address).await;
    let mut client = Client::new(site.address).await;
    let sent = calls(
        "r1",
        json!({ "calls": [
            { "callId": "a", "name": "agent:Chat", "parameters": { "text": "hello" } },
            { "callId": "b", "name": "generate",
              "parameters": { "prompt": "x", "model": format!("openai+http://{address}/v1/m") } },
        ] }),
    );
    client.send(&sent).await;
    let answer = of(&mut client, "TOOL_CALL_RESPONSE", "r1").await;
    is_discreet(&answer["content"], &address);
    let failed = &answer["content"]["results"][0]["error"];
    assert_eq!(
        (&failed["code"], &failed["message"]),
        (&json!("server"), &json!("the step failed"))
    );
    site.end().await;
    let steps = events(&log, "step_failed");
    assert_eq!(steps.len(), 2, "{steps:?}");
    for (step, result) in steps.iter().zip(answer["content"]["results"].as_array().unwrap()) {
        assert_eq!(step["status"], json!(503), "{step}");
        assert_eq!(step["run"], result["error"]["details"]["run"], "{step}");
    }
}
