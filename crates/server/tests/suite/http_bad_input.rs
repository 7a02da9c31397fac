//! Input over HTTP that is wrong in every way: each gets its status and an ERROR_RESPONSE, and
//! nobody else notices (CP-1, CP-3, CP-6, CP-10, CP-17, CP-19).

use crate::examples;
use crate::serve::http::{Answer, Http, connect, read};
use crate::serve::{Place, Running, availability, message, refused, said, served, update};
use contexture_server::serve::tokens::NewToken;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

/// One connection for many requests.
struct Line {
    stream: TcpStream,
    host: String,
    rest: Vec<u8>,
}

impl Line {
    fn new(running: &Running) -> Self {
        let stream = connect(running.address);
        Self { stream, host: running.address.to_string(), rest: Vec::new() }
    }

    /// Posts bodies all at once, and gives the answers in their order.
    fn post(&mut self, bodies: &[Vec<u8>]) -> Vec<Answer> {
        let mut all = Vec::new();
        for body in bodies {
            let head = format!(
                "POST /v1/messages HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
                 content-length: {}\r\n\r\n",
                self.host,
                body.len()
            );
            all.extend_from_slice(head.as_bytes());
            all.extend_from_slice(body);
        }
        self.stream.write_all(&all).unwrap();
        bodies.iter().map(|_| self.answer()).collect()
    }

    fn answer(&mut self) -> Answer {
        loop {
            if let Some(end) = self.rest.windows(4).position(|four| four == b"\r\n\r\n") {
                let head = read(&self.rest[..end + 4]);
                let length: usize = head.header("content-length").unwrap().parse().unwrap();
                if let Some(whole) = self.rest.get(..end + 4 + length) {
                    let answer = read(whole);
                    self.rest.drain(..end + 4 + length);
                    return answer;
                }
            }
            let mut portion = [0; 16 << 10];
            let count = self.stream.read(&mut portion).unwrap();
            assert!(count > 0, "the server closed the connection");
            self.rest.extend_from_slice(&portion[..count]);
        }
    }
}

/// Each example of the protocol once, as a message.
fn all_examples() -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for example in examples::examples() {
        for (at, message) in examples::messages(&example.value).into_iter().enumerate() {
            let name = format!("{}.{at}", example.name);
            all.entry(name).or_insert_with(|| serde_json::to_vec(&message).unwrap());
        }
    }
    all
}

#[test]
fn cp_6_malformed_json_at_any_byte_is_parse_error() {
    let (_place, running) = served();
    let mut line = Line::new(&running);
    let mut count = 0;
    for (name, text) in all_examples() {
        let cuts = (0..text.len()).map(|end| text[..end].to_vec());
        // A control sign is nowhere allowed in JSON.
        let spoilt = (0..text.len()).step_by(3).map(|at| {
            let mut text = text.clone();
            text[at] = 1;
            text
        });
        let bodies: Vec<Vec<u8>> = cuts.chain(spoilt).collect();
        for portion in bodies.chunks(64) {
            for (body, answer) in portion.iter().zip(line.post(portion)) {
                let what = || format!("{name}: {}", String::from_utf8_lossy(body));
                let message = answer.json();
                assert_eq!(answer.status, 400, "{}: {message}", what());
                assert_eq!(message["type"], "ERROR_RESPONSE", "{}", what());
                assert_eq!(message["content"]["errorCode"], "PARSE_ERROR", "{}", what());
                count += 1;
            }
        }
        // Another client does not notice.
        assert_eq!(running.http().post(&availability("other")).status, 200);
    }
    assert!(count > 20_000, "{count}");
    assert_eq!(running.http().get("/v1/contexts").json(), json!({ "contexts": [] }));
}

