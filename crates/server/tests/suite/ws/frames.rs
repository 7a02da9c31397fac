//! Frames that are odd, wrong, large or many.

use crate::ws::client::{BINARY, CLOSE, Client, PING, PONG, frame, said, text};
use crate::ws::site::{ECHO, Site};
use serde_json::{Value, json};

/// Whoever else is connected is served as before.
async fn is_well(other: &mut Client, n: usize) {
    let id = format!("well_{n}");
    assert_eq!(other.ask(&said(&id, None, "Well?")).await["content"]["text"], "Well?");
}

#[tokio::test]
async fn cp_6_json_is_accepted_in_binary_and_fragmented_frames() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let whole = said("m1", None, "in pieces, ünï").to_string().into_bytes();
    client.raw(&frame(0x80 | BINARY, &whole)).await;
    assert_eq!(client.answers("m1").await.pop().unwrap()["content"]["text"], "in pieces, ünï");
    let whole = said("m2", None, "in pieces, ünï").to_string().into_bytes();
    // One byte in a frame, a ping between them, a letter cut in two.
    for (n, byte) in whole.iter().enumerate() {
        let first = match n {
            0 => 0x01,
            n if n + 1 == whole.len() => 0x80,
            _ => 0x00,
        };
        client.raw(&frame(first, &[*byte])).await;
        if n == 10 {
            client.raw(&frame(0x80 | PING, b"still there?")).await;
            let pong = client.frame().await.unwrap();
            assert_eq!((pong.opcode, pong.payload.as_slice()), (PONG, b"still there?".as_slice()));
        }
    }
    assert_eq!(client.answers("m2").await.pop().unwrap()["content"]["text"], "in pieces, ünï");
}

#[tokio::test]
async fn cp_6_framing_error_closes_connection_with_reason() {
    let site = Site::of(ECHO).await;
    let mut other = Client::new(site.address).await;
    let huge = {
        let mut head = vec![0x81, 0x80 | 127];
        head.extend((17_u64 << 20).to_be_bytes());
        head.extend([0; 4]);
        head
    };
    let cases: [(&str, Vec<u8>, u16); 9] = [
        ("text that is no UTF-8", text(b"{\"a\": \"\xff\xfe\"}"), 1007),
        ("a reserved opcode", frame(0x83, b"x"), 1003),
        ("a reserved bit", frame(0x81 | 0x20, b"x"), 1002),
        ("a fragment of nothing", frame(0x80, b"x"), 1002),
        ("a new message amid another", [frame(0x01, b"{"), text(b"{}")].concat(), 1002),
        ("a ping in fragments", frame(PING, b"x"), 1002),
        ("a ping that is too long", frame(0x80 | PING, &[b'x'; 126]), 1002),
        ("a frame of 17 MiB", huge, 1009),
        ("no mask", vec![0x81, 2, b'{', b'}'], 1002),
    ];
    for (n, (what, bytes, code)) in cases.into_iter().enumerate() {
        let mut client = Client::new(site.address).await;
        client.raw(&bytes).await;
        assert_eq!(client.closed().await, Some(code), "{what}");
        is_well(&mut other, n).await;
    }
    let mut client = Client::new(site.address).await;
    client.raw(&frame(0x80 | CLOSE, &3000_u16.to_be_bytes())).await;
    assert_eq!(client.closed().await, Some(3000), "a close is answered with its own code");
}

#[tokio::test]
async fn cp_6_fragmented_message_beyond_limit_is_1009() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let part = vec![b' '; 1 << 20];
    client.raw(&frame(0x01, &part)).await;
    for _ in 0..17 {
        if client.try_raw(&frame(0x00, &part)).await.is_err() {
            break;
        }
    }
    assert!(matches!(client.closed().await, Some(1009) | None));
    is_well(&mut Client::new(site.address).await, 0).await;
}

#[tokio::test]
async fn cp_17_message_truncated_at_any_byte_is_parse_error() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let whole = said("m1", Some("ctx_1"), "Hello").to_string().into_bytes();
    for end in 0..whole.len() {
        client.raw(&text(&whole[..end])).await;
        let refused = client.message().await;
        assert_eq!(refused["content"]["errorCode"], "PARSE_ERROR", "{end}: {refused}");
        assert!(refused["content"]["details"]["requestId"].is_string(), "{refused}");
    }
    // A byte that is another: refused, or another message, but never silence.
    let mut chance = crate::ws::chance::Chance::of(7);
    for n in 0..300 {
        let mut bytes = whole.clone();
        bytes[chance.below(whole.len())] = b"{}[]\",:\\x0\n\0"[chance.below(12)];
        if bytes == whole {
            continue;
        }
        client.raw(&text(&bytes)).await;
        let marker = format!("after_{n}");
        let probe = crate::ws::client::message(
            "TOOL_AVAILABILITY_REQUEST",
            &marker,
            None,
            json!({ "tools": [] }),
        );
        client.send(&probe).await;
        let mut answers = 0;
        let mut probes = 0;
        while answers == 0 || probes == 0 {
            let message = client.message().await;
            if message["metadata"]["inReplyTo"] == *marker {
                probes += 1;
            } else if crate::ws::client::is_end(&message) {
                answers += 1;
            }
        }
    }
}

