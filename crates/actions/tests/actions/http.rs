use super::Fixture;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Answers one request and returns what it was.
async fn server(body: &'static str) -> (u16, tokio::task::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let answered = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut asked = Vec::new();
        while !String::from_utf8_lossy(&asked).contains("\r\n\r\n") {
            let mut piece = [0; 4096];
            let count = stream.read(&mut piece).await.unwrap();
            asked.extend_from_slice(&piece[..count]);
        }
        let head = format!(
            "HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
        String::from_utf8_lossy(&asked).into_owned()
    });
    (port, answered)
}

#[tokio::test]
async fn fl_3_http_asks_and_sends() {
    let fixture =
        Fixture::with(|settings| settings.tools.allow_private = vec!["127.0.0.1".to_owned()]);
    let (port, asked) = server(r#"{"city": "北京"}"#).await;
    let url = format!("http://127.0.0.1:{port}/weather?key=secret#part");
    let answer = fixture.call("http_get", json!({"url": url, "headers": {"x-a": "b"}})).await;
    assert_eq!(answer["value"], json!({"city": "北京"}));
    assert_eq!((&answer["ok"], &answer["status"]), (&json!(true), &json!(201)));
    assert_eq!(answer["source"], format!("http://127.0.0.1:{port}/weather"));
    let asked = asked.await.unwrap();
    assert!(
        asked.starts_with("GET /weather?key=secret HTTP/1.1\r\n") && asked.contains("x-a: b"),
        "{asked}"
    );

    let (port, asked) = server("null").await;
    let url = format!("http://127.0.0.1:{port}/");
    fixture.call("http_send", json!({"url": url, "method": "PUT", "body": {"n": 1}})).await;
    assert!(asked.await.unwrap().starts_with("PUT / HTTP/1.1\r\n"));
}

#[tokio::test]
async fn fl_11_sent_request_carries_idempotency_key() {
    let fixture =
        Fixture::with(|settings| settings.tools.allow_private = vec!["127.0.0.1".to_owned()]);
    for (more, header) in [
        (json!({"body": "b"}), "\r\nidempotency-key: order-7\r\n"),
        (json!({"headers": {"x-a": "b"}}), "\r\nidempotency-key: order-7\r\n"),
        (json!({"headers": {"IDEMPOTENCY-KEY": "own"}}), "\r\nidempotency-key: own\r\n"),
    ] {
        let (port, asked) = server("null").await;
        let mut parameters = more;
        parameters["url"] = format!("http://127.0.0.1:{port}/").into();
        parameters["idempotencyKey"] = "order-7".into();
        fixture.call("http_send", parameters).await;
        let asked = asked.await.unwrap().to_lowercase();
        assert!(asked.contains(header), "{asked}");
        assert_eq!(asked.matches("idempotency-key").count(), 1, "{asked}");
    }
    // What only looks is the same however often it is asked.
    let (port, asked) = server("null").await;
    let url = format!("http://127.0.0.1:{port}/");
    fixture.call("http_get", json!({"url": url, "idempotencyKey": "order-7"})).await;
    assert!(!asked.await.unwrap().contains("order-7"));
}

#[tokio::test]
async fn fl_3_http_refuses_private_addresses_loopback_too() {
    let fixture = Fixture::new();
    for url in [
        "http://127.0.0.1:8080/",
        "http://localhost/",
        "http://a.localhost./",
        "http://[::1]/",
        "http://2130706433/",
        "http://169.254.169.254/latest/meta-data",
        "http://10.0.0.1/",
        "http://[::ffff:192.168.0.1]/",
    ] {
        fixture
            .refuses(
                "http_get",
                json!({ "url": url }),
                "HTTP_PRIVATE_ADDRESS",
                "network.allow_private",
            )
            .await;
    }
}

#[tokio::test]
async fn fl_3_http_refuses_what_is_not_url_without_repeating_it() {
    let fixture = Fixture::new();
    for url in [
        "",
        "data",
        "//host/x",
        "ftp://host/x",
        "file:///etc/passwd",
        "http://",
        "https://me:secret@host.example/",
    ] {
        let (code, message) = fixture.fails("http_get", json!({ "url": url })).await;
        assert_eq!(code, "HTTP_URL", "{url}");
        assert!(!message.contains("secret") && !message.contains("passwd"), "{message}");
    }
    let headers =
        json!({"url": "https://host.example/", "headers": {"authorization": ["Bearer secret"]}});
    let (code, message) = fixture.fails("http_get", headers).await;
    assert!(code == "VALIDATION_FAILED" && !message.contains("secret"), "{code}: {message}");
    let send = json!({"url": "https://host.example/", "method": "TRACE"});
    fixture.refuses("http_send", send, "VALIDATION_FAILED", "POST").await;
    fixture
        .refuses(
            "http_get",
            json!({"url": "https://host.example/", "body": 1}),
            "VALIDATION_FAILED",
            "body",
        )
        .await;
}
