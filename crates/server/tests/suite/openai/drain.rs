use super::model::Model;
use super::site::{Site, eventually, until};
use serde_json::{Value, json};

/// A server with a turn that runs, which was asked to end meanwhile.
async fn draining(config: &str) -> (Site, Model, tokio::net::TcpStream) {
    let model = Model::new().await;
    let intent = "[[serve.intents]]\nname = \"slow\"\ncontains = [\"slow\"]\nagent = \"Slow\"\n";
    let mut site = Site::with(&model.uri, &format!("{config}\n{intent}"), &[]).await;
    let body = Site::said("m1", "a slow one").to_string();
    let accept = [("Accept", "text/event-stream")];
    let mut stream = site.begin("POST", "/v1/messages", &accept, &body).await;
    model.gate.add_permits(1);
    until(&mut stream, "MODEL_RESPONSE_DELTA").await;
    site.stop();
    (site, model, stream)
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_6_ending_server_finishes_turns_and_starts_none() {
    let (site, model, mut stream) = draining("").await;
    // Who waits is told.
    let told = until(&mut stream, "SYSTEM_MESSAGE").await;
    assert!(told.contains("DRAINING"), "{told}");
    let ready = site.get("/readyz").await;
    assert_eq!((ready.status, ready.json()["status"].as_str()), (503, Some("not ready")));
    assert_eq!(site.get("/healthz").await.status, 200);

    let body = Site::said("m2", "something new").to_string();
    let answer = site.send("POST", "/v1/messages", &[], &body).await;
    assert_eq!(answer.status, 503, "{answer:?}");
    let error = &answer.json()["content"];
    assert_eq!((&error["errorCode"], &error["recoverable"]), (&json!("INTERNAL"), &json!(true)));
    assert_eq!(error["details"]["violatedPolicies"], json!(["draining"]));
    let asked = json!({ "model": "Echo", "messages": [{ "role": "user", "content": "x" }] });
    let answer = site.chat(asked).await;
    assert_eq!((answer.status, answer.head.contains("x-should-retry: true")), (503, true));

    model.gate.add_permits(2);
    let rest = until(&mut stream, "\"finishReason\":\"STOP\"").await;
    assert!(rest.contains("one two three"), "{rest}");
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn wa_13_server_that_was_asked_to_end_takes_work_for_drain_delay() {
    let model = Model::new().await;
    let mut site = Site::with(&model.uri, "[serve]\ndrain_delay = 2", &[]).await;
    site.stop();
    eventually("it says so", async || site.get("/readyz").await.status == 503).await;
    let body = Site::said("m1", "hello").to_string();
    let answer = site.send("POST", "/v1/messages", &[], &body).await;
    assert_eq!((answer.status, answer.json()["type"].as_str()), (200, Some("MODEL_RESPONSE")));
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_6_endless_turn_is_cancelled_at_drain_timeout() {
    let (site, _model, mut stream) = draining("[serve]\ndrain_timeout = 1").await;
    let rest = until(&mut stream, "\"finishReason\":\"ERROR\"").await;
    assert!(rest.contains("CANCELLED"), "{rest}");
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_6_ended_stream_is_resumed_while_server_ends() {
    let (site, model, stream) = draining("").await;
    drop(stream);
    let body = Site::said("m1", "a slow one").to_string();
    let accept = [("Accept", "text/event-stream"), ("Last-Event-ID", "1")];
    let mut stream = site.begin("POST", "/v1/messages", &accept, &body).await;
    eventually("it is heard", async || model.gate.available_permits() == 0).await;
    model.gate.add_permits(2);
    let rest = until(&mut stream, "\"finishReason\":\"STOP\"").await;
    let deltas: Vec<Value> = rest
        .lines()
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
        .filter(|message: &Value| message["type"] == "MODEL_RESPONSE_DELTA")
        .collect();
    assert_eq!(deltas.len(), 2, "{rest}");
    site.ended().await.unwrap();
}
