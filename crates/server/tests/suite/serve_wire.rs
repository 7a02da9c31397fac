//! Which pages and which names a server believes (GU-11).

use crate::serve::http::{Answer, Http, connect};
use crate::serve::socket::Socket;
use crate::serve::{Place, Running, message, policies, refused, said, served, update};
use contexture_protocol::SenderType;
use contexture_server::serve::http::Options;
use contexture_server::serve::tokens::NewToken;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};

const REQUIRED: &str = "[serve]\nrequire_token = true\n";

/// The answer to a request whose head is written here, to its lines.
fn head(server: &Running, lines: &[&str]) -> Answer {
    let text = format!("{}\r\nconnection: close\r\n\r\n", lines.join("\r\n"));
    server.http().raw(text.as_bytes())
}

fn is_refused_by(policy: &str, answer: &Answer, what: &str) {
    assert_eq!(answer.status, 403, "{what}: {answer:?}");
    assert_eq!(policies(&refused(answer, 403, "PERMISSION_DENIED")), [policy], "{what}");
}

#[test]
fn gu_11_absolute_target_and_host_must_agree() {
    let (_place, server) = served();
    let port = server.address.port();
    let own = format!("host: 127.0.0.1:{port}");
    for target in [
        "http://evil.example/v1/contexts".to_owned(),
        format!("http://evil.example:{port}/v1/contexts"),
        format!("http://evil@127.0.0.1:{port}/v1/contexts"),
        "http://127.0.0.1:1/v1/contexts".to_owned(),
        "http://127.0.0.1/v1/contexts".to_owned(),
        format!("ftp://127.0.0.1:{port}/v1/contexts"),
        format!("http://localhost:{port}/v1/contexts"),
    ] {
        let answer = head(&server, &[&format!("GET {target} HTTP/1.1"), &own]);
        is_refused_by("host", &answer, &target);
    }
    let same = format!("GET http://127.0.0.1:{port}/v1/contexts HTTP/1.1");
    assert_eq!(head(&server, &[&same, &own]).status, 200);
    let usual = ["GET http://localhost/v1/contexts HTTP/1.1", "host: localhost:80"];
    assert_eq!(head(&server, &usual).status, 200, "the default port may be left out");
    let probe = "GET http://evil.example/healthz HTTP/1.0";
    is_refused_by("host", &head(&server, &[probe]), "a probe names no host");
}

#[test]
fn gu_11_request_without_exactly_one_valid_host_is_refused() {
    let (_place, server) = served();
    let own = format!("host: {}", server.address);
    let get = "GET /v1/contexts HTTP/1.1";
    for hosts in [
        vec![],
        vec!["host:"],
        vec!["host: "],
        vec![&*own, &*own],
        vec![&*own, "host: evil.example"],
        vec!["host: me@127.0.0.1"],
        vec!["host: me:secret@localhost"],
        vec!["host: 127.0.0.1:99999"],
        vec!["host: 127.0.0.1:80:80"],
        vec!["host: http://127.0.0.1"],
        vec!["host: 127.0.0.1/v1"],
        vec!["host: 127.0.0.1.evil.example"],
    ] {
        let answer = head(&server, &[&[get], hosts.as_slice()].concat());
        assert!(matches!(answer.status, 400 | 403), "{hosts:?}: {answer:?}");
        assert!(!answer.body.contains("\"contexts\""), "{hosts:?}");
    }
    for host in ["localhost", "LOCALHOST:1", "127.0.0.1:", "[::1]:7878"] {
        assert_eq!(head(&server, &[get, &format!("host: {host}")]).status, 200, "{host}");
    }
}

#[test]
fn gu_11_other_version_of_http_is_not_spoken() {
    let (_place, server) = served();
    let mut stream = connect(server.address);
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").unwrap();
    let mut said = Vec::new();
    let _ = stream.read_to_end(&mut said);
    assert!(!said.starts_with(b"HTTP/2") && !String::from_utf8_lossy(&said).contains("200 OK"));
}