#[test]
fn cp_3_wrong_type_of_any_field_is_answered_in_order() {
    let (_place, running) = served();
    let mut line = Line::new(&running);
    let mut bodies = Vec::new();
    for text in all_examples().into_values() {
        let whole: Value = serde_json::from_slice(&text).unwrap();
        let mut pointers = Vec::new();
        places(&whole, String::new(), &mut pointers);
        for (pointer, other) in pointers.iter().flat_map(|pointer| {
            [json!(null), json!(-1.5), json!([[]]), json!({ "x": {} }), json!("\u{0}")]
                .map(|other| (pointer, other))
        }) {
            let mut changed = whole.clone();
            *changed.pointer_mut(pointer).unwrap() = other;
            // No turn is to run, and no context to be known.
            if changed["type"] != "USER_INPUT" {
                bodies.push(serde_json::to_vec(&changed).unwrap());
            }
        }
    }
    assert!(bodies.len() > 3_000, "{}", bodies.len());
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    for portion in bodies.chunks(64) {
        for (body, answer) in portion.iter().zip(line.post(portion)) {
            *statuses.entry(answer.status).or_default() += 1;
            let message = answer.json();
            let is_refusal = message["type"] == "ERROR_RESPONSE";
            let body = String::from_utf8_lossy(body);
            assert_eq!(is_refusal, answer.status != 200, "{body}: {message}");
            assert!(answer.status < 500, "{body}: {message}");
        }
    }
    assert!(statuses.contains_key(&422), "{statuses:?}");
    assert_eq!(running.http().post(&availability("other")).status, 200);
}

/// The pointers of all places below a value.
fn places(value: &Value, pointer: String, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                places(value, format!("{pointer}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                places(item, format!("{pointer}/{at}"), found);
            }
        }
        _ => {}
    }
    if !pointer.is_empty() {
        found.push(pointer);
    }
}

#[test]
fn cp_6_body_of_other_content_type_is_415() {
    let (_place, running) = served();
    let body = availability("m1").to_string();
    for kind in [
        "text/plain",
        "",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "json",
        "application/jsonx",
        "*/*",
    ] {
        let http = running.http().with("content-type", kind);
        refused(&http.send("POST", "/v1/messages", Some(&body)), 415, "PARSE_ERROR");
    }
    for kind in ["application/json", "APPLICATION/JSON", "application/json; charset=utf-8"] {
        let http = running.http().with("content-type", kind);
        assert_eq!(http.send("POST", "/v1/messages", Some(&body)).status, 200, "{kind}");
    }
    refused(&running.http().send("POST", "/v1/messages", None), 415, "PARSE_ERROR");
    let version = running.http().with("mcp-cp-version", "2.0.0");
    refused(&version.post(&availability("m1")), 400, "UNSUPPORTED_VERSION");
}

#[test]
fn cp_4_unsupported_version_is_refused_on_all_context_paths() {
    let (_place, running) = served();
    for version in ["2.0.0", "0.9", "", "one", "1.0.0-beta", "99999999999"] {
        let http = running.http().with("mcp-cp-version", version);
        for answer in [
            http.post(&availability("m1")),
            http.get("/v1/contexts"),
            http.get("/v1/contexts/c/messages"),
            http.delete("/v1/contexts/c"),
        ] {
            let content = refused(&answer, 400, "UNSUPPORTED_VERSION");
            assert_eq!(content["details"]["serverVersion"], "1.0.0", "{content}");
        }
    }
    for version in ["1", "1.0.0", "1.7"] {
        let http = running.http().with("mcp-cp-version", version);
        assert_eq!(http.get("/v1/contexts").status, 200, "{version}");
    }
}

#[test]
fn cp_10_messages_without_history_are_not_added() {
    let (_place, running) = served();
    let http = running.http();
    for (kind, content) in [
        ("HELLO", json!({ "protocolVersion": "1.0.0" })),
        ("WELCOME", json!({ "protocolVersion": "1.0.0", "sessionId": "s", "lastSeq": 0 })),
        ("ACK", json!({ "messageId": "x" })),
        ("PROGRESS", json!({ "id": "x", "status": "RUNNING" })),
        ("CONTROL", json!({ "action": "CANCEL", "target": "x" })),
        ("SUBSCRIBE", json!({ "contextId": "c" })),
        ("UNSUBSCRIBE", json!({ "contextId": "c" })),
        ("CONTEXT_DELTA", json!({ "version": 1, "changes": [] })),
    ] {
        let inner = json!({ "messageId": "in", "type": kind, "content": content });
        let content = json!({ "operation": "ADD_MESSAGE", "message": inner });
        let answer = http.post(&message("m1", Some("c"), "CONTEXT_UPDATE", content));
        let content = refused(&answer, 422, "VALIDATION_FAILED");
        let violation = &content["details"]["violations"][0];
        assert_eq!(violation["pointer"], "/content/message/type", "{content}");
        assert_eq!(violation["found"], kind);
    }
    refused(&http.get("/v1/contexts/c"), 404, "CONTEXT_NOT_FOUND");
}

