//! `POST /v1/messages` with an event stream (CP-6, CP-8).

use crate::ws::client::said;
use crate::ws::sets::instructions;
use crate::ws::site::{ECHO, Model, Site};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const WORDS: &[&str] = &["It ", "is ", "sun", "ny."];

struct Events {
    stream: TcpStream,
    buffer: String,
}

#[derive(Debug, Clone, PartialEq)]
struct Event {
    id: u64,
    message: Value,
}

impl Events {
    async fn open(address: SocketAddr, body: &Value, seen: Option<u64>) -> Self {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let body = body.to_string();
        let seen = seen.map_or(String::new(), |seen| format!("Last-Event-ID: {seen}\r\n"));
        let request = format!(
            "POST /v1/messages HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n{seen}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut events = Self { stream, buffer: String::new() };
        while !events.buffer.contains("\r\n\r\n") {
            assert!(events.more().await, "{}", events.buffer);
        }
        let (head, rest) = events.buffer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert!(head.to_lowercase().contains("content-type: text/event-stream"), "{head}");
        events.buffer = rest.to_owned();
        events
    }

    async fn more(&mut self) -> bool {
        let mut bytes = vec![0; 4096];
        let read =
            tokio::time::timeout(Duration::from_secs(90), self.stream.read(&mut bytes)).await;
        let count = read.unwrap().unwrap();
        self.buffer += std::str::from_utf8(&bytes[..count]).unwrap();
        count > 0
    }

    /// The next event; chunks of the transfer are lines that do not count.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(end) = self.buffer.find("\n\n") {
                let block: String = self.buffer.drain(..end + 2).collect();
                let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
                let Some(data) = field("data: ") else { continue };
                assert_eq!(field("event: "), Some("message"));
                let id = field("id: ").unwrap().parse().unwrap();
                let message: Value = serde_json::from_str(data).unwrap();
                assert_eq!(message["metadata"]["seq"], id);
                return Some(Event { id, message });
            }
            if !self.more().await {
                return None;
            }
        }
    }

    async fn rest(mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

#[tokio::test]
async fn cp_6_events_of_turn_count_from_one() {
    let model = Model::saying(WORDS, Duration::from_millis(5)).await;
    let site = Site::asking(&model).await;
    let input = said("m1", Some("ctx_1"), "Weather?");
    let events = Events::open(site.address, &input, None).await.rest().await;
    let ids: Vec<u64> = events.iter().map(|event| event.id).collect();
    assert_eq!(ids, (1..=events.len() as u64).collect::<Vec<_>>());
    let (last, deltas) = events.split_last().unwrap();
    assert_eq!(last.message["content"]["text"], WORDS.concat());
    let text: String =
        deltas.iter().map(|event| event.message["content"]["text"].as_str().unwrap()).collect();
    assert_eq!(text, WORDS.concat());
    assert!(events.iter().all(|event| event.message["metadata"]["inReplyTo"] == "m1"));
}

#[tokio::test]
async fn cp_6_broken_stream_resumes_after_last_seen_event() {
    let model = Model::saying(WORDS, Duration::from_millis(40)).await;
    let site = Site::asking(&model).await;
    let input = said("m1", Some("ctx_1"), "Weather?");
    let mut first = Events::open(site.address, &input, None).await;
    let seen = [first.next().await.unwrap(), first.next().await.unwrap()];
    drop(first);
    let rest = Events::open(site.address, &input, Some(seen[1].id)).await.rest().await;
    let whole = Events::open(site.address, &input, None).await.rest().await;
    assert_eq!([seen.to_vec(), rest].concat(), whole, "nothing is lost, nothing comes twice");
    assert_eq!(model.asked(), 1);
    // Whoever has seen all hears nothing more.
    let last = whole.last().unwrap().id;
    assert_eq!(Events::open(site.address, &input, Some(last)).await.rest().await, []);
}

#[tokio::test]
async fn cp_6_stream_resumed_after_restart_has_answer() {
    let model = Model::saying(WORDS, Duration::from_millis(5)).await;
    let mut site = Site::asking(&model).await;
    let input = said("m1", Some("ctx_1"), "Weather?");
    let whole = Events::open(site.address, &input, None).await.rest().await;
    site.again().await;
    for seen in [1, 2, 4] {
        let rest = Events::open(site.address, &input, Some(seen)).await.rest().await;
        let ids: Vec<u64> = rest.iter().map(|event| event.id).collect();
        assert_eq!(ids, [seen + 1], "the answer comes, after what was seen");
        assert_eq!(rest[0].message["messageId"], whole.last().unwrap().message["messageId"]);
    }
    assert_eq!(model.asked(), 1);
}

#[tokio::test]
async fn cp_6_stream_of_set_resumes_after_restart_and_ends_with_answer() {
    let mut site = Site::of(ECHO).await;
    let steps = json!([
        { "instructionId": "a", "action": "echo" },
        { "instructionId": "b", "action": "echo" },
        { "instructionId": "wait", "action": "sleep", "parameters": { "ms": 1_000 } },
    ]);
    let set = instructions("i1", json!({ "instructions": steps }));
    let mut first = Events::open(site.address, &set, None).await;
    let seen = loop {
        let event = first.next().await.unwrap();
        if event.message["content"]["id"] == "wait" {
            break event.id;
        }
    };
    assert!(seen > 4, "{seen}");
    site.again().await;
    let rest = Events::open(site.address, &set, Some(seen)).await.rest().await;
    let (last, before) = rest.split_last().unwrap();
    assert_eq!(last.message["type"], "INSTRUCTION_RESPONSE", "{rest:#?}");
    assert_eq!(last.message["content"]["status"], "COMPLETED");
    assert_eq!(last.id, seen + before.len() as u64 + 1);
    // A server that knows nothing of it any more has the answer.
    site.again().await;
    for seen in [1, 3, 50] {
        let rest = Events::open(site.address, &set, Some(seen)).await.rest().await;
        assert_eq!(rest.iter().map(|event| event.id).collect::<Vec<_>>(), [seen + 1]);
        assert_eq!(rest[0].message["messageId"], last.message["messageId"]);
    }
}

#[tokio::test]
async fn cp_6_array_streams_until_all_are_answered() {
    let site = Site::of(ECHO).await;
    let batch =
        json!([said("a", Some("ctx_1"), "A"), { "messageId": "b" }, said("c", Some("ctx_2"), "C")]);
    let events = Events::open(site.address, &batch, None).await.rest().await;
    let mut answered: Vec<_> = events
        .iter()
        .map(|event| event.message["metadata"]["inReplyTo"].as_str().unwrap())
        .collect();
    answered.sort_unstable();
    assert_eq!(answered, ["a", "b", "c"]);
    let again = Events::open(site.address, &batch, Some(3)).await.rest().await;
    assert_eq!(again.len(), 3, "which of them the client heard is not known");
    assert_eq!(Events::open(site.address, &json!([]), None).await.rest().await, []);
}