/// The origins of pages that are not the server's, on a server at this address.
fn strangers(server: &Running) -> Vec<String> {
    let (port, other) = (server.address.port(), server.address.port() ^ 1);
    vec![
        format!("http://127.0.0.1:{other}"),
        format!("http://localhost:{other}"),
        format!("http://localhost:{port}"),
        format!("https://127.0.0.1:{port}"),
        "http://localhost".to_owned(),
        format!("http://[::1]:{port}"),
        format!("http://127.0.0.1:{port}.evil.example"),
        "https://evil.example".to_owned(),
        "null".to_owned(),
        String::new(),
    ]
}

fn handshake(server: &Running) -> Http {
    let key = "dGhlIHNhbXBsZSBub25jZQ==";
    let http = server.http().with("connection", "upgrade").with("upgrade", "websocket");
    http.with("sec-websocket-version", "13").with("sec-websocket-key", key)
}

#[test]
fn gu_11_server_without_tokens_answers_only_pages_of_own_origin() {
    let (_place, server) = served();
    let own = server.url.clone();
    for origin in strangers(&server) {
        let page = server.http().with("origin", &origin);
        for answer in [page.get("/v1/contexts"), page.post(&said("m1", None, "hi"))] {
            is_refused_by("origin", &answer, &origin);
            assert_eq!(answer.header("access-control-allow-origin"), None, "{origin}");
        }
        let preflight = page.with("access-control-request-method", "POST");
        assert_eq!(preflight.send("OPTIONS", "/v1/messages", None).status, 403, "{origin}");
        let socket = handshake(&server).with("origin", &origin).get("/v1/ws");
        is_refused_by("origin", &socket, &origin);
    }
    let page = server.http().with("origin", &own).with("sec-fetch-site", "same-origin");
    assert_eq!(page.get("/v1/contexts").status, 200, "a page of the server");
    assert_eq!(page.post(&said("m2", None, "hi")).status, 200);
    let mut socket = Socket::open(server.address, &[("origin", &own)]);
    socket.hello();
    assert_eq!(server.http().get("/v1/contexts").status, 200, "a program names no origin");
    let two = format!("origin: {own}\r\norigin: {own}");
    let host = format!("host: {}", server.address);
    let answer = head(&server, &["GET /v1/contexts HTTP/1.1", &host, &two]);
    is_refused_by("origin", &answer, "two origins");
}

#[test]
fn gu_11_request_embedded_by_page_of_other_site_is_refused() {
    let (_place, server) = served();
    for site in ["cross-site", "same-site", "Cross-Site", ""] {
        let embedded = server.http().with("sec-fetch-site", site);
        is_refused_by("origin", &embedded.get("/v1/contexts"), site);
        is_refused_by("origin", &embedded.get("/demo/"), site);
    }
    for site in ["same-origin", "none"] {
        assert_eq!(server.http().with("sec-fetch-site", site).get("/demo/").status, 200, "{site}");
    }
}

#[test]
fn gu_11_page_named_in_settings_is_answered() {
    let place = Place::new("[serve]\norigins = [\"http://127.0.0.1:8000\"]\n");
    let server = place.start();
    let page = server.http().with("origin", "http://127.0.0.1:8000");
    let page = page.with("sec-fetch-site", "same-site");
    let answer = page.post(&said("m1", None, "hi"));
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), Some("http://127.0.0.1:8000"));
    let other = server.http().with("origin", "http://127.0.0.1:8001");
    is_refused_by("origin", &other.get("/v1/contexts"), "the next port");
}

