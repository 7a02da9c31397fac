//! The metadata of contexts over HTTP, the search for contexts, and batches of operations (WA-7).

use crate::serve::http::{Answer, Http};
use crate::serve::{Place, message, refused, said, served, update};
use contexture_protocol::SenderType;
use contexture_server::serve::tokens::{NewToken, Scope};
use serde_json::{Value, json};

fn patch(http: &Http, path: &str, body: &Value) -> Answer {
    http.send("PATCH", path, Some(&body.to_string()))
}

fn batch(id: &str, changes: Value) -> Value {
    message(id, Some("ctx_a"), "CONTEXT_UPDATE", json!({ "changes": changes }))
}

fn adds(id: &str, text: &str) -> Value {
    let message = json!({ "messageId": id, "type": "USER_INPUT", "content": { "text": text } });
    json!({ "operation": "ADD_MESSAGE", "message": message })
}

#[test]
fn wa_7_patch_of_metadata_renames_context_and_is_told() {
    let (_place, running) = served();
    let http = running.http();
    http.post(&update("m1", "ctx_a", "a", json!(1)));
    let mut socket = running.socket();
    socket.hello();
    socket.send(&message("s1", None, "SUBSCRIBE", json!({ "contextId": "ctx_a" })));
    assert_eq!(socket.receive()["type"], "ACK");
    let body = json!({ "metadata": { "title": "天气", "folder": { "name": "x", "gone": null } } });
    let renamed = patch(&http, "/v1/contexts/ctx_a", &body);
    assert_eq!(renamed.status, 200, "{renamed:?}");
    assert_eq!(
        (&renamed.json()["version"], &renamed.json()["messageCount"]),
        (&2.into(), &0.into())
    );
    let metadata = json!({ "userId": "local", "title": "天气", "folder": { "name": "x" } });
    assert_eq!(renamed.json()["metadata"], metadata);
    let read = http.get("/v1/contexts/ctx_a?messages=0");
    assert_eq!(
        (&read.json()["metadata"], read.header("etag")),
        (&metadata, renamed.header("etag"))
    );
    assert_eq!(http.get("/v1/contexts").json()["contexts"][0]["metadata"]["title"], "天气");
    let delta = socket.receive();
    assert_eq!(
        (&delta["type"], &delta["content"]["version"]),
        (&"CONTEXT_DELTA".into(), &2.into())
    );
    let change = &delta["content"]["changes"][0];
    assert_eq!((&change["op"], &change["value"]), (&"UPDATE_METADATA".into(), &body["metadata"]));
    // The same again is an update like others.
    assert_eq!(patch(&http, "/v1/contexts/ctx_a", &body).json()["version"], 3);
    assert_eq!(http.get("/v1/contexts/ctx_a").json()["metadata"], metadata);
    let gone = json!({ "metadata": { "title": null, "folder": null, "userId": "local" } });
    let gone = patch(&http, "/v1/contexts/ctx_a?baseVersion=3", &gone);
    assert_eq!(gone.json()["metadata"], json!({ "userId": "local" }), "{gone:?}");
    // Over the wire as well.
    let value = json!({ "operation": "UPDATE_METADATA", "value": { "title": "t" } });
    let ack = http.post(&message("m2", Some("ctx_a"), "CONTEXT_UPDATE", value)).json();
    assert_eq!((&ack["type"], &ack["content"]["version"]), (&"ACK".into(), &5.into()), "{ack}");
    assert_eq!(http.get("/v1/contexts/ctx_a").json()["metadata"]["title"], "t");
}

