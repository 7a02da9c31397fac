//! How a connection begins: versions, sessions, HELLO.

use crate::ws::client::{Client, message, said, set};
use crate::ws::site::{ECHO, Site};
use serde_json::json;

#[tokio::test]
async fn cp_4_newer_minor_version_is_served_in_ours() {
    let site = Site::of(ECHO).await;
    for (theirs, ours) in [("1.0.0", "1.0.0"), ("1.7.3", "1.0.0"), ("1", "1.0.0")] {
        let mut client = Client::open(site.address).await;
        let welcome = client.hello(json!({ "protocolVersion": theirs })).await;
        assert_eq!(welcome["protocolVersion"], ours, "{theirs}");
        assert_eq!(welcome["lastSeq"], 0);
        assert!(welcome["sessionId"].as_str().unwrap().starts_with("ses_"));
    }
}

#[tokio::test]
async fn cp_4_other_major_version_is_refused_and_connection_closed() {
    let site = Site::of(ECHO).await;
    for theirs in ["2.0.0", "0.9"] {
        let mut client = Client::open(site.address).await;
        let hello = message("HELLO", "m1", None, json!({ "protocolVersion": theirs }));
        client.send(&hello).await;
        let refused = client.message().await;
        let error = &refused["content"];
        assert_eq!(error["errorCode"], "UNSUPPORTED_VERSION", "{refused}");
        assert_eq!(refused["metadata"]["inReplyTo"], "m1");
        let text = error["message"].as_str().unwrap();
        assert!(text.contains("1.0.0") && text.contains(&theirs[..3]), "{text}");
        assert_eq!(error["recoverable"], false);
        assert_eq!(client.closed().await, Some(1008));
    }
    let lines = "Sec-WebSocket-Protocol: mcp-cp.2, mcp-cp.3\r\n";
    let head = Client::open_with(site.address, lines).await.err().unwrap();
    assert!(head.starts_with("HTTP/1.1 400"), "{head}");
}

#[tokio::test]
async fn cp_6_invalid_hello_is_answered_and_connection_closed() {
    let site = Site::of(ECHO).await;
    for content in [
        json!({ "protocolVersion": "1.0.0", "sessionId": "ses_1", "lastSeq": -1 }),
        json!({ "protocolVersion": "1.0.0", "lastSeq": "1" }),
        json!({ "protocolVersion": 1 }),
        json!({}),
    ] {
        let mut client = Client::open(site.address).await;
        client.send(&message("HELLO", "h", None, content.clone())).await;
        let refused = client.message().await;
        assert_eq!(refused["content"]["errorCode"], "VALIDATION_FAILED", "{content}: {refused}");
        assert_eq!(client.closed().await, Some(1008), "{content}");
    }
}

#[tokio::test]
async fn cp_4_subprotocol_is_selected_and_token_never_echoed() {
    let site = Site::of(ECHO).await;
    let lines = "Sec-WebSocket-Protocol: mcp-cp.9, mcp-cp.1, chat\r\n";
    let client =
        Client::open_with(site.address, lines).await.unwrap_or_else(|head| panic!("{head}"));
    assert!(
        client.head.to_lowercase().contains("sec-websocket-protocol: mcp-cp.1\r\n"),
        "{}",
        client.head
    );
    let client = Client::open_with(site.address, "").await.unwrap_or_else(|head| panic!("{head}"));
    assert!(!client.head.to_lowercase().contains("sec-websocket-protocol"), "{}", client.head);
}

#[tokio::test]
async fn cp_6_first_message_without_hello_starts_session() {
    let site = Site::of(ECHO).await;
    let mut client = Client::open(site.address).await;
    let answer = client.ask(&said("m1", None, "Good day.")).await;
    assert_eq!(answer["content"]["text"], "Good day.");
    let late = message("HELLO", "m2", None, json!({ "protocolVersion": "1.0.0" }));
    let refused = client.ask(&late).await;
    assert_eq!(refused["content"]["errorCode"], "VALIDATION_FAILED", "{refused}");
    assert_eq!(refused["metadata"]["inReplyTo"], "m2");
    assert_eq!(client.ask(&said("m3", None, "Still?")).await["content"]["text"], "Still?");
}