#[test]
fn cp_9_too_long_id_is_refused_at_creation() {
    let (_place, running) = served();
    let http = running.http();
    let long = "x".repeat(257);
    let body = json!({ "contextId": long }).to_string();
    for answer in [
        http.send("POST", "/v1/contexts", Some(&body)),
        http.send("POST", &format!("/v1/contexts/import?contextId={long}"), Some("{}")),
    ] {
        let content = refused(&answer, 413, "TOO_LARGE");
        assert!(content["message"].as_str().unwrap().contains("256 bytes"), "{content}");
    }
}

#[test]
fn cp_6_deep_or_large_messages_are_refused() {
    let (_place, running) = served();
    let http = running.http();
    for depth in [101, 1_000, 200_000] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let value = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            let text = update("m1", "ctx_a", "x", json!("HERE")).to_string();
            let text = text.replace("\"HERE\"", &value);
            let answer = http.send("POST", "/v1/messages", Some(&text));
            assert!(matches!(answer.status, 400 | 413 | 422), "{depth}: {answer:?}");
            assert_eq!(answer.json()["type"], "ERROR_RESPONSE");
        }
    }
    let unclosed = http.send("POST", "/v1/messages", Some(&"[".repeat(1 << 20)));
    assert!(matches!(unclosed.status, 400 | 413), "{unclosed:?}");
    let long = update("m1", "ctx_a", "x", json!("y".repeat(17 << 20))).to_string();
    let answer = http.send("POST", "/v1/messages", Some(&long));
    let content = refused(&answer, 413, "TOO_LARGE");
    assert_eq!(crate::serve::policies(&content), ["size_limit"]);
    // Beyond what a state may hold, but not a message.
    let large = update("m2", "ctx_a", "x", json!("y".repeat(2 << 20)));
    refused(&http.post(&large), 413, "TOO_LARGE");
    let many = vec![availability("m"); 1_001];
    let answer = http.post(&json!(many));
    assert!(matches!(answer.status, 413 | 422), "{answer:?}");
    assert_eq!(http.post(&availability("m3")).status, 200);
    assert_eq!(http.get("/v1/contexts").json(), json!({ "contexts": [] }));
}