#[test]
fn wa_7_patch_with_if_match_is_refused_when_context_has_another_version() {
    let (_place, running) = served();
    let http = running.http();
    http.post(&update("m1", "ctx_a", "a", json!(1)));
    let path = "/v1/contexts/ctx_a";
    let seen = http.get(path).header("etag").unwrap().to_owned();
    let titled = |title: &str| json!({ "metadata": { "title": title } });
    let first = patch(&http.clone().with("if-match", &seen), path, &titled("one"));
    assert_eq!((first.status, &first.json()["version"]), (200, &json!(2)), "{first:?}");
    let late = patch(&http.clone().with("if-match", &seen), path, &titled("two"));
    let content = refused(&late, 412, "VERSION_CONFLICT");
    assert_eq!(content["details"]["version"], 2);
    assert_eq!(http.get(path).json()["metadata"]["title"], "one");
    let now = format!("\"x\", {}", first.header("etag").unwrap());
    assert_eq!(patch(&http.clone().with("if-match", &now), path, &titled("two")).status, 200);
    assert_eq!(patch(&http.clone().with("if-match", "*"), path, &titled("three")).status, 200);
    let none = patch(&http.clone().with("if-match", "*"), "/v1/contexts/none", &titled("x"));
    refused(&none, 404, "CONTEXT_NOT_FOUND");
    // One that was deleted and made anew has the same version, and is another one.
    http.post(&update("m1", "ctx_b", "a", json!(1)));
    let old = http.get("/v1/contexts/ctx_b").header("etag").unwrap().to_owned();
    http.delete("/v1/contexts/ctx_b");
    http.post(&update("m1", "ctx_b", "a", json!(1)));
    let other = patch(&http.with("if-match", &old), "/v1/contexts/ctx_b", &titled("x"));
    refused(&other, 412, "VERSION_CONFLICT");
}

#[test]
fn wa_7_patch_metadata_of_user_id_is_refused() {
    let (_place, running) = served();
    let http = running.http();
    http.post(&update("m1", "ctx_a", "a", json!(1)));
    for user in [json!("bob"), json!(null), json!([1])] {
        let body = json!({ "metadata": { "title": "t", "userId": user } });
        let content = refused(&patch(&http, "/v1/contexts/ctx_a", &body), 422, "VALIDATION_FAILED");
        assert_eq!(content["details"]["violations"][0]["pointer"], "/metadata/userId");
        let change = json!({ "operation": "UPDATE_METADATA", "value": { "userId": user } });
        let ask = batch(&format!("m{user}"), json!([adds("x", "x"), change]));
        let content = refused(&http.post(&ask), 422, "VALIDATION_FAILED");
        let pointer = &content["details"]["violations"][0]["pointer"];
        assert_eq!(pointer, "/content/changes/1/value/userId");
        // Of several patches the one at fault is named.
        let harmless = json!({ "operation": "UPDATE_METADATA", "value": { "title": "t" } });
        let own = json!({ "operation": "UPDATE_METADATA", "value": { "userId": "local" } });
        for after in [harmless, own] {
            let ask = batch(&format!("n{user}{}", after["value"]), json!([change, after]));
            let content = refused(&http.post(&ask), 422, "VALIDATION_FAILED");
            let pointer = &content["details"]["violations"][0]["pointer"];
            assert_eq!(pointer, "/content/changes/0/value/userId");
        }
    }
    let read = http.get("/v1/contexts/ctx_a").json();
    assert_eq!((&read["version"], &read["metadata"]), (&1.into(), &json!({ "userId": "local" })));
}

#[test]
fn wa_7_invalid_patch_of_metadata_is_refused_and_changes_nothing() {
    let (_place, running) = served();
    let http = running.http();
    http.post(&update("m1", "ctx_a", "a", json!(1)));
    let path = "/v1/contexts/ctx_a";
    for body in [
        json!({}),
        json!([]),
        json!({ "metadata": null }),
        json!({ "metadata": "x" }),
        json!({ "metadata": [] }),
        json!({ "metadata": {}, "state": {} }),
        json!({ "title": "t" }),
    ] {
        refused(&patch(&http, path, &body), 422, "VALIDATION_FAILED");
    }
    refused(&http.send("PATCH", path, None), 422, "VALIDATION_FAILED");
    refused(&http.send("PATCH", path, Some("{\"metadata\"")), 400, "PARSE_ERROR");
    let form = http.clone().with("content-type", "text/plain");
    refused(&form.send("PATCH", path, Some("{}")), 415, "PARSE_ERROR");
    let huge = json!({ "metadata": { "x": "y".repeat(70_000) } });
    refused(&patch(&http, path, &huge), 413, "TOO_LARGE");
    let body = json!({ "metadata": { "a": 1 } });
    refused(&patch(&http, "/v1/contexts/none", &body), 404, "CONTEXT_NOT_FOUND");
    refused(&patch(&http, "/v1/contexts/ctx_a?baseVersion=9", &body), 422, "VALIDATION_FAILED");
    refused(&patch(&http, "/v1/contexts/ctx_a?version=1", &body), 422, "VALIDATION_FAILED");
    assert_eq!(http.get(path).json()["version"], 1);
    assert_eq!(patch(&http, path, &body).status, 200);
    let stale = patch(&http, "/v1/contexts/ctx_a?baseVersion=1", &body);
    let conflict = refused(&stale, 409, "VERSION_CONFLICT");
    assert_eq!(conflict["details"]["conflicts"][0]["op"], "UPDATE_METADATA");
    let other = json!({ "metadata": { "b": 1 } });
    assert_eq!(patch(&http, "/v1/contexts/ctx_a?baseVersion=1", &other).json()["version"], 3);
    assert_eq!(http.get("/v1/contexts").json()["contexts"].as_array().unwrap().len(), 1);
}

