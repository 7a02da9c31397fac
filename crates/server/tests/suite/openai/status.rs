use super::model::Model;
use super::site::Site;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn cp_20_metrics_count_events() {
    let model = Model::fast().await;
    let site = Site::with(&model.uri, "", &[]).await;
    site.get("/v1/models/none-of-these").await;
    site.get("/somewhere/else").await;
    for (id, text) in [("m1", "a secret word"), ("m1", "another word")] {
        let body = Site::said(id, text).to_string();
        site.send("POST", "/v1/messages", &[], &body).await;
    }
    site.chat(json!({ "model": "Slow", "messages": [{ "role": "user", "content": "x" }] })).await;
    let answer = site.get("/metrics").await;
    assert!(answer.head.contains("text/plain; version=0.0.4"), "{answer:?}");
    let has =
        |line: &str| assert!(answer.body.lines().any(|own| own == line), "{line}\n{}", answer.body);
    has("contexture_http_requests_total{route=\"/v1/models/{*id}\",status=\"404\"} 1");
    has("contexture_http_requests_total{route=\"other\",status=\"404\"} 1");
    has("contexture_messages_total{type=\"USER_INPUT\",outcome=\"ok\"} 1");
    has("contexture_messages_total{type=\"USER_INPUT\",outcome=\"error\"} 1");
    has("contexture_errors_total{code=\"MESSAGE_ID_CONFLICT\"} 1");
    has("contexture_turns_total{agent=\"Echo\",outcome=\"ok\"} 1");
    has("contexture_turns_total{agent=\"Slow\",outcome=\"ok\"} 1");
    has("contexture_turns_running 0");
    has("contexture_turn_duration_seconds_count 2");
    has(&format!("contexture_tokens_total{{model=\"{}\",direction=\"input\"}} 7", model.uri));
    has(&format!("contexture_tokens_total{{model=\"{}\",direction=\"output\"}} 3", model.uri));
    assert!(!answer.body.contains("secret word") && !answer.body.contains("m1"));
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_20_status_needs_no_token_but_metrics_do() {
    let site = Site::with("", "[serve]\nrequire_token = true\n", &[]).await;
    assert_eq!(site.get("/healthz").await.json(), json!({ "status": "ok" }));
    let ready = site.get("/readyz").await;
    assert_eq!((ready.status, ready.json()), (200, json!({ "status": "ready", "reasons": [] })));
    assert_eq!(site.get("/metrics").await.status, 401);
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_16_demo_page_can_be_disabled() {
    let site = Site::new().await;
    let page = site.get("/demo/").await;
    assert_eq!(page.status, 200);
    assert!(page.head.contains("content-security-policy: default-src 'none'"), "{page:?}");
    let root = site.get("/").await;
    assert_eq!(root.status, 308);
    assert!(root.head.contains("location: /demo/"), "{root:?}");
    site.ended().await.unwrap();
    let site = Site::with("", "[serve]\ndemo = false\n", &[]).await;
    for path in ["/", "/demo", "/demo/", "/demo/client.js"] {
        assert_eq!(site.get(path).await.status, 404, "{path}");
    }
    site.ended().await.unwrap();
}