#[test]
fn cp_10_path_reaches_only_state_of_its_context() {
    let (_place, running) = served();
    let http = running.http();
    http.post(&update("m0", "ctx_other", "mine", json!(1)));
    let before = http.get("/v1/contexts/ctx_other").json();
    let mut expected = json!({});
    for (at, (path, is_taken)) in [
        ("__proto__", true),
        ("constructor.prototype", true),
        ("\"../../etc/passwd\"", true),
        ("\"a.b\".c", true),
        ("\"'; drop table contexts; --\"", true),
        ("天气.城市", true),
        ("", false),
        (".", false),
        ("a..b", false),
        (".a", false),
        ("a.", false),
        ("\"open", false),
        ("\"a\"b", false),
        ("a\nb", false),
        ("a\u{0}b", false),
        ("list.99999999999999999999", false),
        ("list.7", false),
        ("__proto__.x.y", false),
    ]
    .into_iter()
    .enumerate()
    {
        if path.starts_with("list") && expected.get("list").is_none() {
            http.post(&update("list", "ctx_a", "list", json!([1])));
            expected["list"] = json!([1]);
        }
        let answer = http.post(&update(&format!("p{at}"), "ctx_a", path, json!("set")));
        if is_taken {
            assert_eq!(
                (answer.status, &answer.json()["type"]),
                (200, &json!("ACK")),
                "{path}: {answer:?}"
            );
        } else if answer.status != 200 {
            refused(&answer, 422, "VALIDATION_FAILED");
        } else {
            panic!("{path} was taken");
        }
    }
    let state = http.get("/v1/contexts/ctx_a").json()["state"].clone();
    assert_eq!(
        state,
        json!({
            "__proto__": "set",
            "constructor": { "prototype": "set" },
            "../../etc/passwd": "set",
            "a.b": { "c": "set" },
            "'; drop table contexts; --": "set",
            "天气": { "城市": "set" },
            "list": [1],
        })
    );
    // Names that stand in the context itself are names in the state here.
    for path in ["contextId", "version", "metadata.userId", "messages"] {
        assert_eq!(http.post(&update(path, "ctx_b", path, json!("forged"))).status, 200);
    }
    let whole = http.get("/v1/contexts/ctx_b").json();
    assert_eq!((&whole["contextId"], &whole["version"]), (&json!("ctx_b"), &json!(4)));
    assert_eq!(whole["metadata"]["userId"], "local");
    assert_eq!(http.get("/v1/contexts/ctx_other").json(), before);
    let long = format!("a{}", ".a".repeat(50_000));
    let answer = http.post(&update("long", "ctx_a", &long, json!(1)));
    assert!(matches!(answer.status, 413 | 422), "{}", answer.status);
}

#[test]
fn cp_19_data_of_others_is_not_found_and_nobody_speaks_for_others() {
    let place = Place::new("[serve]\nrequire_token = true\n");
    let (ada, eve) = (token(&place, "ada"), token(&place, "eve"));
    let running = place.start();
    let (ada, eve) = (running.http_as(&ada), running.http_as(&eve));
    assert_eq!(ada.post(&said("m1", Some("ctx_a"), "secret")).status, 200);
    let before = ada.get("/v1/contexts/ctx_a").json();
    for path in ["", "?messages=0", "/messages", "/changes", "/export"] {
        refused(&eve.get(&format!("/v1/contexts/ctx_a{path}")), 404, "CONTEXT_NOT_FOUND");
    }
    refused(&eve.delete("/v1/contexts/ctx_a"), 404, "CONTEXT_NOT_FOUND");
    refused(&eve.send("POST", "/v1/contexts/ctx_a/fork", None), 404, "CONTEXT_NOT_FOUND");
    refused(&eve.post(&said("m2", Some("ctx_a"), "mine?")), 404, "CONTEXT_NOT_FOUND");
    refused(&eve.post(&update("m3", "ctx_a", "x", json!(1))), 404, "CONTEXT_NOT_FOUND");
    // An id is its owner's alone: one's own of the same id says nothing of the other.
    let made = eve.send("POST", "/v1/contexts", Some("{\"contextId\": \"ctx_a\"}"));
    assert_eq!(made.status, 201, "{made:?}");
    assert!(!made.body.contains("secret") && !made.body.contains("\"ada\""), "{made:?}");
    assert_eq!(eve.get("/v1/contexts/ctx_a/messages").json()["messages"], json!([]));
    // Whoever a message or a context says it is of: it is the token's.
    let mut forged = said("m4", Some("ctx_e"), "hello");
    forged["sender"]["id"] = "ada".into();
    refused(&eve.post(&forged), 403, "SENDER_FORBIDDEN");
    forged["sender"]["id"] = "eve_1".into();
    forged["metadata"] = json!({ "owner": "ada", "userId": "ada", "seq": 1 });
    assert_eq!(eve.post(&forged).status, 200);
    refused(&ada.get("/v1/contexts/ctx_e"), 404, "CONTEXT_NOT_FOUND");
    let body = json!({ "contextId": "ctx_f", "metadata": { "userId": "ada" } });
    let made = eve.send("POST", "/v1/contexts", Some(&body.to_string()));
    refused(&made, 403, "SENDER_FORBIDDEN");
    let body = json!({ "contextId": "ctx_f", "metadata": { "owner": "ada" } });
    assert_eq!(eve.send("POST", "/v1/contexts", Some(&body.to_string())).status, 201);
    refused(&ada.get("/v1/contexts/ctx_f"), 404, "CONTEXT_NOT_FOUND");
    for kind in ["MODEL", "SYSTEM", "TOOL"] {
        let mut forged = said(&format!("m_{kind}"), Some("ctx_e"), "I am");
        forged["sender"]["type"] = kind.into();
        let content = refused(&eve.post(&forged), 403, "SENDER_FORBIDDEN");
        assert_eq!(crate::serve::policies(&content), ["sender_type"]);
        let inner = json!({ "messageId": "x", "type": "USER_INPUT", "content": { "text": "I am" },
            "sender": { "id": "x", "type": kind } });
        let added = json!({ "operation": "ADD_MESSAGE", "message": inner });
        let add = message(&format!("a_{kind}"), Some("ctx_e"), "CONTEXT_UPDATE", added);
        refused(&eve.post(&add), 403, "SENDER_FORBIDDEN");
    }
    for header in
        ["", "Bearer", "Bearer ", "Basic YWRhOmFkYQ==", "Bearer ../../etc/passwd", "Bearer \u{e9}"]
    {
        let http = running.http().with("authorization", header);
        refused(&http.get("/v1/contexts"), 401, "AUTH_FAILED");
    }
    assert_eq!(ada.get("/v1/contexts/ctx_a").json(), before);
}

