//! Floods, clients that never read, and many at once (CP-6, CP-19).

use crate::ws::client::{Client, add, message, said, set, text};
use crate::ws::site::{ECHO, Site};
use serde_json::{Value, json};

#[tokio::test]
async fn cp_19_only_client_that_never_reads_is_disconnected() {
    let site = Site::of(ECHO).await;
    let mut other = Client::new(site.address).await;
    other.ask(&set("made", "ctx_1", "made", json!(true))).await;
    let mut silent = Client::new(site.address).await;
    silent.ask(&message("SUBSCRIBE", "s", None, json!({ "contextId": "ctx_1" }))).await;
    // More is told to it than its socket and what is kept for it hold, and it takes nothing.
    let long = "weather ".repeat(60_000);
    for n in 0..80 {
        let ack = other.ask(&set(&format!("m{n}"), "ctx_1", "long", json!(long))).await;
        assert_eq!(ack["type"], "ACK", "the others are served as before");
    }
    let mut end = None;
    while let Some(frame) = silent.frame().await {
        if frame.opcode == crate::ws::client::CLOSE {
            end = Some(u16::from_be_bytes(frame.payload[..2].try_into().unwrap()));
        }
    }
    assert!(matches!(end, Some(1013) | None), "{end:?}");
    let (client, _) = Client::resume(site.address, &silent.session, 1).await;
    assert_ne!(client.session, silent.session, "what it missed is not kept");
    other.ask(&said("last", None, "Well?")).await;
}

#[tokio::test]
async fn cp_19_flood_is_refused_and_then_disconnected() {
    let config = "[serve]\nrate_per_minute = 50\n";
    let site = Site::with(ECHO, config, None).await;
    let mut client = Client::new(site.address).await;
    let probe = message("TOOL_AVAILABILITY_REQUEST", "q", None, json!({ "tools": [] }));
    let probe = text(probe.to_string().as_bytes());
    let mut flood = 0;
    while flood < 5_000 && client.try_raw(&probe).await.is_ok() {
        flood += 1;
    }
    let (mut answered, mut warned, mut limited) = (0, 0, 0);
    while let Some(message) = client.next().await {
        match message["type"].as_str().unwrap() {
            "TOOL_AVAILABILITY_RESPONSE" => answered += 1,
            "SYSTEM_MESSAGE" => warned += 1,
            _ => {
                assert_eq!(message["content"]["errorCode"], "RATE_LIMITED", "{message}");
                limited += 1;
            }
        }
    }
    assert!((49..=52).contains(&answered), "{answered}");
    assert_eq!(warned, 1);
    assert!(limited >= 900, "{limited}");
}

#[tokio::test]
async fn cp_12_concurrent_writes_of_many_connections_are_stored() {
    let site = Site::of(ECHO).await;
    let mut clients = Vec::new();
    for _ in 0..32 {
        clients.push(Client::new(site.address).await);
    }
    for n in 0..20 {
        for (who, client) in clients.iter_mut().enumerate() {
            client.send(&add(&format!("{who}_{n}"), &format!("ctx_{}", who % 4), "kept")).await;
        }
    }
    for (who, client) in clients.iter_mut().enumerate() {
        for n in 0..20 {
            let ack = client.message().await;
            assert_eq!(
                (&ack["type"], &ack["metadata"]["inReplyTo"]),
                (&json!("ACK"), &json!(format!("{who}_{n}")))
            );
        }
    }
    for context in 0..4 {
        let whole: Value = site.get(&format!("/v1/contexts/ctx_{context}?messages=0")).await;
        assert_eq!(whole["version"], 160);
    }
}

#[tokio::test]
async fn cp_8_ending_server_notifies_clients() {
    let mut site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    client.ask(&said("m1", None, "Hello")).await;
    let end = tokio::spawn(async move { site.end().await });
    let warning = client.message().await;
    assert_eq!(warning["content"]["data"]["code"], "DRAINING", "{warning}");
    assert_eq!(client.closed().await, Some(1001));
    drop(client);
    end.await.unwrap();
}
