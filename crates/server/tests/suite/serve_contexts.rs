//! Contexts and their messages as a client meets them: what is kept is what was sent, a message is
//! there once, what is gone is gone for all, and nobody learns of another's (CP-1…CP-13, CP-17).

use crate::serve::http::{Answer, Http};
use crate::serve::socket::Socket;
use crate::serve::{Place, availability, message, refused, said, served, update};
use contexture_server::serve::tokens::NewToken;
use serde_json::{Value, json};

fn add(id: &str, context: &str, inner: Value) -> Value {
    let content = json!({ "operation": "ADD_MESSAGE", "message": inner });
    message(id, Some(context), "CONTEXT_UPDATE", content)
}

fn user(id: &str, text: &str) -> Value {
    json!({ "messageId": id, "type": "USER_INPUT", "content": { "text": text } })
}

fn pointers(content: &Value) -> Vec<&str> {
    let violations = content["details"]["violations"].as_array();
    violations.into_iter().flatten().map(|one| one["pointer"].as_str().unwrap()).collect()
}

/// A message whose value is written as given.
fn raw(id: &str, value: &str) -> String {
    update(id, "ctx_n", "n", json!("VALUE")).to_string().replace("\"VALUE\"", value)
}

fn ids(http: &Http, context: &str) -> Vec<String> {
    let page = http.get(&format!("/v1/contexts/{context}/messages")).json();
    let messages = page["messages"].as_array().unwrap().iter();
    messages.map(|one| one["messageId"].as_str().unwrap().to_owned()).collect()
}

fn import(http: &Http, query: &str, body: &str) -> Answer {
    let lined = http.clone().with("content-type", "application/x-ndjson");
    lined.send("POST", &format!("/v1/contexts/import{query}"), Some(body))
}