#[test]
fn gu_11_paired_page_is_answered_only_with_its_token_from_its_origin() {
    let (place, server) = served();
    let code = server.pairing.clone().unwrap();
    let origin = "https://app.example";
    let page = server.http().with("origin", origin);
    let pair = |page: &Http, code: &str| {
        page.send("POST", "/v1/pair", Some(&json!({ "code": code }).to_string()))
    };
    is_refused_by("origin", &page.get("/v1/contexts"), "before it is paired");
    let preflight = page.clone().with("access-control-request-method", "POST");
    let preflight = preflight.send("OPTIONS", "/v1/pair", None);
    assert_eq!(preflight.header("access-control-allow-origin"), Some(origin));
    let wrong = pair(&page, "AAAA-AAAA");
    assert_eq!(policies(&refused(&wrong, 401, "AUTH_FAILED")), ["pairing"]);
    let plain = page.clone().with("content-type", "text/plain");
    assert_eq!(pair(&plain, &code).status, 415);
    assert_eq!(pair(&server.http(), &code).status, 422, "a program has no origin");
    assert_eq!(pair(&server.http().with("origin", "null"), &code).status, 403);
    let paired = pair(&page, &code);
    assert_eq!(paired.status, 200, "{paired:?}");
    let token = paired.json()["token"].as_str().unwrap().to_owned();
    assert_eq!(pair(&page, &code).status, 401, "a code is used once");
    assert_eq!(page.get("/v1/contexts").status, 401, "without its token");
    assert_eq!(page.clone().with("authorization", "Bearer x").get("/v1/models").status, 401);
    let bearer = format!("Bearer {token}");
    let answer = page.with("authorization", &bearer).post(&said("m1", None, "hi"));
    assert_eq!((answer.status, &answer.json()["type"]), (200, &json!("MODEL_RESPONSE")));
    let other = server.http_as(&token).with("origin", "https://other.example");
    is_refused_by("origin", &other.get("/v1/contexts"), "another origin with the token");
    assert_eq!(server.http_as(&token).get("/v1/contexts").status, 401, "and no origin at all");
    server.end();
    let audit = place.audit();
    let paired = audit.iter().find(|record| record["event"] == "page_paired").unwrap();
    assert_eq!(paired["origin"], origin);
    assert!(!json!(audit).to_string().contains(&token));
}

#[test]
fn gu_11_guesses_of_code_are_limited() {
    let place = Place::new("[serve.limits]\nfailed_logins_per_minute = 3\n");
    let server = place.start();
    let page = server.http().with("origin", "https://app.example");
    let pair =
        |code: &str| page.send("POST", "/v1/pair", Some(&json!({ "code": code }).to_string()));
    for _ in 0..3 {
        assert_eq!(pair("AAAA-AAAA").status, 401);
    }
    let code = server.pairing.clone().unwrap();
    refused(&pair(&code), 429, "RATE_LIMITED");
}

#[test]
fn gu_11_server_with_tokens_pairs_nobody() {
    let place = Place::new(REQUIRED);
    let server = place.start();
    assert_eq!(server.pairing, None);
    let page = server.http().with("origin", "http://localhost:8000");
    let answer = page.send("POST", "/v1/pair", Some("{\"code\":\"AAAA-AAAA\"}"));
    assert_eq!(policies(&refused(&answer, 401, "AUTH_FAILED")), ["pairing"]);
    let token = place.token(NewToken::new("ann"));
    let page = page.with("authorization", &format!("Bearer {token}"));
    assert_eq!(page.get("/v1/contexts").status, 200, "a page of this machine brings its token");
}

#[test]
fn gu_11_answers_can_not_be_framed_and_bodies_are_json() {
    let (_place, server) = served();
    for path in ["/demo/", "/v1/contexts", "/none"] {
        let answer = server.http().get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
        assert_eq!(answer.header("strict-transport-security"), None, "{path}");
    }
    let body = said("m1", None, "hi").to_string();
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let form = server.http().with("content-type", kind);
        for path in ["/v1/messages", "/v1/contexts", "/v1/contexts/import", "/v1/pair"] {
            let status =
                form.clone().with("origin", &server.url).send("POST", path, Some(&body)).status;
            assert_eq!(status, 415, "{kind} {path}");
        }
        let chat = form.send("POST", "/v1/chat/completions", Some("{}"));
        assert!(chat.status == 400 && chat.body.contains("application/json"), "{kind}: {chat:?}");
    }
}

#[test]
fn gu_11_browsers_stay_with_tls() {
    let place = Place::new("");
    let options = Options { tls: Some(crate::serve::tls()), ..Place::options() };
    let server = place.start_with(place.settings(), &options).unwrap();
    let http = server.http().over_tls();
    let told = |answer: Answer| answer.header("strict-transport-security").map(str::to_owned);
    assert_eq!(told(http.get("/v1/contexts")).as_deref(), Some("max-age=31536000"));
    let plain = http.clone().with("origin", &server.url.replace("https", "http"));
    let answer = plain.get("/v1/contexts");
    is_refused_by("origin", &answer, "a page without TLS");
    assert!(told(answer).is_some(), "refusals, too");
    assert_eq!(http.with("origin", &server.url).get("/v1/contexts").status, 200);
}

