//! Arrays of messages, over both doors.

use crate::ws::client::{Client, message, said, set, text};
use crate::ws::site::{ECHO, Site};
use serde_json::{Value, json};

#[tokio::test]
async fn cp_6_array_is_answered_by_array_of_same_length() {
    let site = Site::of(ECHO).await;
    let batch = json!([
        said("a", Some("ctx_1"), "Hello"),
        { "messageId": "b" },
        5,
        set("c", "ctx_1", "x", json!(1)),
        set("d", "ctx_1", "x.y", json!(1)),
        message("TOOL_AVAILABILITY_REQUEST", "e", None, json!({ "tools": [{ "toolId": "t" }] })),
    ]);
    let (status, answers) = site.post(&batch).await;
    assert_eq!(status, 200);
    let answers = answers.as_array().unwrap();
    let kinds: Vec<_> = answers.iter().map(|answer| answer["type"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "MODEL_RESPONSE",
            "ERROR_RESPONSE",
            "ERROR_RESPONSE",
            "ACK",
            "ERROR_RESPONSE",
            "TOOL_AVAILABILITY_RESPONSE"
        ]
    );
    let ids: Vec<_> =
        answers.iter().map(|answer| answer["metadata"]["inReplyTo"].clone()).collect();
    assert_eq!(ids, [json!("a"), json!("b"), Value::Null, json!("c"), json!("d"), json!("e")]);
    assert_eq!(site.post(&json!([])).await, (200, json!([])));
}

#[tokio::test]
async fn cp_20_array_over_web_socket_is_answered_one_by_one() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let updates: Vec<Value> =
        (0..500).map(|n| set(&format!("m{n}"), "ctx_1", &format!("k{n}"), json!(n))).collect();
    client.raw(&text(Value::from(updates).to_string().as_bytes())).await;
    for n in 0..500 {
        let ack = client.message().await;
        assert_eq!(ack["content"]["version"], n + 1, "{ack}");
    }
    client.raw(&text(b"[]")).await;
    client.raw(&text(b"[5]")).await;
    assert_eq!(client.message().await["content"]["errorCode"], "VALIDATION_FAILED");
}
