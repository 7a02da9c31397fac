//! Connections that have to end: tokens that are over, and clients that are gone (CP-6, CP-19).

use crate::ws::client::{CLOSE, Client, PING, PONG, frame, message, said};
use crate::ws::site::{ASK, ECHO, Model, Site};
use contexture_server::serve::tokens::NewToken;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const WORDS: &[&str] = &["one ", "two ", "three ", "four ", "five ", "six ", "seven ", "eight "];

fn hello(session: &str, seq: u64) -> Value {
    json!({ "protocolVersion": "1.0.0", "sessionId": session, "lastSeq": seq })
}

fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}\r\n")
}

/// A request that is read until its connection ends.
async fn posted(site: &Site, path: &str, lines: &str, body: &Value) -> TcpStream {
    let mut stream = TcpStream::connect(site.address).await.unwrap();
    let (address, body) = (site.address, body.to_string());
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n{lines}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

async fn rest(mut stream: TcpStream) -> String {
    let mut text = String::new();
    let read = tokio::time::timeout(Duration::from_secs(90), stream.read_to_string(&mut text));
    read.await.expect("the connection ends").unwrap();
    text
}

#[tokio::test]
async fn cp_19_revoked_token_ends_streams_and_pending_requests() {
    let model = Model::saying(WORDS, Duration::from_secs(2)).await;
    let config = "[serve]\nrequire_token = true\n";
    let site = Site::with(ASK, config, Some(model.uri.clone())).await;
    let (_, secret) = site.tokens().add(NewToken::new("ann")).unwrap();
    let (_, kept) = site.tokens().add(NewToken::new("bob")).unwrap();
    let token = bearer(secret.expose());
    let events = format!("{token}Accept: text/event-stream\r\n");
    let mut streamed = posted(&site, "/v1/messages", &events, &said("m1", None, "a")).await;
    let plain = posted(&site, "/v1/messages", &token, &said("m2", None, "b")).await;
    let chat =
        json!({ "model": "app", "stream": true, "messages": [{ "role": "user", "content": "c" }] });
    let mut chunks = posted(&site, "/v1/chat/completions", &token, &chat).await;
    let kept = format!("{}Accept: text/event-stream\r\n", bearer(kept.expose()));
    let others = posted(&site, "/v1/messages", &kept, &said("m3", None, "d")).await;
    let mut begun = [vec![0; 4096], vec![0; 4096]];
    for (stream, bytes) in [&mut streamed, &mut chunks].into_iter().zip(&mut begun) {
        while !String::from_utf8_lossy(bytes).contains("one ") {
            let count = stream.read(&mut bytes[..]).await.unwrap();
            assert!(count > 0, "the stream began");
            bytes.truncate(4096);
        }
    }
    let revoked = Instant::now();
    site.tokens().revoke("ann").unwrap();
    let (streamed, plain, chunks) = tokio::join!(rest(streamed), rest(plain), rest(chunks));
    assert!(revoked.elapsed() < Duration::from_secs(5), "{:?}", revoked.elapsed());
    let last = streamed.lines().rfind(|line| line.starts_with("data: ")).unwrap();
    let last: Value = serde_json::from_str(&last["data: ".len()..]).unwrap();
    assert_eq!(last["content"]["errorCode"], "AUTH_FAILED", "{last}");
    assert_eq!(last["metadata"]["inReplyTo"], "m1");
    assert!(plain.starts_with("HTTP/1.1 401"), "{plain}");
    assert!(!chunks.contains("[DONE]") && chunks.contains("revoked"), "{chunks}");
    assert!(rest(others).await.contains("eight "), "others go on");
}

#[tokio::test]
async fn cp_19_busy_client_is_disconnected_when_token_is_revoked() {
    let site = Site::with(ECHO, "[serve]\nrequire_token = true\n", None).await;
    let (_, secret) = site.tokens().add(NewToken::new("ann")).unwrap();
    let mut client = Client::open_with(site.address, &bearer(secret.expose())).await.unwrap();
    client.hello(json!({ "protocolVersion": "1.0.0" })).await;
    site.tokens().revoke("ann").unwrap();
    let begun = Instant::now();
    let ask = message("TOOL_AVAILABILITY_REQUEST", "m", None, json!({ "tools": [] }));
    let ask = crate::ws::client::text(ask.to_string().as_bytes()).repeat(50);
    let code = 'ended: loop {
        assert!(begun.elapsed() < Duration::from_secs(10), "it goes on and on");
        if client.try_raw(&ask).await.is_err() {
            break client.closed().await;
        }
        for _ in 0..50 {
            match client.frame().await {
                Some(frame) if frame.opcode == CLOSE => {
                    break 'ended Some(u16::from_be_bytes([frame.payload[0], frame.payload[1]]));
                }
                Some(_) => {}
                None => break 'ended None,
            }
        }
    };
    assert!(matches!(code, Some(4401) | None), "{code:?}");
}

