//! A context that is deleted while a turn runs in it (CP-7, CP-9).

use crate::ws::client::{Client, said};
use crate::ws::sets::{instructions, of};
use crate::ws::site::{ECHO, Model, Site};
use serde_json::{Value, json};
use std::time::Duration;

const WORDS: &[&str] = &["It ", "is ", "sun", "ny."];

#[tokio::test]
async fn cp_9_turn_in_deleted_context_ends_and_adds_nothing_to_next() {
    let model = Model::saying(WORDS, Duration::from_millis(150)).await;
    let site = Site::asking(&model).await;
    let mut client = Client::new(site.address).await;
    client.send(&said("m1", Some("ctx_1"), "Weather?")).await;
    while client.message().await["type"] != "MODEL_RESPONSE_DELTA" {}
    let address = site.address;
    let (status, _) = site
        .http(&format!(
            "DELETE /v1/contexts/ctx_1 HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
        ))
        .await;
    assert_eq!(status, 204);
    let ended = client.answers("m1").await.pop().unwrap();
    assert_eq!(ended["content"]["errorCode"], "CONTEXT_NOT_FOUND", "{ended}");
    // The same message begins anew, and the first turn has left nothing there.
    client.send(&said("m1", Some("ctx_1"), "Weather?")).await;
    let answer = client.answers("m1").await.pop().unwrap();
    assert_eq!(answer["content"]["text"], WORDS.concat());
    let stored = site.get("/v1/contexts/ctx_1").await;
    let ids: Vec<&Value> =
        stored["messages"].as_array().unwrap().iter().map(|one| &one["messageId"]).collect();
    assert_eq!(ids, [&json!("m1"), &answer["messageId"]]);
    assert_eq!(stored["version"], 2);
}

async fn delete(site: &Site) {
    let address = site.address;
    let request = format!(
        "DELETE /v1/contexts/ctx_1 HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(site.http(&request).await.0, 204);
}

#[tokio::test]
async fn cp_9_set_in_deleted_context_is_cancelled() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let steps = json!([
        { "instructionId": "wait", "action": "sleep", "parameters": { "ms": 50_000 } },
        { "instructionId": "after", "action": "sleep", "parameters": { "ms": 50_000 } },
    ]);
    client.send(&instructions("i1", json!({ "instructions": steps }))).await;
    while client.message().await["content"]["id"] != "wait" {}
    delete(&site).await;
    let ended = of(&mut client, "ERROR_RESPONSE", "i1").await;
    assert_eq!(ended["content"]["errorCode"], "CONTEXT_NOT_FOUND", "{ended}");
}

#[tokio::test]
async fn cp_7_set_repeated_after_context_deletion_runs_again() {
    let site = Site::of(ECHO).await;
    let echo = |n: u64| {
        let step = json!({ "instructionId": "a", "action": "echo", "parameters": { "n": n } });
        instructions("i1", json!({ "instructions": [step] }))
    };
    let (_, first) = site.post(&echo(1)).await;
    assert_eq!(site.post(&echo(1)).await.1["messageId"], first["messageId"]);
    delete(&site).await;
    let (status, again) = site.post(&echo(1)).await;
    assert_eq!((status, &again["type"]), (200, &json!("INSTRUCTION_RESPONSE")), "{again}");
    assert_ne!(again["messageId"], first["messageId"]);
    let stored = site.get("/v1/contexts/ctx_1/messages").await;
    assert_eq!(stored["messages"][1]["messageId"], again["messageId"]);
    // What an id held in a context that is gone binds nobody.
    delete(&site).await;
    let (_, other) = site.post(&echo(2)).await;
    assert_eq!(other["content"]["results"][0]["result"], json!({ "n": 2 }), "{other}");
}

#[tokio::test]
async fn cp_7_message_repeated_after_context_deletion_is_answered_once() {
    let model = Model::saying(WORDS, Duration::from_millis(60)).await;
    let site = Site::asking(&model).await;
    let mut client = Client::new(site.address).await;
    client.send(&said("m1", Some("ctx_1"), "Weather?")).await;
    while client.message().await["type"] != "MODEL_RESPONSE_DELTA" {}
    let address = site.address;
    let delete = format!(
        "DELETE /v1/contexts/ctx_1 HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    );
    let mut other = Client::new(site.address).await;
    assert_eq!(site.http(&delete).await.0, 204);
    // The first turn may not have ended yet.
    let answer = other.ask(&said("m1", Some("ctx_1"), "Weather?")).await;
    assert_eq!(answer["content"]["text"], WORDS.concat(), "{answer}");
    let stored = site.get("/v1/contexts/ctx_1/messages").await;
    assert_eq!(stored["messages"].as_array().unwrap().len(), 2, "{stored}");
    assert_eq!(stored["messages"][1]["messageId"], answer["messageId"]);
}
