//! The same message again (CP-7).

use crate::ws::client::{Client, add, said, set};
use crate::ws::site::{ECHO, Model, Site};
use serde_json::{Value, json};
use std::time::Duration;

const WORDS: &[&str] = &["Sun", "ny", "."];

/// A message but for its number in the session.
fn own(mut message: Value) -> Value {
    message["metadata"].as_object_mut().unwrap().shift_remove("seq");
    message
}

#[tokio::test]
async fn cp_7_same_message_on_two_connections_gets_same_turn() {
    let model = Model::saying(WORDS, Duration::from_millis(30)).await;
    let site = Site::asking(&model).await;
    let (mut first, mut second) =
        (Client::new(site.address).await, Client::new(site.address).await);
    first.send(&said("m1", Some("ctx_1"), "Weather?")).await;
    second.send(&said("m1", Some("ctx_1"), "Weather?")).await;
    let (one, two) = (first.answers("m1").await, second.answers("m1").await);
    let (one, two): (Vec<_>, Vec<_>) =
        (one.into_iter().map(own).collect(), two.into_iter().map(own).collect());
    assert_eq!(one, two);
    // After its end too, and over HTTP the same as ever.
    let third = first.ask(&said("m1", Some("ctx_1"), "Weather?")).await;
    assert_eq!(own(third), *one.last().unwrap());
    let (status, over_http) = site.post(&said("m1", Some("ctx_1"), "Weather?")).await;
    assert_eq!((status, &own(over_http)), (200, one.last().unwrap()));
    assert_eq!(model.asked(), 1);
    let stored = site.get("/v1/contexts/ctx_1/messages").await;
    assert_eq!(stored["messages"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn cp_7_other_content_with_same_id_is_conflict() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    client.ask(&said("m1", Some("ctx_1"), "Hello")).await;
    let refused = client.ask(&said("m1", Some("ctx_1"), "Goodbye")).await;
    assert_eq!(refused["content"]["errorCode"], "MESSAGE_ID_CONFLICT");
    let (status, refused) = site.post(&said("m1", Some("ctx_1"), "Goodbye")).await;
    assert_eq!((status, &refused["content"]["errorCode"]), (409, &json!("MESSAGE_ID_CONFLICT")));
    // In another context it is another message, and a new time does not make another of it.
    assert_eq!(
        client.ask(&said("m1", Some("ctx_2"), "Goodbye")).await["content"]["text"],
        "Goodbye"
    );
    let mut later = said("m1", Some("ctx_1"), "Hello");
    later["timestamp"] = "2026-01-01T00:00:00Z".into();
    assert_eq!(client.ask(&later).await["content"]["text"], "Hello");
    client.ask(&set("u1", "ctx_1", "x", json!(1))).await;
    let refused = client.ask(&set("u1", "ctx_1", "x", json!(2))).await;
    assert_eq!(refused["content"]["errorCode"], "MESSAGE_ID_CONFLICT");
}

#[tokio::test]
async fn cp_7_answer_after_restart_is_identical() {
    let mut site = Site::of(ECHO).await;
    let input = said("m1", Some("ctx_1"), "Hello");
    let keyless = said("m2", None, "Without a context");
    let update = add("u1", "ctx_1", "said");
    let (_, answer) = site.post(&input).await;
    let (_, made) = site.post(&keyless).await;
    let (_, ack) = site.post(&update).await;
    for _ in 0..2 {
        assert_eq!(site.post(&input).await, (200, answer.clone()), "its place in the context too");
        assert_eq!(site.post(&keyless).await, (200, made.clone()));
        assert_eq!(site.post(&update).await, (200, ack.clone()));
        site.again().await;
    }
    assert_eq!(answer["metadata"]["seq"], 2, "{answer}");
    let stored = site.get("/v1/contexts/ctx_1/messages").await;
    assert_eq!(stored["messages"].as_array().unwrap().len(), 3, "each had effect once");
}

#[tokio::test]
async fn cp_7_same_update_on_two_connections_has_effect_once() {
    let site = Site::of(ECHO).await;
    let (mut first, mut second) =
        (Client::new(site.address).await, Client::new(site.address).await);
    for n in 0..50 {
        let update = add(&format!("m{n}"), "ctx_1", "once");
        first.send(&update).await;
        second.send(&update).await;
    }
    for n in 0..50 {
        let id = format!("m{n}");
        let one = first.answers(&id).await.pop().unwrap();
        let two = second.answers(&id).await.pop().unwrap();
        assert_eq!(own(one), own(two));
    }
    let whole = site.get("/v1/contexts/ctx_1?messages=0").await;
    assert_eq!(whole["version"], 50, "{whole}");
}