fn token(place: &Place, owner: &str) -> String {
    place.token(NewToken::new(owner))
}

#[test]
fn cp_9_unusual_id_in_path_is_used_or_refused() {
    let (_place, running) = served();
    let http = running.http();
    for id in [
        "..",
        "%2E%2E",
        "%2e%2e%2fetc%2fpasswd",
        "..%5C..",
        "%25",
        "%20",
        "a%20b",
        "%F0%9F%98%80",
        "a;b=c",
        "a%3Fb",
        "a%23b",
        "'%20or%201=1",
        "%22",
        "*",
        "%E2%80%AE",
        "%00",
        "a%0Ab",
        "%7F",
    ] {
        let answer = http.get(&format!("/v1/contexts/{id}"));
        refused(&answer, 404, "CONTEXT_NOT_FOUND");
        refused(&http.delete(&format!("/v1/contexts/{id}")), 404, "CONTEXT_NOT_FOUND");
        refused(&http.get(&format!("/v1/contexts/{id}/messages")), 404, "CONTEXT_NOT_FOUND");
    }
    for id in ["%FF", "%C3%28", "%ED%A0%80"] {
        refused(&http.get(&format!("/v1/contexts/{id}")), 400, "PARSE_ERROR");
        refused(&http.get(&format!("/v1/schemas/{id}")), 400, "PARSE_ERROR");
    }
    let long = "x".repeat(4_000);
    let answer = http.get(&format!("/v1/contexts/{long}"));
    assert!(matches!(answer.status, 404 | 413 | 422), "{answer:?}");
    // What was said under an odd id is found under it.
    for (at, id) in ["a/b?c#d", " ", "..", "天", "%2F"].iter().enumerate() {
        assert_eq!(http.post(&update(&format!("m{at}"), id, "x", json!(at))).status, 200);
        let encoded: String = id.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let found = http.get(&format!("/v1/contexts/{encoded}")).json();
        assert_eq!((&found["contextId"], &found["state"]["x"]), (&json!(id), &json!(at)));
    }
}

