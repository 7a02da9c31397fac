//! Who may come in, whose contexts they reach, and how much they may take (CP-1, CP-6, CP-19).

use crate::serve::http::connect;
use crate::serve::socket::Socket;
use crate::serve::{Place, availability, message, policies, refused, said, until, update};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use contexture::llm::SpendLimit;
use contexture_protocol::SenderType;
use contexture_server::serve::http::Options;
use contexture_server::serve::tokens::{NewToken, Scope};
use contexture_server::serve::{Format, Level, LogSettings, Settings};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

const REQUIRED: &str = "[serve]\nrequire_token = true\n";

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis().try_into().unwrap()
}

#[test]
fn cp_19_only_local_clients_need_no_token() {
    let place = Place::new("");
    let server = place.start();
    assert_eq!(server.http().get("/v1/contexts").status, 200);
    for header in
        [("authorization", "Bearer wrong"), ("x-api-key", "wrong"), ("authorization", "Basic x")]
    {
        let answer = server.http().with(header.0, header.1).get("/v1/contexts");
        assert_eq!(policies(&refused(&answer, 401, "AUTH_FAILED")), ["token"], "{header:?}");
        assert!(answer.header("www-authenticate").unwrap().starts_with("Bearer"));
    }
    drop(server);
    place.write("contexture.toml", REQUIRED);
    let token = place.token(NewToken::new("ann"));
    let server = place.start();
    refused(&server.http().get("/v1/contexts"), 401, "AUTH_FAILED");
    refused(&server.http().post(&availability("m1")), 401, "AUTH_FAILED");
    refused(&server.http().get("/v1/ws"), 401, "AUTH_FAILED");
    assert_eq!(server.http_as(&token).get("/v1/contexts").status, 200);
    assert_eq!(server.http().with("x-api-key", &token).get("/v1/contexts").status, 200);
    let other = place.token(NewToken::new("bob"));
    let both = server.http_as(&token).with("x-api-key", &other);
    refused(&both.get("/v1/contexts"), 401, "AUTH_FAILED");
    let answer = server.http_as(&other).post(&said("m1", None, "hi"));
    assert_eq!(answer.json()["content"]["text"], "you said: hi", "made while the server runs");
}