#[test]
fn wa_7_context_of_other_owner_is_neither_patched_nor_found() {
    let place = Place::new("[serve]\nrequire_token = true\n");
    let scopes = vec![Scope::Read, Scope::Inspect];
    let tokens = [
        place.token(NewToken::new("ann")),
        place.token(NewToken::new("bob")),
        place.token(NewToken { scopes, ..NewToken::new("operator") }),
    ];
    let running = place.start();
    let [ann, bob, operator] = tokens.map(|token| running.http_as(&token));
    ann.post(&said("m1", Some("ctx_a"), "needle"));
    let body = json!({ "metadata": { "title": "t" } });
    refused(&patch(&bob, "/v1/contexts/ctx_a", &body), 404, "CONTEXT_NOT_FOUND");
    refused(&patch(&operator, "/v1/contexts/ctx_a", &body), 403, "PERMISSION_DENIED");
    let found = |http: &Http| {
        let page = http.get("/v1/contexts?search=needle").json();
        page["contexts"].as_array().unwrap_or_else(|| panic!("{page}")).len()
    };
    assert_eq!([found(&ann), found(&bob), found(&operator)], [1, 0, 0]);
}

#[test]
fn wa_7_search_for_contexts_finds_titles_and_texts_in_pages() {
    let (_place, running) = served();
    let http = running.http();
    http.post(&said("m1", Some("ctx_1"), "北京今天天气怎么样?"));
    http.post(&said("m1", Some("ctx_2"), "100% of \"it\""));
    http.post(&update("m1", "ctx_3", "currentTopic", json!("天气")));
    http.post(&said("m1", Some("ctx_4"), "1000 of it"));
    patch(&http, "/v1/contexts/ctx_4", &json!({ "metadata": { "title": "Das 天气" } }));
    let found = |query: &str| -> Vec<String> {
        let page = http.get(&format!("/v1/contexts?search={query}"));
        assert_eq!(page.status, 200, "{page:?}");
        let page = page.json();
        let contexts = page["contexts"].as_array().unwrap().iter();
        contexts.map(|one| one["contextId"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(found("%E5%A4%A9%E6%B0%94"), ["ctx_1", "ctx_3", "ctx_4"]);
    assert_eq!(found("das+%E5%A4%A9"), ["ctx_4"]);
    assert_eq!(found("0%25"), ["ctx_2"]);
    assert!(found("0_0").is_empty() && found("%27%20or%201%3D1").is_empty());
    assert_eq!(found("%22it%22"), ["ctx_2"]);
    assert_eq!(found("you+said&limit=1"), ["ctx_1"]);
    let first = http.get("/v1/contexts?search=you+said&limit=2").json();
    let next = first["next"].as_str().unwrap();
    let rest = http.get(&format!("/v1/contexts?search=you+said&limit=2&after={next}")).json();
    assert_eq!((&rest["contexts"][0]["contextId"], &rest["next"]), (&"ctx_4".into(), &Value::Null));
    let long = "x".repeat(201);
    for query in ["search=", "search=%20", &format!("search={long}"), "search=x&after=y"] {
        refused(&http.get(&format!("/v1/contexts?{query}")), 422, "VALIDATION_FAILED");
    }
}

#[test]
fn wa_7_batch_of_messages_is_kept_as_one_version_and_acknowledged_by_ids() {
    let (_place, running) = served();
    let http = running.http();
    let set = json!({ "operation": "UPDATE_STATE", "path": "a", "value": 1 });
    let ask = batch("b1", json!([adds("x1", "one"), set, adds("x2", "two"), adds("b1", "three")]));
    let ack = http.post(&ask).json();
    assert_eq!((&ack["type"], &ack["content"]["version"]), (&"ACK".into(), &1.into()), "{ack}");
    assert_eq!(ack["content"]["messageIds"], json!(["x1", "x2", "b1"]));
    // Sent again, it gets the same answer.
    assert_eq!(http.post(&ask).json()["content"], ack["content"]);
    let whole = http.get("/v1/contexts/ctx_a").json();
    let texts: Vec<&Value> =
        whole["messages"].as_array().unwrap().iter().map(|one| &one["content"]["text"]).collect();
    assert_eq!(texts, ["one", "two", "three"]);
    assert_eq!((&whole["version"], &whole["state"]), (&1.into(), &json!({ "a": 1 })));
    let mut socket = running.socket();
    socket.hello();
    socket.send(&batch("b2", json!([adds("x3", "four")])));
    let ack = socket.receive();
    assert_eq!(
        (&ack["content"]["version"], &ack["content"]["messageIds"]),
        (&2.into(), &json!(["x3"]))
    );
}

#[test]
fn wa_7_batch_with_fault_keeps_nothing_and_names_message() {
    let place = Place::new("[serve]\nrequire_token = true\n");
    let senders = vec![SenderType::User, SenderType::Model];
    let token = place.token(NewToken { senders, ..NewToken::new("ann") });
    let running = place.start();
    let http = running.http_as(&token);
    http.post(&batch("b0", json!([adds("x0", "kept")])));
    let mut bad = adds("x3", "");
    bad["message"]["content"]["text"] = json!(7);
    let mut elsewhere = adds("x3", "");
    elsewhere["message"]["contextId"] = json!("ctx_b");
    let mut system = adds("x3", "");
    system["message"]["sender"] = json!({ "id": "system", "type": "SYSTEM" });
    let content = refused(&http.post(&batch("b1", json!([system]))), 403, "SENDER_FORBIDDEN");
    assert_eq!(content["details"]["pointer"], "/content/changes/0/message");
    let mut wish = adds("x3", "");
    wish["message"]["type"] = json!("MODEL_RESPONSE");
    wish["message"]["sender"] = json!({ "id": "model", "type": "MODEL" });
    wish["message"]["content"] = json!({ "toolCalls":
        [{ "callId": "c", "name": "clock", "parameters": {} }], "finishReason": "TOOL_CALLS" });
    let mut progress = adds("x3", "");
    progress["message"] = json!({ "messageId": "x3", "type": "PROGRESS",
        "content": { "id": "x", "status": "RUNNING" } });
    let path = json!({ "operation": "UPDATE_STATE", "path": "a.b", "value": 1 });
    let begun = json!({ "operation": "UPDATE_STATE", "path": "a", "value": 1 });
    for (third, status, code, pointer) in [
        (bad, 422, "VALIDATION_FAILED", "/content/changes/2/message/content/text"),
        (elsewhere, 422, "VALIDATION_FAILED", "/content/changes/2/message/contextId"),
        (progress, 422, "VALIDATION_FAILED", "/content/changes/2/message/type"),
        (wish, 422, "VALIDATION_FAILED", "/content/changes/2/message/content/toolCalls"),
        (path, 422, "VALIDATION_FAILED", "/content/changes/2/path"),
        (adds("x1", "again"), 409, "MESSAGE_ID_CONFLICT", "/content/changes/2/message/messageId"),
        (adds("x0", "taken"), 409, "MESSAGE_ID_CONFLICT", "/content/changes/2/message/messageId"),
    ] {
        let ask = batch("b1", json!([adds("x1", "one"), begun, third]));
        let content = refused(&http.post(&ask), status, code);
        assert_eq!(content["details"]["violations"][0]["pointer"], pointer, "{content}");
    }
    let many: Vec<Value> = (0..1_001).map(|n| adds(&format!("n{n}"), "x")).collect();
    refused(&http.post(&batch("b2", many.into())), 413, "TOO_LARGE");
    refused(&http.post(&batch("b3", json!([]))), 422, "VALIDATION_FAILED");
    refused(&http.post(&batch("b4", json!({}))), 422, "VALIDATION_FAILED");
    let whole = http.get("/v1/contexts/ctx_a").json();
    assert_eq!((&whole["version"], whole["messages"].as_array().unwrap().len()), (&1.into(), 1));
    // The ids are free still.
    assert_eq!(http.post(&batch("b1", json!([adds("x1", "one")]))).json()["type"], "ACK");
}