fn signed(mut message: Value, name: &str) -> Value {
    message["sender"]["id"] = name.into();
    message
}

#[test]
fn gu_11_name_of_another_owner_can_not_sign() {
    let place = Place::new(REQUIRED);
    let (alice, bob) = (place.token(NewToken::new("alice")), place.token(NewToken::new("bob")));
    let server = place.start();
    let (alice, http) = (server.http_as(&alice), server.http_as(&bob));
    let mut socket = server.socket_as(&bob);
    socket.hello();
    for name in ["alice", "Alice", " alice ", "local"] {
        let inner = json!({ "messageId": "in", "type": "USER_INPUT", "content": { "text": "x" },
            "sender": { "id": name, "type": "USER" } });
        let add = json!({ "operation": "ADD_MESSAGE", "message": inner });
        let tools = json!({ "clientId": name, "supportedTools": [] });
        for forged in [
            signed(said("m1", Some("c"), "hi"), name),
            signed(update("m2", "c", "a", json!(1)), name),
            message("m3", Some("c"), "CONTEXT_UPDATE", add),
        ] {
            let content = refused(&http.post(&forged), 403, "SENDER_FORBIDDEN");
            assert_eq!(policies(&content), ["sender_id"], "{name}");
            assert_eq!(socket.ask(&forged)["content"]["errorCode"], "SENDER_FORBIDDEN", "{name}");
        }
        let announced = socket.ask(&message("m4", None, "CLIENT_CAPABILITIES", tools));
        assert_eq!(announced["content"]["errorCode"], "SENDER_FORBIDDEN", "{name}");
        let made = json!({ "contextId": "forged", "metadata": { "userId": name } }).to_string();
        let answer = http.send("POST", "/v1/contexts", Some(&made));
        refused(&answer, 403, "SENDER_FORBIDDEN");
    }
    refused(&http.get("/v1/contexts/c"), 404, "CONTEXT_NOT_FOUND");
    for name in ["bob", "bobs_phone", "tester"] {
        let own = signed(said(&format!("o_{name}"), Some("c"), "hi"), name);
        assert_eq!(http.post(&own).status, 200, "{name} tells apart the clients of bob");
    }
    assert_eq!(alice.post(&signed(said("a1", Some("of_alice"), "hi"), "alice")).status, 200);
    // What Alice gave away is not taken for hers.
    let export = alice.get("/v1/contexts/of_alice/export").body;
    let import = http.with("content-type", "application/x-ndjson");
    let kept = import.send("POST", "/v1/contexts/import?contextId=copy", Some(&export));
    assert_eq!(kept.status, 201, "{kept:?}");
    let copy = server.http_as(&bob).get("/v1/contexts/copy").json();
    let of_alice = &copy["messages"][0];
    assert_eq!(
        (&of_alice["sender"]["id"], &of_alice["metadata"]["imported"]),
        (&json!("alice"), &json!(true))
    );
    server.end();
    for record in place.audit().iter().filter(|record| record["outcome"] == "SENDER_FORBIDDEN") {
        assert_eq!(record["owner"], "bob", "{record}");
    }
}

#[test]
fn gu_11_client_not_allowed_as_user_cannot_answer_for_user() {
    let place = Place::new(REQUIRED);
    let senders = vec![SenderType::Model];
    let model = place.token(NewToken { senders, ..NewToken::new("service") });
    let server = place.start();
    let mut socket = server.socket_as(&model);
    let from_model = |mut message: Value| {
        message["sender"]["type"] = "MODEL".into();
        message
    };
    socket.send(&from_model(message("h", None, "HELLO", json!({ "protocolVersion": "1.0.0" }))));
    assert_eq!(socket.receive()["type"], "WELCOME");
    let announce = |tool: &str| {
        let tools = json!([{ "toolId": tool, "runtime": "FRONTEND" }]);
        json!({ "clientId": "service_1", "supportedTools": tools })
    };
    let asks = from_model(message("a1", None, "CLIENT_CAPABILITIES", announce("confirm_action")));
    assert_eq!(socket.ask(&asks)["content"]["errorCode"], "SENDER_FORBIDDEN");
    let other = from_model(message("a2", None, "CLIENT_CAPABILITIES", announce("show")));
    assert_eq!(socket.ask(&other)["type"], "ACK");
}
