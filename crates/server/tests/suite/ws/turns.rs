//! Turns: order, streaming, cancellation.

use crate::serve::http::Http;
use crate::ws::client::{Client, add, message, said};
use crate::ws::site::{ECHO, Model, Site};
use serde_json::{Value, json};
use std::time::Duration;

const WORDS: &[&str] = &["It ", "is ", "sun", "ny ", "in ", "Os", "lo."];

fn cancel(id: &str, target: &str) -> Value {
    message("CONTROL", id, None, json!({ "action": "CANCEL", "target": target }))
}

#[tokio::test]
async fn cp_8_text_deltas_join_to_answer() {
    let model = Model::saying(WORDS, Duration::from_millis(2)).await;
    let site = Site::asking(&model).await;
    let mut client = Client::new(site.address).await;
    client.send(&said("m1", Some("ctx_1"), "Weather?")).await;
    let mut answers = client.answers("m1").await;
    let answer = answers.pop().unwrap();
    assert_eq!(answer["content"]["text"], WORDS.concat());
    assert_eq!(answer["content"]["finishReason"], "STOP");
    assert!(answers.len() > 1);
    let mut text = String::new();
    for (index, delta) in answers.iter().enumerate() {
        assert_eq!(delta["type"], "MODEL_RESPONSE_DELTA", "{delta}");
        assert_eq!(delta["content"]["index"], index);
        assert_eq!(delta["content"]["messageId"], answer["messageId"]);
        text += delta["content"]["text"].as_str().unwrap();
    }
    assert_eq!(text, WORDS.concat());
    let stored = site.get("/v1/contexts/ctx_1/messages").await;
    let kinds: Vec<_> = stored["messages"].as_array().unwrap().iter().map(|m| &m["type"]).collect();
    assert_eq!(kinds, ["USER_INPUT", "MODEL_RESPONSE"], "deltas are streamed alone");
}

#[tokio::test]
async fn cp_8_waiting_turn_is_cancelled_without_text() {
    let model = Model::saying(WORDS, Duration::from_millis(100)).await;
    let site = Site::asking(&model).await;
    let mut client = Client::new(site.address).await;
    client.send(&said("m1", Some("ctx_1"), "First?")).await;
    client.send(&said("m2", Some("ctx_1"), "Second?")).await;
    // The second waits in the lane of its context.
    tokio::time::sleep(Duration::from_millis(50)).await;
    client.send(&cancel("c2", "m2")).await;
    let refused = client.answers("m2").await.pop().unwrap();
    assert_eq!(refused["content"]["errorCode"], "CANCELLED", "{refused}");
    client.send(&cancel("c1", "m1")).await;
    client.answers("m1").await;
    assert!(model.asked() <= 1);
}

#[tokio::test]
async fn cp_8_cancelled_turn_stores_its_text() {
    let model = Model::saying(WORDS, Duration::from_millis(150)).await;
    let site = Site::asking(&model).await;
    let mut client = Client::new(site.address).await;
    client.send(&said("m1", Some("ctx_1"), "Weather?")).await;
    while client.message().await["type"] != "MODEL_RESPONSE_DELTA" {}
    client.send(&cancel("c1", "m1")).await;
    let ended = client.answers("m1").await.pop().unwrap();
    assert_eq!(ended["type"], "MODEL_RESPONSE", "{ended}");
    assert_eq!(ended["content"]["finishReason"], "ERROR");
    assert_eq!(ended["metadata"]["error"]["code"], "CANCELLED");
    let text = ended["content"]["text"].as_str().unwrap();
    assert!(
        !text.is_empty() && WORDS.concat().starts_with(text) && text != WORDS.concat(),
        "{text}"
    );
    let stored = site.get("/v1/contexts/ctx_1/messages").await;
    assert_eq!(stored["messages"][1]["content"]["text"], text, "what was said is kept");
    // The answer of the same message is the same, and another cancel changes nothing.
    let again = client.ask(&said("m1", Some("ctx_1"), "Weather?")).await;
    assert_eq!(again["messageId"], ended["messageId"]);
    client.ask(&cancel("c2", "m1")).await;
}

#[tokio::test]
async fn wa_7_run_of_turn_under_way_is_cancelled_over_http() {
    let model = Model::saying(WORDS, Duration::from_millis(150)).await;
    let site = Site::asking(&model).await;
    let mut client = Client::new(site.address).await;
    client.send(&said("m1", Some("ctx_1"), "Weather?")).await;
    while client.message().await["type"] != "MODEL_RESPONSE_DELTA" {}
    let runs = site.get("/v1/runs").await;
    assert_eq!(runs["runs"][0]["state"], "RUNNING", "{runs}");
    let run = runs["runs"][0]["run"].as_str().unwrap().to_owned();
    let http = Http::new(site.address);
    let cancel = move || http.send("POST", &format!("/v1/runs/{run}/cancel"), None);
    let cancel = std::sync::Arc::new(cancel);
    let first = std::sync::Arc::clone(&cancel);
    let answer = tokio::task::spawn_blocking(move || first()).await.unwrap();
    assert_eq!((answer.status, &answer.json()["state"]), (200, &"CANCELLED".into()), "{answer:?}");
    let ended = client.answers("m1").await.pop().unwrap();
    assert_eq!(ended["metadata"]["error"]["code"], "CANCELLED", "{ended}");
    assert_eq!(ended["metadata"]["run"], answer.json()["run"]);
    let again = tokio::task::spawn_blocking(move || cancel()).await.unwrap();
    assert_eq!(again.status, 409, "{again:?}");
    assert_eq!(site.get("/v1/runs").await["runs"][0]["state"], "CANCELLED");
}

