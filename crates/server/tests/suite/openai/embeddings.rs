//! `/v1/embeddings` (WA-8).

use super::script::{Script, says};
use super::site::{Answer, Site};
use serde_json::{Value, json};

async fn ask(site: &Site, more: Value) -> Answer {
    let mut asked = json!({ "model": "scripted", "input": ["a", "b"] });
    for (name, value) in more.as_object().unwrap() {
        asked[name] = value.clone();
    }
    site.send("POST", "/v1/embeddings", &[], &asked.to_string()).await
}

fn setting(model: &Script) -> String {
    format!("[serve]\nembeddings = \"{}\"\n", model.uri)
}

#[tokio::test(flavor = "multi_thread")]
async fn wa_8_embeddings_come_from_model_of_settings_in_order() {
    let rows = json!([
        { "object": "embedding", "index": 1, "embedding": [2.0, -1.5] },
        { "object": "embedding", "index": 0, "embedding": [1.0, 0.5] },
    ]);
    let model = Script::new([json!({ "data": rows, "usage": { "prompt_tokens": 4 } })]).await;
    let site = Site::with("", &setting(&model), &[]).await;
    let answer = ask(&site, json!({ "dimensions": 2 })).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let answer = answer.json();
    assert_eq!(
        answer["data"][0],
        json!({ "object": "embedding", "index": 0, "embedding": [1.0, 0.5] })
    );
    assert_eq!(
        (&answer["model"], &answer["usage"]["total_tokens"]),
        (&json!("scripted"), &json!(4))
    );
    let sent = &model.asked()[0];
    assert_eq!((&sent["input"], &sent["dimensions"]), (&json!(["a", "b"]), &json!(2)));
    let packed = ask(&site, json!({ "encoding_format": "base64" })).await.json();
    assert_eq!(packed["data"][1]["embedding"], "AAAAQAAAwL8=", "little-endian, 32 bits");
    let listed = site.get("/v1/models").await.json();
    assert!(
        listed["data"].as_array().unwrap().iter().any(|one| one["id"] == "scripted"),
        "{listed}"
    );
    assert_eq!(site.get("/v1/models/scripted").await.status, 200);
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn wa_8_bad_requests_and_answers_of_embeddings_are_refused() {
    let model = Script::new([json!({ "data": [{ "embedding": [1.0] }] }), says("x")]).await;
    let site = Site::with("", &setting(&model), &[]).await;
    let many: Vec<&str> = vec!["x"; 2049];
    for (param, more) in [
        ("input", json!({ "input": [] })),
        ("input", json!({ "input": [1, 2] })),
        ("input", json!({ "input": "" })),
        ("input", json!({ "input": many })),
        ("encoding_format", json!({ "encoding_format": "int8" })),
        ("dimensions", json!({ "dimensions": 0 })),
        ("inputs", json!({ "inputs": "x" })),
    ] {
        let answer = ask(&site, more).await;
        assert_eq!(
            (answer.status, &answer.json()["error"]["param"]),
            (400, &json!(param)),
            "{answer:?}"
        );
    }
    assert!(model.asked().is_empty());
    for _ in 0..2 {
        let answer = ask(&site, json!({})).await;
        assert_eq!(
            (answer.status, &answer.json()["error"]["type"]),
            (500, &json!("server_error")),
            "{answer:?}"
        );
        assert!(!answer.body.contains("127.0.0.1"), "{answer:?}");
    }
    let answer = ask(&site, json!({ "model": "Echo" })).await;
    assert_eq!((answer.status, &answer.json()["error"]["code"]), (404, &json!("model_not_found")));
    site.ended().await.unwrap();
    let site = Site::new().await;
    assert_eq!(ask(&site, json!({})).await.status, 404, "no model is set");
    site.ended().await.unwrap();
}