#[test]
fn cp_19_browser_token_subprotocol_is_not_echoed() {
    let place = Place::new(REQUIRED);
    let token = place.token(NewToken::new("ann"));
    let server = place.start();
    let offered = format!("bearer.{}, mcp-cp.1", URL_SAFE_NO_PAD.encode(&token));
    let handshake = server
        .http()
        .with("connection", "upgrade")
        .with("upgrade", "websocket")
        .with("sec-websocket-version", "13")
        .with("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
    let wrong = format!("mcp-cp.1, bearer.{}", URL_SAFE_NO_PAD.encode("wrong"));
    refused(
        &handshake.clone().with("sec-websocket-protocol", &wrong).get("/v1/ws"),
        401,
        "AUTH_FAILED",
    );
    let mut socket = Socket::open(server.address, &[("sec-websocket-protocol", &offered)]);
    socket.hello();
    let answer = socket.ask(&said("m1", None, "hi"));
    assert_eq!(answer["content"]["text"], "you said: hi");
    // The head of the answer to such a handshake.
    let mut stream = connect(server.address);
    let request = format!(
        "GET /v1/ws HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         sec-websocket-protocol: {offered}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut head = [0; 1024];
    let length = stream.read(&mut head).unwrap();
    let head = String::from_utf8_lossy(&head[..length]).to_lowercase();
    assert!(
        head.starts_with("http/1.1 101") && head.contains("sec-websocket-protocol: mcp-cp.1\r\n")
    );
    assert!(!head.contains("bearer"), "{head}");
}

#[test]
fn cp_19_context_of_other_owner_is_not_found_on_any_path() {
    let place = Place::new(REQUIRED);
    let (ann, bob) = (place.token(NewToken::new("ann")), place.token(NewToken::new("bob")));
    let server = place.start();
    let (ann, bob_http) = (server.http_as(&ann), server.http_as(&bob));
    assert_eq!(ann.post(&update("m1", "ctx_ann", "a", json!(1))).json()["type"], "ACK");
    assert_eq!(ann.post(&said("m2", Some("ctx_ann"), "hello")).status, 200);
    let unknown = refused(&bob_http.get("/v1/contexts/ctx_none"), 404, "CONTEXT_NOT_FOUND");
    for path in ["", "/messages", "/changes", "/export"] {
        let content = refused(
            &bob_http.get(&format!("/v1/contexts/ctx_ann{path}")),
            404,
            "CONTEXT_NOT_FOUND",
        );
        let text = content["message"].as_str().unwrap();
        let of_unknown = unknown["message"].as_str().unwrap();
        assert_eq!(
            text.replace("ctx_ann", "ctx_none"),
            of_unknown,
            "it answers like a missing one"
        );
    }
    refused(&bob_http.delete("/v1/contexts/ctx_ann"), 404, "CONTEXT_NOT_FOUND");
    let fork = bob_http.send("POST", "/v1/contexts/ctx_ann/fork", Some("{}"));
    refused(&fork, 404, "CONTEXT_NOT_FOUND");
    assert_eq!(bob_http.get("/v1/contexts").json()["contexts"], json!([]));
    refused(&bob_http.post(&update("m1", "ctx_ann", "a", json!(2))), 404, "CONTEXT_NOT_FOUND");
    refused(&bob_http.post(&said("m2", Some("ctx_ann"), "hello")), 404, "CONTEXT_NOT_FOUND");
    let mut socket = server.socket_as(&bob);
    socket.hello();
    let subscribe = message("m3", None, "SUBSCRIBE", json!({ "contextId": "ctx_ann", "since": 0 }));
    let answer = socket.ask(&subscribe);
    assert_eq!(answer["content"]["errorCode"], "CONTEXT_NOT_FOUND", "{answer}");
    let control = message("m4", None, "CONTROL", json!({ "action": "CANCEL", "target": "m2" }));
    assert_eq!(socket.ask(&control)["content"]["errorCode"], "UNKNOWN_ID", "a foreign turn");
    // The same messageId of another owner is another message.
    assert_eq!(
        bob_http.post(&said("m2", None, "mine")).json()["content"]["text"],
        "you said: mine"
    );
    let whole = ann.get("/v1/contexts/ctx_ann").json();
    assert_eq!(whole["state"]["a"], 1);
    assert_eq!(whole["messages"].as_array().unwrap().len(), 2);
}

#[test]
fn cp_19_old_owner_of_id_gets_no_changes() {
    let place = Place::new(REQUIRED);
    let (ann, bob) = (place.token(NewToken::new("ann")), place.token(NewToken::new("bob")));
    let server = place.start();
    let mut socket = server.socket_as(&ann);
    socket.hello();
    for number in 0..3 {
        socket.ask(&update(&format!("m{number}"), "shared", "a", json!(number)));
    }
    let subscribe = message("s", None, "SUBSCRIBE", json!({ "contextId": "shared" }));
    assert_eq!(socket.ask(&subscribe)["content"]["version"], 3);
    assert_eq!(server.http_as(&ann).delete("/v1/contexts/shared").status, 204);
    for number in 0..6 {
        let asked = update(&format!("b{number}"), "shared", "secret", json!(number));
        let answer = server.http_as(&bob).post(&asked);
        if answer.status != 200 {
            refused(&answer, 404, "CONTEXT_NOT_FOUND");
        }
    }
    socket.send(&availability("last"));
    loop {
        let heard = socket.receive();
        assert!(!heard.to_string().contains("secret"), "{heard}");
        if heard["metadata"]["inReplyTo"] == "last" {
            break;
        }
    }
}

#[test]
fn cp_19_token_has_only_its_scopes() {
    let place = Place::new(REQUIRED);
    let scopes = |scope| NewToken {
        owner: Some("ann".to_owned()),
        scopes: vec![scope],
        ..NewToken::new(scope.as_str())
    };
    let [read, write, run] =
        [Scope::Read, Scope::Write, Scope::Run].map(|scope| place.token(scopes(scope)));
    let server = place.start();
    let (read, write, run) = (server.http_as(&read), server.http_as(&write), server.http_as(&run));
    assert_eq!(write.post(&update("m1", "c", "a", json!(1))).status, 200);
    assert_eq!(run.post(&said("m2", Some("c"), "hi")).status, 200);
    assert_eq!(read.get("/v1/contexts/c").json()["state"]["a"], 1, "one owner, three tokens");
    let denied = [
        read.post(&update("m3", "c", "a", json!(2))),
        read.post(&said("m4", Some("c"), "hi")),
        read.delete("/v1/contexts/c"),
        write.post(&said("m5", Some("c"), "hi")),
        write.get("/v1/contexts"),
        run.get("/v1/contexts/c/messages"),
        run.post(&update("m6", "c", "a", json!(2))),
    ];
    for answer in denied {
        let content = refused(&answer, 403, "PERMISSION_DENIED");
        assert_eq!(policies(&content), ["token_scope"], "{content}");
    }
}

#[test]
fn ca_5_token_with_a_limit_is_refused_what_does_not_fit_also_after_a_restart() {
    let place = Place::new(REQUIRED);
    let program = "main func(said string) {\n  generate({ input: said, max_input: 1000, max_output: 100 })\n}\n";
    place.write("echo.as", program);
    let spend = SpendLimit { tokens: Some(1_105), ..SpendLimit::default() };
    let limited = place.token(NewToken { spend, ..NewToken::new("limited") });
    let free = place.token(NewToken::new("free"));
    assert_eq!(place.tokens().list().unwrap()[0].spend, spend, "it is stored");
    let server = place.start();
    let (limited_secret, free_secret) = (limited, free);
    let (limited, free) = (server.http_as(&limited_secret), server.http_as(&free_secret));
    let first = limited.post(&said("m1", None, "The port is 7878. Which port is it?"));
    assert_eq!(first.json()["type"], "MODEL_RESPONSE", "{:?}", first.json());
    for id in ["m2", "m3"] {
        let refused = limited.post(&said(id, None, "The port is 7878. Which port is it?"));
        assert_eq!(
            refused.json()["content"]["errorCode"],
            "EXECUTION_FAILED",
            "{:?}",
            refused.json()
        );
    }
    let other = free.post(&said("m1", None, "The port is 7878. Which port is it?"));
    assert_eq!(other.json()["type"], "MODEL_RESPONSE", "{:?}", other.json());
    server.end();
    let kept = place.tokens().list().unwrap();
    assert!(kept[0].spent.tokens > 5 && kept[1].spent.tokens == 0, "{:?}", kept[0].spent);
    let shown = kept[0].to_value(0);
    assert_eq!(shown["spent_tokens"], kept[0].spent.tokens, "{shown}");
    place.tokens().revoke("limited").unwrap();
    let anew = place.token(NewToken { spend, ..NewToken::new("limited") });
    let server = place.start();
    let asked = said("m4", None, "The port is 7878. Which port is it?");
    let content = refused(&server.http_as(&limited_secret).post(&asked), 401, "AUTH_FAILED");
    assert!(content.is_object());
    assert_eq!(server.http_as(&anew).post(&asked).json()["type"], "MODEL_RESPONSE");
    server.end();
    let server = place.start();
    let refused = server.http_as(&anew).post(&said("m5", None, "Which port is it?")).json();
    assert_eq!(refused["content"]["errorCode"], "EXECUTION_FAILED", "{refused:?}");
    let other = server.http_as(&free_secret).post(&asked).json();
    assert_eq!(other["type"], "MODEL_RESPONSE", "{other:?}");
}

#[test]
fn cp_1_token_grants_sender_types() {
    let place = Place::new(REQUIRED);
    let user = place.token(NewToken::new("user"));
    let senders = vec![SenderType::User, SenderType::Model];
    let model = place.token(NewToken { senders, ..NewToken::new("model") });
    let server = place.start();
    let mut spoken = message("m1", Some("c"), "MODEL_RESPONSE", json!({ "text": "hi" }));
    spoken["sender"] = json!({ "id": "m", "type": "MODEL" });
    let content = refused(&server.http_as(&user).post(&spoken), 403, "SENDER_FORBIDDEN");
    assert_eq!(policies(&content), ["sender_type"]);
    assert_eq!(server.http_as(&model).post(&spoken).status, 200);
    let mut inside = spoken.clone();
    inside["messageId"] = json!("inner");
    inside["sender"]["type"] = json!("SYSTEM");
    let add = json!({ "operation": "ADD_MESSAGE", "message": inside });
    let added = message("m2", Some("c"), "CONTEXT_UPDATE", add);
    refused(&server.http_as(&model).post(&added), 403, "SENDER_FORBIDDEN");
}

#[test]
fn cp_19_revoked_or_expired_token_ends_its_connections() {
    let place = Place::new(REQUIRED);
    let kept = place.token(NewToken::new("kept"));
    let revoked = place.token(NewToken::new("revoked"));
    let brief = place.token(NewToken { expires: Some(now() + 2_500), ..NewToken::new("brief") });
    let server = place.start();
    let [mut kept, mut of_revoked, mut of_brief] =
        [&kept, &revoked, &brief].map(|token| server.socket_as(token));
    kept.hello();
    of_revoked.hello();
    of_brief.hello();
    place.tokens().revoke("revoked").unwrap();
    assert_eq!(of_revoked.closed(), Some(4401));
    assert_eq!(of_brief.closed(), Some(4401));
    assert_eq!(kept.ask(&availability("m"))["type"], "TOOL_AVAILABILITY_RESPONSE");
    for over in [&revoked, &brief] {
        refused(&server.http_as(over).get("/v1/contexts"), 401, "AUTH_FAILED");
    }
}

#[test]
fn cp_19_public_address_needs_tls_or_option_and_token() {
    let place = Place::new("");
    let begin = |change: &dyn Fn(&mut Options)| {
        let mut options = Options::new("0.0.0.0:0".parse().unwrap());
        change(&mut options);
        place.start_with(place.settings(), &options)
    };
    let refused_with = |change: &dyn Fn(&mut Options)| begin(change).err().unwrap().code;
    assert_eq!(refused_with(&|_| ()), "SRV1004");
    assert_eq!(refused_with(&|options| options.allow_remote = true), "SRV1008");
    assert_eq!(refused_with(&|options| options.tls = Some(crate::serve::tls())), "SRV1008");
    let open =
        begin(&|options| (options.allow_remote, options.allow_no_token) = (true, true)).unwrap();
    let here = |server: &crate::serve::Running| {
        crate::serve::http::Http::new(([127, 0, 0, 1], server.address.port()).into())
    };
    refused(&here(&open).get("/v1/contexts"), 401, "AUTH_FAILED");
    drop(open);
    let token = place.token(NewToken::new("ann"));
    let server = begin(&|options| options.allow_remote = true).unwrap();
    refused(&here(&server).get("/v1/contexts"), 401, "AUTH_FAILED");
    let with = here(&server).with("authorization", &format!("Bearer {token}"));
    assert_eq!(with.get("/v1/contexts").status, 200);
}

#[test]
fn cp_19_tls_uses_given_certificate() {
    let place = Place::new("[serve.limits]\nhandshake_seconds = 1\n");
    let options = Options { tls: Some(crate::serve::tls()), ..Place::options() };
    let server = place.start_with(place.settings(), &options).unwrap();
    assert!(server.url.starts_with("https://127.0.0.1:"));
    let answer = server.http().over_tls().post(&said("m1", None, "hi"));
    assert_eq!(answer.json()["content"]["text"], "you said: hi");
    let mut plain = connect(server.address);
    plain.write_all(b"GET /v1/contexts HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut said = Vec::new();
    let _ = plain.read_to_end(&mut said);
    assert!(!said.starts_with(b"HTTP"), "{said:?}");
    let mut silent = connect(server.address);
    assert!(matches!(silent.read(&mut [0; 8]), Ok(0) | Err(_)), "a handshake that never comes");
}

#[test]
fn cp_19_unusable_certificate_is_reported_at_start() {
    let place = Place::new("");
    place
        .write("empty.pem", "")
        .write("broken.pem", "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n");
    let locked =
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";
    place
        .write("none.der.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        .write("cut.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n")
        .write("locked.pem", locked);
    let fixture = crate::serve::fixture;
    let good = crate::serve::tls();
    let try_with = |certificates: std::path::PathBuf, key: std::path::PathBuf| {
        let tls = Some(contexture_server::serve::http::TlsFiles { certificates, key });
        let options = Options { tls, ..Place::options() };
        let fault = place.start_with(place.settings(), &options).err().unwrap();
        assert_eq!(fault.code, "SRV1009");
        fault.message
    };
    let file = |name: &str| place.path().join(name);
    let (cert, key) = (&good.certificates, &good.key);
    for (certificates, of, expected) in [
        (file("none.pem"), key.clone(), "--tls-cert"),
        (file("empty.pem"), key.clone(), "expected a certificate in PEM: the file has none"),
        (file("broken.pem"), key.clone(), "--tls-cert"),
        (key.clone(), key.clone(), "expected a certificate in PEM: the file has none"),
        (cert.clone(), cert.clone(), "expected a private key in PEM"),
        (cert.clone(), file("none.pem"), "--tls-key"),
        (cert.clone(), crate::serve::fixture("other.key.pem"), "can't be used"),
        (
            fixture("expired.cert.pem"),
            fixture("expired.key.pem"),
            "valid until 2021-01-01 00:00 UTC",
        ),
        (file("none.der.pem"), key.clone(), "its content is not a certificate"),
        (file("cut.pem"), key.clone(), "its last line is missing"),
        (cert.clone(), file("locked.pem"), "it is encrypted"),
        (place.path().to_owned(), key.clone(), "it is not a file"),
        #[cfg(unix)]
        ("/dev/zero".into(), key.clone(), "the file is too large"),
    ] {
        let message = try_with(certificates, of);
        assert!(message.contains(expected), "{expected}: {message}");
    }
}

#[test]
fn cp_19_clients_come_from_listed_addresses() {
    let place = Place::new("[serve]\naddresses = [\"10.0.0.0/8\", \"192.0.2.1\"]\n");
    let server = place.start();
    let content = refused(&server.http().get("/v1/contexts"), 403, "PERMISSION_DENIED");
    assert_eq!(policies(&content), ["address"]);
    assert_eq!(server.http().get("/v1/schemas").status, 403, "nothing at all");
    drop(server);
    place.write("contexture.toml", "[serve]\naddresses = [\"127.0.0.0/8\"]\n");
    assert_eq!(place.start().http().get("/v1/contexts").status, 200);
    place.write("contexture.toml", "[serve]\naddresses = [\"10.0.0.0/99\"]\n");
    let fault = place.start_with(place.settings(), &Place::options()).err().unwrap();
    assert!(fault.code == "SRV1006" && fault.message.contains("10.0.0.0/99"), "{fault:?}");
}

#[test]
fn cp_19_hosts_and_origins_are_checked_and_allowed_pages_can_read() {
    let settings = "[serve]\norigins = [\"https://app.example\"]\nhosts = [\"agents.example\"]\n";
    let place = Place::new(settings);
    let server = place.start();
    for host in ["evil.example", "localhost@evil.example", "localhost.evil.example"] {
        let content = refused(
            &server.http().with("host", host).get("/v1/contexts"),
            403,
            "PERMISSION_DENIED",
        );
        assert_eq!(policies(&content), ["host"], "{host}");
    }
    assert_eq!(server.http().with("host", "agents.example:443").get("/v1/contexts").status, 200);
    for origin in ["https://evil.example", "null", "https://app.example.evil", "http://10.0.0.1"] {
        let answer = server.http().with("origin", origin).get("/v1/contexts");
        assert_eq!(policies(&refused(&answer, 403, "PERMISSION_DENIED")), ["origin"], "{origin}");
        assert_eq!(answer.header("access-control-allow-origin"), None);
        let preflight =
            server.http().with("origin", origin).with("access-control-request-method", "POST");
        assert_eq!(preflight.send("OPTIONS", "/v1/messages", None).status, 403);
    }
    let page =
        server.http().with("host", "agents.example").with("origin", "https://agents.example");
    assert_eq!(page.get("/v1/contexts").status, 200, "a page of the server itself");
    let page = server.http().with("origin", "https://app.example");
    let answer = page.get("/v1/contexts");
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example"));
    assert_eq!(answer.header("access-control-allow-credentials"), None);
    assert!(answer.headers.contains(&("vary".to_owned(), "origin".to_owned())));
    let preflight =
        page.with("access-control-request-method", "POST").send("OPTIONS", "/v1/messages", None);
    assert_eq!(preflight.status, 204);
    assert!(preflight.header("access-control-allow-headers").unwrap().contains("authorization"));
    assert!(preflight.header("set-cookie").is_none());
    for (name, value) in [("x-content-type-options", "nosniff"), ("cache-control", "no-store")] {
        assert_eq!(answer.header(name), Some(value));
    }
    assert!(answer.header("content-security-policy").unwrap().contains("default-src 'none'"));
}

#[test]
fn cp_6_client_is_warned_near_rate_and_then_refused() {
    let place = Place::new("[serve]\nrequire_token = true\nrate_per_minute = 10\n");
    let (ann, bob) = (place.token(NewToken::new("ann")), place.token(NewToken::new("bob")));
    let server = place.start();
    let mut socket = server.socket_as(&ann);
    socket.hello();
    let all: Vec<Value> = (0..12).map(|number| availability(&format!("m{number}"))).collect();
    socket.send(&json!(all));
    let heard: Vec<Value> = (0..13).map(|_| socket.receive()).collect();
    let warnings: Vec<&Value> =
        heard.iter().filter(|one| one["type"] == "SYSTEM_MESSAGE").collect();
    assert_eq!(warnings.len(), 1, "{heard:?}");
    let content = &warnings[0]["content"];
    assert_eq!(
        (&content["action"], &content["data"]["code"]),
        (&json!("WARNING"), &json!("RATE_WARNING"))
    );
    assert_eq!(content["data"]["left"], 2);
    let over: Vec<&Value> = heard.iter().filter(|one| one["type"] == "ERROR_RESPONSE").collect();
    assert_eq!(over.len(), 2);
    assert_eq!(over[0]["content"]["errorCode"], "RATE_LIMITED");
    assert_eq!(over[0]["content"]["recoverable"], true);
    assert_eq!(policies(&over[0]["content"]), ["rate_limit"]);
    // However slowly this runs, more is sent than the rate makes up for.
    let many: Vec<Value> = (0..30).map(|number| availability(&format!("b{number}"))).collect();
    let batch =
        server.http_as(&ann).post(&json!([many, vec![json!({ "no": "message" })]].concat())).json();
    let codes: Vec<&Value> =
        batch.as_array().unwrap().iter().map(|one| &one["content"]["errorCode"]).collect();
    assert_eq!(codes.len(), 31);
    assert_eq!(codes[30], "RATE_LIMITED", "what can't be read counts like any other");
    let answers = || (0..30).map(|_| server.http_as(&ann).post(&availability("h")));
    let answer = answers().find(|answer| answer.status != 200).unwrap();
    let content = refused(&answer, 429, "RATE_LIMITED");
    let wait = content["details"]["retryAfter"].as_u64().unwrap();
    assert!((1..=6).contains(&wait), "{wait}");
    assert_eq!(answer.header("retry-after"), Some(wait.to_string().as_str()));
    let pages = || (0..30).map(|_| server.http_as(&ann).get("/v1/contexts"));
    refused(&pages().find(|answer| answer.status != 200).unwrap(), 429, "RATE_LIMITED");
    assert_eq!(server.http_as(&bob).post(&availability("h")).status, 200, "others are not touched");
}

#[test]
fn cp_6_client_that_ignores_refusals_is_disconnected() {
    let place = Place::new("[serve]\nrate_per_minute = 1\n");
    let server = place.start();
    let mut socket = server.socket();
    socket.hello();
    let many: Vec<Value> = (0..600).map(|number| availability(&format!("m{number}"))).collect();
    socket.send(&json!(many));
    socket.send(&json!(many));
    assert_eq!(socket.closed(), Some(1013));
    assert_eq!(server.http().get("/v1/schemas").status, 200, "others go on");
}

#[test]
fn cp_19_address_has_rate_and_wrong_tokens_have_lower_one() {
    let place = Place::new("[serve.limits]\naddress_rate_per_minute = 2\n");
    let server = place.start();
    let statuses: Vec<u16> = (0..6).map(|_| server.http().get("/v1/schemas").status).collect();
    assert_eq!(statuses[..2], [200, 200]);
    assert!(statuses.contains(&429), "{statuses:?}");
    drop(server);
    place.write("contexture.toml", "[serve.limits]\nfailed_logins_per_minute = 2\n");
    let server = place.start();
    let wrong = server.http_as("wrong");
    refused(&wrong.get("/v1/contexts"), 401, "AUTH_FAILED");
    refused(&wrong.get("/v1/contexts"), 401, "AUTH_FAILED");
    let answer = wrong.get("/v1/contexts");
    assert_eq!(policies(&refused(&answer, 429, "RATE_LIMITED")), ["failed_login_limit"]);
    assert!(answer.header("retry-after").is_some());
    assert_eq!(server.http().get("/v1/contexts").status, 200, "who has not failed gets in");
}

#[test]
fn cp_19_connections_and_sockets_have_limits() {
    let place = Place::new("[serve.limits]\nconnections_per_address = 3\nsockets_per_owner = 1\n");
    let server = place.start();
    let mut socket = server.socket();
    socket.hello();
    let handshake = server
        .http()
        .with("upgrade", "websocket")
        .with("sec-websocket-version", "13")
        .with("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
    let content = refused(&handshake.get("/v1/ws"), 429, "RATE_LIMITED");
    assert_eq!(policies(&content), ["socket_limit"]);
    let held = [connect(server.address), connect(server.address)];
    until("a connection too many", || server.http().get("/v1/schemas").status == 429);
    drop(held);
    until("there is room again", || server.http().get("/v1/schemas").status == 200);
    assert_eq!(socket.ask(&availability("m"))["type"], "TOOL_AVAILABILITY_RESPONSE");
    drop(socket);
    until("a socket's place is free again", || {
        let mut stream = connect(server.address);
        let head = "GET /v1/ws HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\n\
                    upgrade: websocket\r\nsec-websocket-version: 13\r\n\
                    sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).is_ok() && answer.ends_with(b"101")
    });
}

#[test]
fn cp_19_slow_clients_are_disconnected() {
    let place = Place::new("[serve.limits]\nheader_seconds = 1\nbody_seconds = 1\n");
    let server = place.start();
    let mut stream = connect(server.address);
    stream.write_all(b"GET /v1/contexts HTTP/1.1\r\nhost: loc").unwrap();
    let mut rest = Vec::new();
    assert!(stream.read_to_end(&mut rest).is_ok(), "the connection is closed");
    let head = "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
                content-type: application/json\r\ncontent-length: 100\r\n\r\n{";
    let content = refused(&server.http().raw(head.as_bytes()), 504, "TIMEOUT");
    assert_eq!(policies(&content), ["body_time_limit"]);
}

#[test]
fn cp_19_message_size_is_limited() {
    let place = Place::new("[serve.limits]\nmessage_bytes = 2048\n");
    let server = place.start();
    let large = said("m1", None, &"x".repeat(3_000));
    let content = refused(&server.http().post(&large), 413, "TOO_LARGE");
    assert_eq!(policies(&content), ["size_limit"]);
    assert_eq!(content["details"]["limit"], 2048);
    let mut socket = server.socket();
    socket.hello();
    socket.send(&large);
    let answered = socket.next();
    let told = answered.as_ref().is_ok_and(|answer| answer["content"]["errorCode"] == "TOO_LARGE");
    assert!(told || answered.is_err(), "{answered:?}");
    assert_eq!(server.http().post(&said("m2", None, "small")).status, 200, "others go on");
    place.write("contexture.toml", "[serve.limits]\nmessage_bytes = 99999999\n");
    let project = contexture::Project::open(place.path(), contexture::Environment::default());
    assert!(project.unwrap_err().to_string().contains("99999999"));
}

#[test]
fn cp_19_sessions_of_owner_are_limited() {
    let place = Place::new("[serve.limits]\nsessions_per_owner = 2\n");
    let server = place.start();
    let mut ids = Vec::new();
    for _ in 0..3 {
        let mut socket = server.socket();
        ids.push(socket.hello());
        drop(socket);
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let resumed = |id: &str| {
        let content = json!({ "protocolVersion": "1.0.0", "sessionId": id, "lastSeq": 0 });
        let mut socket = server.socket();
        socket.send(&message("hello", None, "HELLO", content));
        socket.receive()["content"]["sessionId"] == id
    };
    assert!(resumed(&ids[2]) && !resumed(&ids[0]), "the one that was left first is gone");
}

const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

#[test]
fn cp_19_sensitive_fields_are_sealed_in_store_and_masked_in_traces() {
    let settings = "[serve.sensitive]\nstate = [\"userPreferences.email\"]\n\
                    messages = [\"USER_INPUT:content.text\"]\nkey_env = \"CONTEXTURE_DATA_KEY\"\n";
    let place = Place::new(settings).with_var("CONTEXTURE_DATA_KEY", KEY);
    place.write(
        "echo.as",
        "main func(input { text string, state json }) {\n  \"mail to \" + input.state.userPreferences.email\n}\n",
    );
    let server = place.start();
    let email = "ann.private@example.com";
    let set = update("m1", "c", "userPreferences.email", json!(email));
    assert_eq!(server.http().post(&set).status, 200);
    let spoken = server.http().post(&said("m2", Some("c"), "my very private wish"));
    assert_eq!(spoken.json()["content"]["text"], format!("mail to {email}"));
    let whole = server.http().get("/v1/contexts/c").json();
    assert_eq!(whole["state"]["userPreferences"]["email"], email);
    assert_eq!(whole["messages"][0]["content"]["text"], "my very private wish");
    server.end();
    for name in ["contexts.db", "contexts.db-wal"] {
        let Ok(bytes) = std::fs::read(place.data().join(name)) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("my very private wish"), "{name}");
    }
    let mut files = 0;
    let mut open = vec![place.path().join(".contexture")];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if !path.starts_with(place.data()) {
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            assert!(!text.contains("very private") && !text.contains("ann.private"), "{path:?}");
            files += 1;
        }
    }
    assert!(files > 0, "the turn left a trace");
    let keyless = Place::new(settings);
    let fault = keyless.start_with(keyless.settings(), &Place::options()).err().unwrap();
    assert!(fault.code == "SRV1006" && fault.message.contains("CONTEXTURE_DATA_KEY"), "{fault:?}");
}

#[test]
fn cp_19_audit_log_has_callers_and_events_without_texts() {
    let place = Place::new("[serve]\nrequire_token = true\nrate_per_minute = 6\n");
    let (_, secret) = place.tokens().add(NewToken::new("ann")).unwrap();
    let server = place.start();
    let ann = server.http_as(secret.expose());
    assert_eq!(ann.post(&said("m1", Some("c"), "a private thing")).status, 200);
    refused(&server.http_as("guess-1234567").get("/v1/contexts"), 401, "AUTH_FAILED");
    assert_eq!(ann.get("/v1/contexts/c/export").status, 200);
    assert_eq!(ann.delete("/v1/contexts/c").status, 204);
    refused(&ann.get("/v1/contexts/other"), 404, "CONTEXT_NOT_FOUND");
    let mut forged = said("m2", Some("c"), "forged thing");
    forged["sender"]["type"] = json!("SYSTEM");
    refused(&ann.post(&forged), 403, "SENDER_FORBIDDEN");
    for _ in 0..9 {
        ann.post(&availability("m3"));
    }
    server.end();
    let audit = place.audit();
    let events: Vec<&str> = audit.iter().map(|record| record["event"].as_str().unwrap()).collect();
    let count = |name: &str| events.iter().filter(|event| **event == name).count();
    assert_eq!(events[0], "server_started");
    for (name, times) in [
        ("turn_begun", 1),
        ("login_failed", 1),
        ("contexts_exported", 1),
        ("context_deleted", 1),
        ("refused", 1),
    ] {
        assert_eq!(count(name), times, "{name}: {events:?}");
    }
    let limits = count("limit");
    assert!((1..5).contains(&limits), "a limit that is broken on and on is noted once: {limits}");
    let of = |name: &str| audit.iter().find(|record| record["event"] == name).unwrap();
    let id = place.tokens().list().unwrap()[0].id.clone();
    let turn = of("turn_begun");
    assert_eq!((&turn["owner"], &turn["token"]), (&json!("ann"), &json!(id)));
    assert_eq!((&turn["address"], &turn["contextId"]), (&json!("127.0.0.1"), &json!("c")));
    assert_eq!(of("login_failed")["outcome"], "AUTH_FAILED");
    assert_eq!(of("refused")["violatedPolicies"], json!(["sender_type"]));
    assert_eq!(of("limit")["violatedPolicies"], json!(["rate_limit"]));
    let text = json!(audit).to_string();
    for secret in ["private", "forged thing", "guess-1234567", secret.expose()] {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[test]
fn cp_19_log_has_line_per_request_turn_and_error() {
    let place = Place::new("");
    let out = Arc::new(Mutex::new(Vec::new()));
    let log = LogSettings { level: Level::Info, format: Format::Json, out: Some(out.clone()) };
    let settings = Settings { log, ..place.settings() };
    let server = place.start_with(settings, &Place::options()).unwrap();
    assert_eq!(server.http().post(&said("m1", Some("c"), "a private thing")).status, 200);
    refused(&server.http().get("/v1/contexts/none?token=ctx_tok_abc"), 422, "VALIDATION_FAILED");
    let unknown = message("m2", None, "TELEPORT", json!({}));
    refused(&server.http().post(&unknown), 422, "UNKNOWN_TYPE");
    server.end();
    let text = String::from_utf8(out.lock().unwrap().clone()).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |event: &str| -> Vec<&Value> {
        lines.iter().filter(|line| line["event"] == event).collect()
    };
    let requests = of("request");
    assert_eq!(requests.len(), 3, "{text}");
    assert_eq!(
        (&requests[0]["path"], &requests[0]["status"]),
        (&json!("/v1/messages"), &json!(200))
    );
    assert_eq!(
        (&of("turn")[0]["outcome"], &of("turn")[0]["contextId"]),
        (&json!("STOP"), &json!("c"))
    );
    assert_eq!(of("error")[0]["outcome"], "UNKNOWN_TYPE");
    assert!(of("error")[0]["traceId"].is_string());
    assert!(!text.contains("private") && !text.contains("ctx_tok_abc"), "{text}");
}

#[test]
fn cp_1_model_and_system_messages_need_their_sender_type() {
    let place = Place::new("");
    let server = place.start();
    for kind in ["MODEL_RESPONSE", "SYSTEM_MESSAGE"] {
        let content = json!({ "text": "forged", "finishReason": "STOP", "action": "INFO" });
        let direct = message("m1", Some("ctx_1"), kind, content.clone());
        let answer = server.http().post(&direct);
        assert_eq!(policies(&refused(&answer, 403, "SENDER_FORBIDDEN")), ["sender_type"], "{kind}");
        let inner = json!({ "messageId": "in1", "type": kind, "content": content });
        let added = json!({ "operation": "ADD_MESSAGE", "message": inner });
        let answer = server.http().post(&message("m2", Some("ctx_1"), "CONTEXT_UPDATE", added));
        assert_eq!(policies(&refused(&answer, 403, "SENDER_FORBIDDEN")), ["sender_type"], "{kind}");
    }
    let senders = vec![SenderType::User, SenderType::Model];
    let model = place.token(NewToken { senders, ..NewToken::new("model") });
    let content = json!({ "text": "said", "finishReason": "STOP" });
    let own = message("m3", Some("ctx_2"), "MODEL_RESPONSE", content);
    assert_eq!(server.http_as(&model).post(&own).status, 200);
}

#[test]
fn cp_19_read_only_token_can_not_control() {
    let place = Place::new("");
    let read = NewToken { scopes: vec![Scope::Read], ..NewToken::new("read") };
    let read = place.token(read);
    let server = place.start();
    let control = json!({ "action": "CANCEL", "target": "m1" });
    let answer = server.http_as(&read).post(&message("c1", None, "CONTROL", control));
    assert_eq!(policies(&refused(&answer, 403, "PERMISSION_DENIED")), ["token_scope"]);
}

#[test]
fn cp_5_turn_sees_only_earlier_messages() {
    let place = Place::new("");
    place.write(
        "echo.as",
        "main func(input { text string, messages json }) {\n  { text: input.text, before: input.messages }\n}\n",
    );
    let server = place.start();
    let all: Vec<Value> =
        (0..6).map(|n| said(&format!("m{n}"), Some("ctx_1"), &format!("q{n}"))).collect();
    let answers = server.http().post(&Value::from(all)).json();
    for (n, answer) in answers.as_array().unwrap().iter().enumerate() {
        let before = answer["metadata"]["value"]["before"].as_array().unwrap();
        let texts: Vec<&str> = before.iter().map(|one| one["text"].as_str().unwrap()).collect();
        let asked: Vec<String> = (0..n).map(|n| format!("q{n}")).collect();
        for role in ["user", "model"] {
            let own = before
                .iter()
                .filter(|one| one["role"] == role)
                .map(|one| one["text"].as_str().unwrap());
            assert_eq!(own.collect::<Vec<_>>(), asked, "{role} before q{n}: {texts:?}");
        }
    }
}

/// Reads the file that is named to it, or tries to rewrite it.
const READER: &str = r#"
import tool File from "file://workspace"
main func(said string) {
  try {
    if said == "rewrite" {
      File.write({ path: "echo.as", content: "main func(said string) { 1 }" })
      return "rewritten"
    }
    File.read({ path: said })
  } else err {
    err.code
  }
}
"#;

#[test]
fn gu_1_agent_reads_no_record_of_server_and_does_not_rewrite_itself() {
    let place = Place::new("");
    place
        .write("echo.as", READER)
        .write("notes.md", "the notes")
        .write(".env", "KEY=hunter2-hunter2");
    let said_to = |server: &crate::serve::Running, number: usize, text: &str| {
        let answer = server.http().post(&said(&format!("m{number}"), None, text));
        answer.json()["content"]["text"].as_str().unwrap_or_default().to_owned()
    };
    for data in [place.data(), place.path().join("var/data")] {
        std::fs::create_dir_all(&data).unwrap();
        let settings = Settings { data: data.clone(), ..place.settings() };
        let server = place.start_with(settings, &Place::options()).unwrap();
        assert_eq!(said_to(&server, 1, "notes.md"), "the notes");
        let folder = data.strip_prefix(place.path()).unwrap().display().to_string();
        let runs: Vec<_> =
            std::fs::read_dir(place.path().join(".contexture/runs")).unwrap().collect();
        let run = runs[0].as_ref().unwrap().file_name().into_string().unwrap();
        for (number, path) in [
            format!(".contexture/runs/{run}"),
            format!("{folder}/audit.jsonl"),
            format!("{folder}/contexts.db"),
            format!("{folder}/../{}/tokens.json", data.file_name().unwrap().display()),
            ".env".to_owned(),
            "rewrite".to_owned(),
        ]
        .iter()
        .enumerate()
        {
            assert_eq!(said_to(&server, number + 2, path), "PATH_PROTECTED", "{path}");
        }
        drop(server);
        assert_eq!(std::fs::read_to_string(place.path().join("echo.as")).unwrap(), READER);
    }
}

#[test]
fn gu_1_data_folder_that_is_workspace_is_refused() {
    let place = Place::new("");
    let settings = Settings { data: place.path().to_owned(), ..place.settings() };
    let Err(fault) = place.start_with(settings, &Place::options()) else { panic!("it started") };
    assert!(fault.to_string().contains("workspace"), "{fault}");
}

#[test]
fn gu_12_start_tells_of_audit_line_that_was_changed() {
    let place = Place::new("");
    for name in ["ann", "bob"] {
        let _ = place.token(NewToken::new(name));
    }
    place.start().end();
    let path = place.data().join("audit.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(warnings(&place).is_empty());
    std::fs::write(&path, text.replacen("server_started", "server_stopped", 1)).unwrap();
    let told = warnings(&place);
    assert!(told[0].starts_with("line 1 of audit.jsonl") && told.len() == 1, "{told:?}");
}

fn warnings(place: &Place) -> Vec<String> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let _entered = runtime.enter();
    let serve = contexture_server::serve::Serve::open(place.settings()).unwrap();
    serve.warnings()
}