#[tokio::test]
async fn cp_2b_every_answer_names_its_message_and_is_numbered() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let messages = [
        said("a", Some("ctx_1"), "Hello"),
        set("b", "ctx_1", "x", json!(1)),
        message("TOOL_AVAILABILITY_REQUEST", "c", None, json!({ "tools": [] })),
        message("SUBSCRIBE", "d", None, json!({ "contextId": "ctx_1" })),
        message("UNSUBSCRIBE", "e", None, json!({ "contextId": "ctx_1" })),
        message("CONTROL", "f", None, json!({ "action": "CANCEL", "target": "nothing" })),
        message("VOTE", "g", None, json!({})),
        message(
            "WELCOME",
            "h",
            None,
            json!({ "protocolVersion": "1.0.0", "sessionId": "s", "lastSeq": 0 }),
        ),
        message("USER_INPUT", "i", None, json!({ "text": 5 })),
        message("TOOL_CALL_RESPONSE", "j", Some("ctx_1"), json!({ "results": [] })),
        message("CLIENT_CAPABILITIES", "k", None, json!({ "clientId": "cli_1" })),
    ];
    for sent in &messages {
        let id = sent["messageId"].as_str().unwrap();
        // `answers` takes nothing but what names the message; `message` checks the numbers.
        let answer = client.ask(sent).await;
        assert!(answer["messageId"].as_str().unwrap().starts_with("msg_"), "{id}: {answer}");
        assert!(answer["timestamp"].as_str().unwrap().ends_with('Z'), "{id}: {answer}");
    }
    assert_eq!(client.ask(&messages[6]).await["content"]["errorCode"], "UNKNOWN_TYPE");
    assert_eq!(client.ask(&messages[7]).await["content"]["errorCode"], "VALIDATION_FAILED");
}

#[tokio::test]
async fn cp_6_session_resumes_with_missed_messages() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    client.ask(&set("a", "ctx_1", "x", json!(1))).await;
    client.ask(&message("SUBSCRIBE", "s", None, json!({ "contextId": "ctx_1" }))).await;
    let (session, seq) = (client.session.clone(), client.seq);
    client.cut();
    let mut other = Client::new(site.address).await;
    other.ask(&set("b", "ctx_1", "x", json!(2))).await;
    let (mut client, welcome) = Client::resume(site.address, &session, seq).await;
    assert_eq!(welcome["sessionId"], *session);
    let delta = client.message().await;
    assert_eq!(delta["type"], "CONTEXT_DELTA", "{delta}");
    assert_eq!(delta["content"]["changes"][0]["value"], 2);
    // From the start: everything that was said in it comes again.
    let (mut client, _) = Client::resume(site.address, &session, 0).await;
    let kinds = [client.message().await, client.message().await, client.message().await];
    let kinds = kinds.map(|message| message["type"].as_str().unwrap().to_owned());
    assert_eq!(kinds, ["ACK", "ACK", "CONTEXT_DELTA"]);
}

#[tokio::test]
async fn cp_6_session_takeover_ends_previous_connection() {
    let site = Site::of(ECHO).await;
    let mut first = Client::new(site.address).await;
    first.ask(&set("a", "ctx_1", "x", json!(1))).await;
    let (mut second, welcome) = Client::resume(site.address, &first.session, first.seq).await;
    assert_eq!((&welcome["sessionId"], &welcome["lastSeq"]), (&json!(first.session), &json!(1)));
    assert_eq!(first.closed().await, Some(1008));
    second.ask(&set("b", "ctx_1", "x", json!(2))).await;
}

#[tokio::test]
async fn cp_6_unresumable_session_becomes_new_one() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    client.ask(&set("a", "ctx_1", "x", json!(1))).await;
    let session = client.session.clone();
    // Unknown, or a number that was never given.
    for (asked, seq) in [("ses_nobody", 0), (session.as_str(), 99)] {
        let (client, welcome) = Client::resume(site.address, asked, seq).await;
        assert_ne!(client.session, asked);
        assert_eq!(welcome["lastSeq"], 0);
    }
    // A client that says good-bye does not come back.
    client.raw(&crate::ws::client::frame(0x88, &1000_u16.to_be_bytes())).await;
    assert_eq!(client.closed().await, Some(1000));
    client.cut();
    let (client, _) = Client::resume(site.address, &session, 1).await;
    assert_ne!(client.session, session);
}