#[test]
fn cp_12_invalid_page_query_is_refused_with_expectation() {
    let (_place, running) = served();
    let http = running.http();
    http.post(&update("m1", "ctx_a", "x", json!(1)));
    for (path, queries) in [
        (
            "/v1/contexts",
            &[
                "limit=0",
                "limit=1001",
                "limit=",
                "limit=a",
                "limit=-1",
                "limit=1.0",
                "limit=1&limit=1",
                "after=zzz",
                "page=1",
                "limit=99999999999999999999",
            ][..],
        ),
        (
            "/v1/contexts/ctx_a/messages",
            &["after=-1", "after=x", "limit=0", "since=1", "after=1&after=2"],
        ),
        ("/v1/contexts/ctx_a/changes", &["since=x", "since=-1", "limit=0", "after=1"]),
    ] {
        for query in queries {
            let content = refused(&http.get(&format!("{path}?{query}")), 422, "VALIDATION_FAILED");
            let text = content["message"].as_str().unwrap();
            assert!(text.contains("expected"), "{path}?{query}: {text}");
        }
    }
    refused(&http.get("/v1/contexts/ctx_a/changes?since=99"), 422, "VALIDATION_FAILED");
}

#[test]
fn cp_6_invalid_http_ends_only_its_connection() {
    let (_place, running) = served();
    let mut good = Line::new(&running);
    let long = format!("GET /healthz HTTP/1.1\r\nhost: x\r\nx: {}\r\n\r\n", "y".repeat(1 << 20));
    let requests: Vec<Vec<u8>> = vec![
        b"GARBAGE\r\n\r\n".to_vec(),
        b"\0\0\0\0\r\n\r\n".to_vec(),
        b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        b"GET /v1/contexts HTTP/1.1\r\n\r\n".to_vec(),
        b"GET /healthz HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n".to_vec(),
        b"GET /healthz HTTP/1.1\r\nhost: evil.example\r\n\r\n".to_vec(),
        b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n".to_vec(),
        b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n".to_vec(),
        b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_vec(),
        long.into_bytes(),
    ];
    for request in requests {
        let mut stream = connect(running.address);
        let _ = stream.write_all(&request);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!text.starts_with("HTTP/1.1 2"), "{:?}: {text}", String::from_utf8_lossy(&request));
        let answers = good.post(&[availability("m1").to_string().into_bytes()]);
        assert_eq!(answers[0].status, 200);
    }
    // A request that never ends, and one whose sender goes away.
    let mut half = connect(running.address);
    half.write_all(b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-le").unwrap();
    let mut gone = connect(running.address);
    let head = "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n{";
    gone.write_all(head.as_bytes()).unwrap();
    drop(gone);
    assert_eq!(good.post(&[availability("m2").to_string().into_bytes()])[0].status, 200);
    drop(half);
    assert_eq!(Http::new(running.address).get("/healthz").status, 200);
}

#[test]
fn cp_6_connection_is_kept_after_refusal_of_request_with_small_body() {
    let (_place, running) = served();
    let address = running.address;
    for (method, path, status) in [
        ("POST", "/v1/nothing", 404),
        ("PUT", "/v1/contexts", 405),
        ("POST", "/v1/runs/none/cancel", 404),
        ("DELETE", "/v1/contexts/none", 404),
    ] {
        let mut stream = connect(address);
        let head =
            format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\ncontent-length: 20000\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        // The body comes later than the server could answer.
        std::thread::sleep(std::time::Duration::from_millis(200));
        stream.write_all(&[b' '; 20_000]).unwrap();
        let next = format!("GET /healthz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
        stream.write_all(next.as_bytes()).unwrap();
        let mut all = String::new();
        let _ = stream.read_to_string(&mut all);
        let answers: Vec<&str> = all.matches("HTTP/1.1 ").collect();
        assert!(all.starts_with(&format!("HTTP/1.1 {status} ")), "{method} {path}: {all}");
        assert_eq!(answers.len(), 2, "{method} {path}: {all}");
    }
}

#[test]
fn cp_6_refusal_does_not_wait_for_body_that_is_large_or_never_comes() {
    let (_place, running) = served();
    let address = running.address;
    let began = std::time::Instant::now();
    for length in [100_000_000, 10] {
        let mut stream = connect(address);
        let head = format!(
            "POST /v1/nothing HTTP/1.1\r\nhost: {address}\r\ncontent-length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 404");
    }
    assert!(began.elapsed() < std::time::Duration::from_secs(30), "{:?}", began.elapsed());
}