#[tokio::test]
async fn cp_8_control_of_ended_turn_changes_nothing_and_unknown_is_refused() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let unknown = client.ask(&cancel("c1", "m1")).await;
    assert_eq!(
        unknown["content"]["errorCode"], "UNKNOWN_ID",
        "a cancel that comes first: {unknown}"
    );
    let answer = client.ask(&said("m1", Some("ctx_1"), "Hello")).await;
    assert_eq!(answer["content"]["text"], "Hello");
    client.ask(&cancel("c2", "m1")).await;
    let again = client.ask(&said("m1", Some("ctx_1"), "Hello")).await;
    assert_eq!(again["content"], answer["content"]);
}

#[tokio::test]
async fn cp_5_turns_are_sequential_per_context_and_parallel_across() {
    let model = Model::saying(WORDS, Duration::from_millis(20)).await;
    let site = Site::asking(&model).await;
    let mut client = Client::new(site.address).await;
    for n in 0..4 {
        client.send(&said(&format!("m{n}"), Some("ctx_1"), "One after another.")).await;
    }
    client.send(&said("other", Some("ctx_2"), "Beside.")).await;
    let mut ended = Vec::new();
    let mut open: Option<String> = None;
    while ended.len() < 5 {
        let message = client.message().await;
        let id = message["metadata"]["inReplyTo"].as_str().unwrap().to_owned();
        if id != "other" {
            assert!(open.as_ref().is_none_or(|open| *open == id), "two turns at once");
            open = Some(id.clone());
        }
        if crate::ws::client::is_end(&message) {
            ended.push(id.clone());
            open = open.filter(|open| *open != id);
        }
    }
    let order: Vec<_> = ended.iter().filter(|id| *id != "other").collect();
    assert_eq!(order, ["m0", "m1", "m2", "m3"]);
    assert_ne!(ended.last().unwrap(), "other", "it does not wait for the others");
}

#[tokio::test]
async fn cp_6_turn_outlives_its_connection() {
    let model = Model::saying(WORDS, Duration::from_millis(20)).await;
    let site = Site::asking(&model).await;
    let mut client = Client::new(site.address).await;
    client.send(&said("m1", Some("ctx_1"), "Weather?")).await;
    while client.message().await["type"] != "MODEL_RESPONSE_DELTA" {}
    client.cut();
    // Another client, without the session, hears the whole turn.
    let mut other = Client::new(site.address).await;
    other.send(&said("m1", Some("ctx_1"), "Weather?")).await;
    let mut answers = other.answers("m1").await;
    assert_eq!(answers.pop().unwrap()["content"]["text"], WORDS.concat());
    let text: String =
        answers.iter().map(|delta| delta["content"]["text"].as_str().unwrap()).collect();
    assert_eq!(text, WORDS.concat());
    assert_eq!(model.asked(), 1);
}

#[tokio::test]
async fn cp_6_messages_of_connection_take_effect_in_order() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    for n in 0..100 {
        client.send(&add(&format!("m{n}"), "ctx_1", &n.to_string())).await;
    }
    for n in 0..100 {
        let ack = client.message().await;
        assert_eq!((&ack["type"], &ack["content"]["version"]), (&json!("ACK"), &json!(n + 1)));
        assert_eq!(ack["metadata"]["inReplyTo"], format!("m{n}"));
    }
    let stored = site.get("/v1/contexts/ctx_1/messages?limit=200").await;
    for (n, message) in stored["messages"].as_array().unwrap().iter().enumerate() {
        assert_eq!(message["content"]["text"], n.to_string());
        assert_eq!(message["metadata"]["seq"], n + 1);
    }
}

#[tokio::test]
async fn cp_8_immediate_cancel_finds_turn() {
    let model = Model::saying(WORDS, Duration::from_secs(5)).await;
    let site = Site::asking(&model).await;
    let mut client = Client::new(site.address).await;
    client.send(&said("m1", None, "Weather?")).await;
    client.send(&cancel("c1", "m1")).await;
    let (mut acknowledged, mut ended) = (false, None);
    while !acknowledged || ended.is_none() {
        let message = client.message().await;
        if message["metadata"]["inReplyTo"] == "c1" {
            assert_eq!(message["type"], "ACK", "{message}");
            acknowledged = true;
        } else {
            ended = Some(message);
        }
    }
    assert_eq!(ended.unwrap()["content"]["errorCode"], "CANCELLED");
}

const PLANS: &str = r#"
import llm Mock from "mock"
import tool File from "file://workspace"
model Mock
main func(input { text string }) { generate({ input: "Keep it.", tools: [File.write], plan: true }) }
"#;

#[tokio::test]
async fn gu_7_plan_of_turn_is_told_before_it_is_carried_out() {
    let site = Site::with_files(PLANS, "", &[], None).await;
    let mut client = Client::new(site.address).await;
    client.send(&said("m1", Some("ctx_1"), "Keep it.")).await;
    let answers = client.answers("m1").await;
    let told = answers.iter().find(|one| one["type"] == "PROGRESS");
    let text = told.and_then(|one| one["content"]["message"].as_str()).unwrap_or_default();
    assert!(text.starts_with("plan:\n") && text.contains("answer"), "{answers:#?}");
    assert_eq!(answers.last().unwrap()["type"], "MODEL_RESPONSE");
}