#[tokio::test]
async fn cp_19_session_of_other_owner_is_not_resumed() {
    let site = Site::with(ECHO, "[serve]\nrequire_token = true\n", None).await;
    let token = |name: &str| {
        let (_, secret) = site.tokens().add(NewToken::new(name)).unwrap();
        bearer(secret.expose())
    };
    let (ann, bob) = (token("ann"), token("bob"));
    let mut client = Client::open_with(site.address, &ann).await.unwrap();
    client.hello(json!({ "protocolVersion": "1.0.0" })).await;
    client.ask(&said("m1", Some("ctx_ann"), "a secret")).await;
    let (session, seq) = (client.session.clone(), client.seq);
    let mut thief = Client::open_with(site.address, &bob).await.unwrap();
    let welcome = thief.hello(hello(&session, 0)).await;
    assert_ne!(welcome["sessionId"], *session);
    assert_eq!(welcome["lastSeq"], 0, "nothing is told of it");
    let heard =
        thief.ask(&message("TOOL_AVAILABILITY_REQUEST", "q", None, json!({ "tools": [] }))).await;
    assert_eq!(heard["metadata"]["seq"], 1, "nothing of it comes");
    // Its owner is not disturbed, and may come back.
    assert_eq!(client.ask(&said("m2", Some("ctx_ann"), "more")).await["content"]["text"], "more");
    client.cut();
    let mut own = Client::open_with(site.address, &ann).await.unwrap();
    assert_eq!(own.hello(hello(&session, seq)).await["sessionId"], *session);
}

const SHORT: &str = "[serve.limits]\nping_seconds = 1\nsilence_seconds = 3\nwrite_seconds = 2\n";

#[tokio::test]
async fn cp_6_idle_client_is_pinged_and_then_closed() {
    let site = Site::with(ECHO, SHORT, None).await;
    let mut silent = Client::new(site.address).await;
    // One that answers pings stays for longer than that.
    let mut alive = Client::new(site.address).await;
    let stays = tokio::spawn(async move {
        for _ in 0..5 {
            let asked = alive.frame().await.expect("it is not closed");
            assert_eq!(asked.opcode, PING);
            alive.raw(&frame(0x80 | PONG, &asked.payload)).await;
        }
        alive.ask(&said("m1", None, "here")).await;
    });
    let begun = Instant::now();
    let mut pings = 0;
    let code = loop {
        let frame = silent.frame().await.expect("a close frame comes first");
        match frame.opcode {
            PING => pings += 1,
            CLOSE => break u16::from_be_bytes([frame.payload[0], frame.payload[1]]),
            _ => {}
        }
    };
    let took = begun.elapsed();
    assert_eq!(code, 4408);
    assert!(pings >= 1, "it was asked before");
    assert!(took > Duration::from_secs(2) && took < Duration::from_secs(6), "{took:?}");
    stays.await.unwrap();
    let (session, seq) = (silent.session.clone(), silent.seq);
    // The session of the silent one goes on.
    let (back, _) = Client::resume(site.address, &session, seq).await;
    assert_eq!(back.session, session);
}

#[tokio::test]
async fn cp_6_silent_stream_sends_keep_alive() {
    let model = Model::saying(&["late"], Duration::from_secs(3)).await;
    let site = Site::with(ASK, SHORT, Some(model.uri.clone())).await;
    let lines = "Accept: text/event-stream\r\n";
    let told = rest(posted(&site, "/v1/messages", lines, &said("m1", None, "a")).await).await;
    assert!(told.lines().filter(|line| line.starts_with(':')).count() >= 1, "{told}");
    assert!(told.contains("late"), "{told}");
}