#[tokio::test]
async fn cp_19_nesting_and_lists_beyond_limits_are_refused() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    client.raw(&text(format!("{{\"messageId\":\"m1\",\"content\":{deep}}}").as_bytes())).await;
    assert_eq!(client.message().await["content"]["errorCode"], "TOO_LARGE");
    let many = vec!["{}"; 1_001].join(",");
    client.raw(&text(format!("[{many}]").as_bytes())).await;
    assert_eq!(client.message().await["content"]["errorCode"], "TOO_LARGE");
    let large = said("m2", None, &"x".repeat(17 << 20)).to_string();
    drop(client.try_raw(&text(large.as_bytes())).await);
    assert!(matches!(client.closed().await, Some(1009) | None));
}

#[tokio::test]
async fn cp_6_oversized_message_gets_1009_before_close() {
    let site = Site::of(ECHO).await;
    for size in [(16 << 20) + 1, 20 << 20, 40 << 20] {
        let mut client = Client::new(site.address).await;
        let large = vec![b' '; size];
        // Everything is sent before anything is read, as a simple client does.
        client.raw(&text(&large)).await;
        assert_eq!(client.closed().await, Some(1009), "{size} bytes");
    }
}

#[tokio::test]
async fn cp_19_excessive_length_is_refused_by_head() {
    let site = Site::of(ECHO).await;
    let address = site.address;
    let head = format!(
        "POST /v1/messages HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        17 << 20
    );
    // Nothing of the body is ever sent.
    let (status, body) = site.http(&head).await;
    assert_eq!(status, 413, "{body}");
    assert!(body.contains("TOO_LARGE"), "{body}");
}

#[tokio::test]
async fn cp_20_status_request_needs_no_host() {
    let site = Site::of(ECHO).await;
    for path in ["/healthz", "/readyz"] {
        let (status, body) = site.http(&format!("GET {path} HTTP/1.0\r\n\r\n")).await;
        assert_eq!(status, 200, "{body}");
    }
    let (status, _) = site.http("GET /v1/contexts HTTP/1.0\r\n\r\n").await;
    assert_eq!(status, 403, "what is somebody's is reached by a host that is served");
}

const DEFLATE: &str = "Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover; server_no_context_takeover\r\n";

fn deflated(payload: &[u8]) -> Vec<u8> {
    let mut out = vec![0; payload.len() + 1024];
    let mut deflate = flate2::Compress::new(flate2::Compression::best(), false);
    deflate.compress(payload, &mut out, flate2::FlushCompress::Sync).unwrap();
    out.truncate(deflate.total_out() as usize);
    let end = out.len() - 4;
    assert_eq!(out[end..], [0, 0, 0xff, 0xff]);
    out.truncate(end);
    out
}

fn inflated(payload: &[u8]) -> Value {
    let bytes = [payload, &[0, 0, 0xff, 0xff]].concat();
    let mut out = Vec::with_capacity(1 << 20);
    let mut inflate = flate2::Decompress::new(false);
    inflate.decompress_vec(&bytes, &mut out, flate2::FlushDecompress::Sync).unwrap();
    serde_json::from_slice(&out).unwrap()
}

#[tokio::test]
async fn cp_20_compression_is_negotiated_and_used_both_ways() {
    let site = Site::of(ECHO).await;
    let mut client =
        Client::open_with(site.address, DEFLATE).await.unwrap_or_else(|head| panic!("{head}"));
    assert!(client.head.to_lowercase().contains("permessage-deflate"), "{}", client.head);
    let long = "weather ".repeat(1_000);
    let sent = said("m1", None, &long).to_string();
    let packed = deflated(sent.as_bytes());
    assert!(packed.len() * 10 < sent.len());
    client.raw(&frame(0x80 | 0x40 | 1, &packed)).await;
    let answer = client.frame().await.unwrap();
    assert!(answer.is_compressed && answer.payload.len() * 10 < long.len());
    assert_eq!(inflated(&answer.payload)["content"]["text"], *long);
    // Who does not ask for it gets none.
    let mut plain = Client::new(site.address).await;
    assert!(!plain.head.to_lowercase().contains("permessage-deflate"));
    plain.send(&said("m2", None, &long)).await;
    assert!(!plain.frame().await.unwrap().is_compressed);
}

#[tokio::test]
async fn cp_19_decompressed_message_beyond_limit_is_1009() {
    let site = Site::of(ECHO).await;
    let mut client =
        Client::open_with(site.address, DEFLATE).await.unwrap_or_else(|head| panic!("{head}"));
    let bomb = deflated(&vec![b' '; 64 << 20]);
    assert!(bomb.len() < 100_000);
    client.raw(&frame(0x80 | 0x40 | 1, &bomb)).await;
    assert_eq!(client.closed().await, Some(1009));
    // What is no deflate stream at all.
    let mut client =
        Client::open_with(site.address, DEFLATE).await.unwrap_or_else(|head| panic!("{head}"));
    client.raw(&frame(0x80 | 0x40 | 1, &[0xff; 100])).await;
    assert!(matches!(client.closed().await, Some(1007 | 1011)));
    is_well(&mut Client::new(site.address).await, 0).await;
}