#[test]
fn cp_3_numbers_keep_their_value_or_are_refused() {
    let (_place, running) = served();
    let http = running.http();
    let post = |body: &str| http.send("POST", "/v1/messages", Some(body));
    for (at, (value, kept)) in [
        ("18446744073709551615", "18446744073709551615"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("0.1", "0.1"),
        ("1.50e3", "1500.0"),
        ("1e-7", "1e-7"),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(post(&raw(&format!("m{at}"), value)).json()["type"], "ACK", "{value}");
        let body = http.get("/v1/contexts/ctx_n?messages=0").body;
        assert!(body.contains(&format!("\"n\":{kept}")), "{body}");
    }
    for value in [
        "18446744073709551616",
        "[1, {\"a\": -9223372036854775809}]",
        "123456789.123456789",
        "3.141592653589793238462643",
    ] {
        let content = refused(&post(&raw("m9", value)), 422, "VALIDATION_FAILED");
        assert!(content["message"].as_str().unwrap().contains("as a string"), "{content}");
        assert_eq!(content["details"]["requestId"], "m9");
    }
    // In a batch it is told of its own message alone.
    let batch = format!("[{}, {}]", raw("b1", "18446744073709551616"), raw("b2", "7"));
    let answers = post(&batch).json();
    assert_eq!(answers[0]["content"]["errorCode"], "VALIDATION_FAILED");
    assert_eq!(answers[1]["type"], "ACK", "{answers}");
    // Elsewhere too.
    let made = http.send("POST", "/v1/contexts", Some("{\"state\": {\"n\": 1e-400}}"));
    assert_eq!(pointers(&refused(&made, 422, "VALIDATION_FAILED")), ["/state/n"]);
    let taken = import(
        &http,
        "",
        "{}\n{\"messageId\":\"m\",\"type\":\"USER_INPUT\",\"content\":{\"text\":\"\",\"n\":18446744073709551616}}",
    );
    let content = refused(&taken, 422, "VALIDATION_FAILED");
    assert_eq!(content["details"]["line"], 2, "{content}");
}

#[test]
fn cp_3_floats_round_trip_exactly() {
    let (_place, running) = served();
    let http = running.http();
    let mut bits = 0x0123_4567_89ab_cdef_u64;
    let mut floats = vec![f64::MIN_POSITIVE, f64::MAX, 5e-324, -0.0, 0.1 + 0.2, 1.0 / 3.0];
    while floats.len() < 2_000 {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let float = f64::from_bits(bits);
        if float.is_finite() {
            floats.push(float);
        }
    }
    assert_eq!(http.post(&update("m1", "ctx_f", "f", json!(floats))).json()["type"], "ACK");
    let exported = http.get("/v1/contexts/ctx_f/export").body;
    assert_eq!(import(&http, "?contextId=ctx_g", &exported).status, 201);
    for context in ["ctx_f", "ctx_g"] {
        let body = http.get(&format!("/v1/contexts/{context}?messages=0")).body;
        let list = body.split_once("\"f\":[").unwrap().1.split_once(']').unwrap().0;
        let read: Vec<u64> =
            list.split(',').map(|text| text.parse::<f64>().unwrap().to_bits()).collect();
        assert_eq!(read, floats.iter().map(|float| float.to_bits()).collect::<Vec<_>>());
    }
}

#[test]
fn cp_7_message_id_is_unique_in_history() {
    let (_place, running) = served();
    let http = running.http();
    assert_eq!(http.post(&add("u1", "c", user("m1", "a"))).json()["type"], "ACK");
    for (id, inner) in [("u2", user("m1", "b")), ("u3", user("m1", "a")), ("u4", user("u1", "a"))] {
        let content = refused(&http.post(&add(id, "c", inner)), 409, "MESSAGE_ID_CONFLICT");
        assert_eq!(content["details"]["requestId"], id);
    }
    refused(&http.post(&said("m1", Some("c"), "a")), 409, "MESSAGE_ID_CONFLICT");
    assert_eq!(http.post(&add("u1", "c", user("m1", "a"))).json()["content"]["version"], 1);
    assert_eq!(http.post(&said("m2", Some("c"), "a")).status, 200);
    refused(&http.post(&add("u5", "c", user("m2", "a"))), 409, "MESSAGE_ID_CONFLICT");
    // The one that made a context is in it.
    let made = http.post(&said("m3", None, "a")).json()["contextId"].as_str().unwrap().to_owned();
    refused(&http.post(&add("u6", &made, user("m3", "a"))), 409, "MESSAGE_ID_CONFLICT");
    // One that was refused may come again.
    assert_eq!(http.post(&add("u5", "c", user("m4", "a"))).json()["type"], "ACK");
    let history = ids(&http, "c");
    assert_eq!((&history[0], &history[1], history.len()), (&"m1".to_owned(), &"m2".to_owned(), 4));
    let lines = format!("{{}}\n{}\n{}\n{}", user("x", "a"), user("y", "a"), user("x", "b"));
    let content = refused(&import(&http, "", &lines), 409, "MESSAGE_ID_CONFLICT");
    assert_eq!(content["details"]["line"], 4, "{content}");
    assert!(content["message"].as_str().unwrap().contains("line 2"), "{content}");
}

#[test]
fn cp_7_message_to_deleted_context_starts_again() {
    let (_place, running) = served();
    let http = running.http();
    let first = http.post(&said("m1", Some("c"), "a")).json();
    assert_eq!(http.post(&update("m2", "c", "a", json!(1))).json()["content"]["version"], 3);
    assert_eq!(http.delete("/v1/contexts/c").status, 204);
    refused(&http.get("/v1/contexts/c"), 404, "CONTEXT_NOT_FOUND");
    let again = http.post(&said("m1", Some("c"), "a")).json();
    assert_eq!(again["content"], first["content"]);
    assert_ne!(again["messageId"], first["messageId"]);
    assert_eq!(http.post(&update("m2", "c", "a", json!(2))).json()["content"]["version"], 3);
    assert_eq!(http.get("/v1/contexts/c").json()["messages"].as_array().unwrap().len(), 2);
}

/// What a subscriber hears, until the answer to a question that is asked last.
fn heard(socket: &mut Socket, last: &str) -> Vec<Value> {
    socket.send(&availability(last));
    let mut all = Vec::new();
    loop {
        let message = socket.receive();
        if message["metadata"]["inReplyTo"] == last {
            return all;
        }
        all.push(message);
    }
}

#[test]
fn cp_11_subscribers_are_notified_of_deletion() {
    let (_place, running) = served();
    let http = running.http();
    let mut socket = running.socket();
    socket.hello();
    http.post(&update("m1", "c", "a", json!(1)));
    let subscribe = message("sub", None, "SUBSCRIBE", json!({ "contextId": "c", "since": 0 }));
    assert_eq!(socket.ask(&subscribe)["content"]["version"], 1);
    http.post(&update("m2", "c", "a", json!(2)));
    assert_eq!(http.delete("/v1/contexts/c").status, 204);
    let told = heard(&mut socket, "q1");
    let kinds: Vec<&str> = told.iter().map(|one| one["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["CONTEXT_DELTA", "CONTEXT_DELTA", "SYSTEM_MESSAGE"], "{told:?}");
    for (at, one) in told.iter().enumerate() {
        assert_eq!(one["metadata"], json!({ "inReplyTo": "sub", "seq": at + 2 }));
        assert_eq!(one["contextId"], "c");
    }
    assert_eq!(told[1]["content"]["changes"][0]["cause"], "m2");
    assert_eq!(told[2]["content"]["data"]["code"], "CONTEXT_DELETED");
    assert_eq!(told[2]["content"]["action"], "NOTIFICATION");
    // The next one of this id is another.
    http.post(&update("m3", "c", "a", json!(3)));
    assert_eq!(heard(&mut socket, "q2"), Vec::<Value>::new());
    assert_eq!(
        socket.ask(&message("s2", None, "SUBSCRIBE", json!({ "contextId": "c" })))["content"]["version"],
        1
    );
    http.post(&update("m4", "c", "a", json!(4)));
    assert_eq!(heard(&mut socket, "q3")[0]["metadata"]["inReplyTo"], "s2");
    http.delete("/v1/contexts/c");
    assert_eq!(
        socket.ask(&message("s3", None, "SUBSCRIBE", json!({ "contextId": "c" })))["content"]["errorCode"],
        "CONTEXT_NOT_FOUND"
    );
}

#[test]
fn cp_2b_welcome_has_number_before_the_next_message() {
    let (_place, running) = served();
    let hello = |content: Value| message("hello", None, "HELLO", content);
    let mut socket = running.socket();
    socket.send(&hello(json!({ "protocolVersion": "1.0.0" })));
    let welcome = socket.receive();
    assert_eq!(welcome["metadata"], json!({ "seq": 0, "inReplyTo": "hello" }));
    for n in 1..=3 {
        assert_eq!(socket.ask(&availability(&format!("q{n}")))["metadata"]["seq"], n);
    }
    let session = welcome["content"]["sessionId"].clone();
    let mut again = running.socket();
    again.send(&hello(json!({ "protocolVersion": "1.0.0", "sessionId": session, "lastSeq": 1 })));
    let welcome = again.receive();
    assert_eq!(
        (&welcome["content"]["lastSeq"], &welcome["metadata"]["seq"]),
        (&json!(3), &json!(1))
    );
    assert_eq!(again.receive()["metadata"]["seq"], 2);
    assert_eq!(again.receive()["metadata"]["seq"], 3);
}

#[test]
fn cp_1_added_messages_are_checked_like_sent_ones() {
    let (_place, running) = served();
    let http = running.http();
    let vote = json!({ "messageId": "m1", "type": "VOTE", "content": { "a": 1 } });
    let content = refused(&http.post(&add("u1", "c", vote.clone())), 422, "UNKNOWN_TYPE");
    assert_eq!(pointers(&content), ["/content/message/type"]);
    assert_eq!(content["details"]["requestId"], "u1");
    for (inner, pointer) in [
        (
            json!({ "messageId": "m1", "type": "USER_INPUT", "content": { "text": 5 } }),
            "/content/message/content/text",
        ),
        (
            json!({ "messageId": "m1", "type": "USER_INPUT", "content": [] }),
            "/content/message/content",
        ),
        (
            json!({ "messageId": "m1", "type": "USER_INPUT", "content": { "text": "" }, "timestamp": 5 }),
            "/content/message/timestamp",
        ),
        (json!({ "type": "USER_INPUT", "content": { "text": "" } }), "/content/message/messageId"),
    ] {
        let content = refused(&http.post(&add("u1", "c", inner)), 422, "VALIDATION_FAILED");
        assert_eq!(pointers(&content), [pointer]);
    }
    refused(&http.get("/v1/contexts/c"), 404, "CONTEXT_NOT_FOUND");
    let content = refused(&import(&http, "", &format!("{{}}\n{vote}")), 422, "UNKNOWN_TYPE");
    assert_eq!(content["details"]["line"], 2);
    let wrong = json!({ "messageId": "m1", "type": "USER_INPUT", "content": { "text": 5 } });
    let content = refused(&import(&http, "", &format!("{{}}\n{wrong}")), 422, "VALIDATION_FAILED");
    assert_eq!(
        (pointers(&content), &content["details"]["line"]),
        (vec!["/content/text"], &json!(2))
    );
}

#[test]
fn cp_19_lists_beyond_limit_are_too_large() {
    let (_place, running) = served();
    let http = running.http();
    let list = |count: usize| json!({ "list": vec![0; count] });
    assert_eq!(http.post(&update("m1", "c", "a", list(100_000))).json()["type"], "ACK");
    let content = refused(&http.post(&update("m2", "c", "a", list(100_001))), 413, "TOO_LARGE");
    assert_eq!(pointers(&content), ["/content/value/list"]);
}

#[test]
fn cp_13_invalid_capabilities_are_refused_with_places() {
    let (_place, running) = served();
    let mut socket = running.socket();
    socket.hello();
    let mut announce = |id: &str, tools: Value| {
        let content = json!({ "clientId": "cli", "supportedTools": tools });
        socket.ask(&message(id, None, "CLIENT_CAPABILITIES", content))
    };
    for (at, (tool, place)) in [
        (json!({ "toolId": "a", "runtime": "BACKEND" }), "runtime"),
        (json!({ "toolId": "b" }), "toolId"),
        (json!({ "toolId": "a", "version": "latest" }), "version"),
        (json!({ "toolId": "a", "parameters": { "type": "objekt" } }), "parameters/type"),
        (json!({ "toolId": "a", "returns": { "properties": { "x": 5 } } }), "returns/properties/x"),
    ]
    .into_iter()
    .enumerate()
    {
        let answer = announce(&format!("m{at}"), json!([{ "toolId": "b" }, tool]));
        assert_eq!(answer["content"]["errorCode"], "VALIDATION_FAILED", "{answer}");
        assert_eq!(pointers(&answer["content"]), [format!("/content/supportedTools/1/{place}")]);
    }
    let good = json!([{ "toolId": "a", "runtime": "FRONTEND", "version": "1.0.0",
        "parameters": { "type": "object" } }, { "toolId": "b" }]);
    assert_eq!(announce("m9", good)["type"], "ACK");
}

#[test]
fn cp_19_id_used_by_other_owner_is_not_revealed() {
    let place = Place::new("[serve]\nrequire_token = true\n");
    let (ann, bob) = (place.token(NewToken::new("ann")), place.token(NewToken::new("bob")));
    let running = place.start();
    let (ann, bob) = (running.http_as(&ann), running.http_as(&bob));
    for id in ["made", "forked", "imported"] {
        assert_eq!(ann.post(&update("m1", id, "of", json!("ann"))).status, 200);
    }
    bob.post(&update("m1", "origin", "of", json!("bob")));
    let made = bob.send("POST", "/v1/contexts", Some("{\"contextId\": \"made\"}"));
    let forked = bob.send("POST", "/v1/contexts/origin/fork", Some("{\"contextId\": \"forked\"}"));
    let imported = import(&bob, "?contextId=imported", "{}");
    assert_eq!([made.status, forked.status, imported.status], [201; 3]);
    for id in ["made", "forked", "imported"] {
        assert_eq!(bob.post(&update("m2", id, "by", json!("bob"))).status, 200);
        assert_eq!(ann.get(&format!("/v1/contexts/{id}")).json()["state"], json!({ "of": "ann" }));
        assert_eq!(bob.get(&format!("/v1/contexts/{id}")).json()["state"]["by"], "bob");
        assert_eq!(bob.delete(&format!("/v1/contexts/{id}")).status, 204);
        assert_eq!(ann.get(&format!("/v1/contexts/{id}")).status, 200);
    }
    // One's own is told.
    let again = ann.send("POST", "/v1/contexts", Some("{\"contextId\": \"made\"}"));
    refused(&again, 409, "VERSION_CONFLICT");
}
