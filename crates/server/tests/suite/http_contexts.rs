//! Contexts over HTTP: made, read, copied, moved; tags, packing, and the description of it all
//! (CP-6, CP-9…CP-12, CP-20).

use crate::serve::http::{Answer, Http, connect};
use crate::serve::{Running, refused, said, served, update};
use flate2::Compression;
use flate2::read::{GzDecoder, GzEncoder};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};

fn make(http: &Http, body: &Value) -> Answer {
    http.send("POST", "/v1/contexts", Some(&body.to_string()))
}

#[test]
fn cp_9_context_of_user_id_that_is_not_a_text_is_refused() {
    let (_place, running) = served();
    let http = running.http();
    for user in [json!(5), json!(null), json!({}), json!(["ada"])] {
        let body = json!({ "contextId": "ctx_u", "metadata": { "userId": user } });
        let refusal = http.send("POST", "/v1/contexts", Some(&body.to_string()));
        let content = refused(&refusal, 422, "VALIDATION_FAILED");
        let violation = &content["details"]["violations"][0];
        assert_eq!(
            (&violation["pointer"], &violation["expected"]),
            (&json!("/metadata/userId"), &json!("a text"))
        );
    }
    refused(&http.get("/v1/contexts/ctx_u"), 404, "CONTEXT_NOT_FOUND");
}

#[test]
fn cp_9_context_is_created_before_first_message() {
    let (_place, running) = served();
    let http = running.http();
    let asked = json!({
        "contextId": "ctx_a",
        "state": { "currentTopic": "weather" },
        "metadata": { "userId": "ada" },
    });
    let made = make(&http, &asked);
    assert_eq!((made.status, made.header("location")), (201, Some("/v1/contexts/ctx_a")));
    assert_eq!(made.json()["state"]["currentTopic"], "weather");
    assert_eq!(made.json()["metadata"]["userId"], "ada");
    let read = http.get("/v1/contexts/ctx_a");
    assert_eq!((read.json(), read.header("etag")), (made.json(), made.header("etag")));
    // The same again changes nothing.
    let again = make(&http, &json!({ "contextId": "ctx_a", "state": {} }));
    refused(&again, 409, "VERSION_CONFLICT");
    assert_eq!(http.get("/v1/contexts/ctx_a").json(), read.json());
    // Without anything one is made, and messages go on in it.
    let made = http.send("POST", "/v1/contexts", None);
    let id = made.json()["contextId"].as_str().unwrap().to_owned();
    assert!(made.status == 201 && id.starts_with("ctx_"), "{made:?}");
    assert_eq!(made.json()["messages"], json!([]));
    let answer = http.post(&said("m1", Some(&id), "hello"));
    assert_eq!(answer.json()["content"]["text"], "you said: hello");
    assert_eq!(http.get("/v1/contexts").json()["contexts"].as_array().unwrap().len(), 2);
}

#[test]
fn cp_9_invalid_context_creation_is_refused() {
    let (_place, running) = served();
    let http = running.http();
    for body in [
        json!([]),
        json!({ "contextId": 7 }),
        json!({ "contextId": "" }),
        json!({ "contextId": "a\nb" }),
        json!({ "state": [] }),
        json!({ "metadata": "x" }),
        json!({ "messages": [] }),
    ] {
        let content = refused(&make(&http, &body), 422, "VALIDATION_FAILED");
        assert!(content["details"].is_object(), "{content}");
    }
    let long = json!({ "contextId": "x".repeat(257) });
    assert!(matches!(make(&http, &long).status, 413 | 422), "{:?}", make(&http, &long));
    let large = json!({ "state": { "x": "y".repeat(2 << 20) } });
    assert!(matches!(make(&http, &large).status, 413 | 422));
    let broken = http.send("POST", "/v1/contexts", Some("{\"contextId\": "));
    refused(&broken, 400, "PARSE_ERROR");
    let form = http.clone().with("content-type", "application/x-www-form-urlencoded");
    refused(&form.send("POST", "/v1/contexts", Some("contextId=a")), 415, "PARSE_ERROR");
    assert_eq!(http.get("/v1/contexts").json(), json!({ "contexts": [] }));
}

#[test]
fn cp_10_context_is_forked_exported_and_imported() {
    let (_place, running) = served();
    let http = running.http();
    make(&http, &json!({ "contextId": "天气 1/2", "state": { "a": 1 } }));
    let path = "/v1/contexts/%E5%A4%A9%E6%B0%94%201%2F2";
    assert_eq!(http.get(path).json()["contextId"], "天气 1/2");
    assert_eq!(http.post(&said("m1", Some("天气 1/2"), "hello")).status, 200);
    let fork = http.send("POST", &format!("{path}/fork"), Some("{\"contextId\": \"ctx_b\"}"));
    assert_eq!((fork.status, fork.header("location")), (201, Some("/v1/contexts/ctx_b")));
    assert_eq!(fork.json()["metadata"]["forkedFrom"]["contextId"], "天气 1/2");
    let made = http.send("POST", &format!("{path}/fork"), None);
    assert_eq!((made.status, &made.json()["messageCount"]), (201, &json!(2)));
    refused(&http.send("POST", "/v1/contexts/none/fork", None), 404, "CONTEXT_NOT_FOUND");
    let taken = http.send("POST", &format!("{path}/fork"), Some("{\"contextId\": \"ctx_b\"}"));
    refused(&taken, 409, "VERSION_CONFLICT");
    let odd = http.send("POST", &format!("{path}/fork"), Some("{\"name\": \"ctx_b\"}"));
    refused(&odd, 422, "VALIDATION_FAILED");

    let exported = http.get(&format!("{path}/export"));
    assert_eq!(exported.header("content-type"), Some("application/x-ndjson"));
    let lines: Vec<Value> =
        exported.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[0]["state"]), (3, &json!({ "a": 1 })));
    refused(&http.get("/v1/contexts/none/export"), 404, "CONTEXT_NOT_FOUND");

    // One's own export can be taken in. What the model said is the model's: a user's token can't put
    // it into its mouth, so it is marked (CP-1).
    let lined = http.clone().with("content-type", "application/x-ndjson");
    let import = |body: &str| lined.send("POST", "/v1/contexts/import?contextId=ctx_c", Some(body));
    let whole = import(&exported.body);
    assert_eq!((whole.status, &whole.json()["messageCount"]), (201, &json!(2)), "{whole:?}");
    let copy = http.get("/v1/contexts/ctx_c").json();
    assert_eq!(
        (&copy["state"], &copy["messages"][0]["metadata"]),
        (&json!({ "a": 1 }), &json!({ "seq": 1 }))
    );
    assert_eq!(copy["messages"][1]["content"]["text"], "you said: hello");
    assert_eq!(copy["messages"][1]["metadata"]["imported"], true, "{copy}");
    assert_eq!(copy["messages"][1]["sender"], lines[2]["sender"]);
    assert_eq!(http.delete("/v1/contexts/ctx_c").status, 204);
    let inside = json!({ "messages": [
        { "messageId": "x", "type": "USER_INPUT", "content": { "text": "a" } },
        { "messageId": "y", "type": "USER_INPUT", "content": { "text": "a" },
          "sender": { "id": "system", "type": "SYSTEM" } },
    ] });
    assert_eq!(import(&inside.to_string()).status, 201);
    let copy = http.get("/v1/contexts/ctx_c").json();
    let marks = [0, 1].map(|at| copy["messages"][at]["metadata"]["imported"].clone());
    assert_eq!(marks, [Value::Null, json!(true)]);
    assert_eq!(http.delete("/v1/contexts/ctx_c").status, 204);
    let user: Vec<String> = vec![json!({ "state": { "a": 1 } }).to_string(), lines[1].to_string()];
    let imported = import(&user.join("\n"));
    assert_eq!((imported.status, imported.header("location")), (201, Some("/v1/contexts/ctx_c")));
    let copy = http.get("/v1/contexts/ctx_c").json();
    assert_eq!(copy["messages"][0]["content"]["text"], "hello");
    assert_eq!(copy["messages"][0]["contextId"], "ctx_c");
    refused(&import(&user.join("\n")), 409, "VERSION_CONFLICT");
    for (body, status, code) in [
        ("", 422, "VALIDATION_FAILED"),
        ("{\"state\": ", 422, "VALIDATION_FAILED"),
        ("{}\n{\"messageId\": \"x\"}", 422, "VALIDATION_FAILED"),
        (
            "{}\n{\"messageId\":\"x\",\"type\":\"USER_INPUT\",\"content\":{}}",
            422,
            "VALIDATION_FAILED",
        ),
    ] {
        refused(&lined.send("POST", "/v1/contexts/import", Some(body)), status, code);
    }
    let plain = http.clone().with("content-type", "text/plain");
    refused(&plain.send("POST", "/v1/contexts/import", Some("{}")), 415, "PARSE_ERROR");
    assert_eq!(http.delete("/v1/contexts/ctx_c").status, 204);
    refused(&http.delete("/v1/contexts/ctx_c"), 404, "CONTEXT_NOT_FOUND");
}

#[test]
fn cp_20_unchanged_context_is_not_sent_again() {
    let (_place, running) = served();
    let http = running.http();
    http.post(&update("m1", "ctx_a", "a", json!(1)));
    let first = http.get("/v1/contexts/ctx_a");
    let tag = first.header("etag").unwrap().to_owned();
    assert!(tag.starts_with("W/\"1-"), "{tag}");
    assert_eq!(first.header("cache-control"), Some("private, no-cache"));
    for known in [tag.clone(), format!("\"x\", {tag}"), tag[2..].to_owned(), "*".to_owned()] {
        let same = http.clone().with("if-none-match", &known).get("/v1/contexts/ctx_a");
        assert_eq!((same.status, same.body.as_str()), (304, ""), "{known}");
        assert_eq!(same.header("etag"), Some(tag.as_str()));
    }
    http.post(&update("m2", "ctx_a", "a", json!(2)));
    let changed = http.clone().with("if-none-match", &tag).get("/v1/contexts/ctx_a");
    assert_eq!((changed.status, &changed.json()["state"]), (200, &json!({ "a": 2 })));
    // One that was deleted and made anew is another one.
    http.delete("/v1/contexts/ctx_a");
    refused(
        &http.clone().with("if-none-match", "*").get("/v1/contexts/ctx_a"),
        404,
        "CONTEXT_NOT_FOUND",
    );
    http.post(&update("m3", "ctx_b", "a", json!(1)));
    assert_ne!(http.get("/v1/contexts/ctx_b").header("etag"), Some(tag.as_str()));
    let exported = http.get("/v1/contexts/ctx_b/export").body;
    let mut tags = Vec::new();
    for value in [1, 2] {
        assert_eq!(http.delete("/v1/contexts/ctx_b").status, 204);
        let other = exported.replace("{\"a\":1}", &format!("{{\"a\":{value}}}"));
        assert_eq!(http.send("POST", "/v1/contexts/import", Some(&other)).status, 201);
        let read = http.get("/v1/contexts/ctx_b");
        assert_eq!(read.json()["state"], json!({ "a": value }));
        tags.push(read.header("etag").unwrap().to_owned());
    }
    assert_ne!(tags[0], tags[1]);
}

#[test]
fn cp_12_context_is_read_with_requested_messages() {
    let (_place, running) = served();
    let http = running.http();
    for at in 0..3 {
        http.post(&said(&format!("m{at}"), Some("ctx_a"), &format!("text {at}")));
    }
    let count = |query: &str| {
        let read = http.get(&format!("/v1/contexts/ctx_a{query}")).json();
        assert_eq!(read["state"], json!({}));
        read["messages"].as_array().unwrap().len()
    };
    let counts = ["", "?messages=0", "?messages=2", "?messages=1000"].map(count);
    assert_eq!(counts, [6, 0, 2, 6]);
    let last = http.get("/v1/contexts/ctx_a?messages=1").json();
    assert_eq!(last["messages"][0]["content"]["text"], "you said: text 2");
    for query in ["messages=1001", "messages=-1", "messages=", "messages=1&messages=2", "last=1"] {
        let answer = http.get(&format!("/v1/contexts/ctx_a?{query}"));
        refused(&answer, 422, "VALIDATION_FAILED");
    }
}

#[test]
fn cp_6_options_and_openapi_list_all_methods() {
    let (_place, running) = served();
    let http = running.http();
    let document = http.get("/v1/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.len() > 10, "{}", paths.len());
    for (path, methods) in paths {
        let known: Vec<String> =
            methods.as_object().unwrap().keys().map(|name| name.to_ascii_uppercase()).collect();
        let real =
            path.replace("{id}", "ctx_none").replace("{name}", "NONE").replace("{path}", "none");
        let real =
            ["{run}", "{call}", "{digest}", "{left}", "{right}", "{flow}", "{context}", "{pack}"]
                .iter()
                .fold(real, |real, name| real.replace(name, "1"));
        let options = http.send("OPTIONS", &real, None);
        assert_eq!(options.status, 204, "{path}");
        let allowed = allowed(&options);
        let told = allowed.iter().filter(|name| !["HEAD", "OPTIONS"].contains(&name.as_str()));
        let mut told: Vec<String> = told.cloned().collect();
        told.sort();
        let mut expected = known.clone();
        expected.sort();
        assert_eq!(told, expected, "{path}");
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"] {
            let answer = http.send(method, &real, None);
            if known.iter().any(|name| name == method) {
                assert_ne!(answer.status, 405, "{method} {path}");
                let is_missing =
                    answer.status == 404 && answer.body.contains("nothing at this path");
                assert!(!is_missing || path == "/demo/{path}", "{method} {path}: {answer:?}");
            } else {
                refused(&answer, 405, "VALIDATION_FAILED");
                let mut named = self::allowed(&answer);
                named.retain(|name| name != "OPTIONS" && name != "HEAD");
                named.sort();
                assert_eq!(named, expected, "{method} {path}");
            }
        }
        if known.iter().any(|name| name == "GET") && path != "/v1/ws" {
            let (get, head) = (http.get(&real), http.send("HEAD", &real, None));
            assert_eq!((head.status, head.body.as_str()), (get.status, ""), "HEAD {path}");
        }
    }
    for path in ["/v1", "/v1/", "/v1/contexts/", "/v1/contexts/a/b", "/v2/contexts", "//"] {
        refused(&http.get(path), 404, "VALIDATION_FAILED");
    }
}

fn allowed(answer: &Answer) -> Vec<String> {
    let allow = answer.header("allow").unwrap_or_else(|| panic!("no Allow: {answer:?}"));
    allow.split(',').map(|name| name.trim().to_owned()).collect()
}

#[test]
fn cp_3_schemas_are_listed_and_served() {
    let (_place, running) = served();
    let http = running.http();
    let list = http.get("/v1/schemas").json();
    for entry in list["types"].as_array().unwrap() {
        let schema = http.get(entry["schema"].as_str().unwrap());
        assert_eq!(schema.status, 200, "{entry}");
        assert_eq!(schema.header("content-type"), Some("application/schema+json"));
        assert!(schema.json()["properties"].is_object(), "{entry}");
    }
    let content = refused(&http.get("/v1/schemas/USER_INPU"), 404, "UNKNOWN_TYPE");
    assert!(content["suggestedAction"].as_str().unwrap().contains("USER_INPUT"), "{content}");
}

/// An answer's head, and its body as bytes.
fn bytes(running: &Running, request: &[u8]) -> (String, Vec<u8>) {
    let mut stream = connect(running.address);
    stream.write_all(request).unwrap();
    let mut all = Vec::new();
    stream.read_to_end(&mut all).unwrap();
    let end = all.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(all[..end].to_vec()).unwrap().to_ascii_lowercase();
    let mut body = all[end + 4..].to_vec();
    if head.contains("transfer-encoding: chunked") {
        let mut whole = Vec::new();
        let mut rest = body.as_slice();
        while let Some(end) = rest.windows(2).position(|pair| pair == b"\r\n") {
            let size = std::str::from_utf8(&rest[..end]).unwrap();
            let size = usize::from_str_radix(size, 16).unwrap();
            whole.extend_from_slice(&rest[end + 2..end + 2 + size]);
            rest = &rest[end + 2 + size + 2..];
        }
        body = whole;
    }
    (head, body)
}

fn request(running: &Running, method: &str, path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n",
        running.address,
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn gunzip(bytes: &[u8]) -> String {
    let mut text = String::new();
    GzDecoder::new(bytes).read_to_string(&mut text).unwrap();
    text
}

fn gzip(text: &str) -> Vec<u8> {
    let mut packed = Vec::new();
    GzEncoder::new(text.as_bytes(), Compression::best()).read_to_end(&mut packed).unwrap();
    packed
}

#[test]
fn cp_6_responses_are_compressed_when_accepted_and_useful() {
    let (_place, running) = served();
    let text = "pack me ".repeat(500);
    let answer = running.http().post(&said("m1", Some("ctx_a"), &text)).json();
    let gets = "accept-encoding: br, gzip\r\n";
    for path in ["/v1/contexts/ctx_a", "/v1/contexts/ctx_a/export", "/v1/openapi.json"] {
        let plain = running.http().get(path);
        assert!(plain.header("content-encoding").is_none());
        assert!(plain.header("vary").unwrap().contains("accept-encoding"), "{path}");
        let (head, body) = bytes(&running, &request(&running, "GET", path, gets, b""));
        assert!(head.contains("content-encoding: gzip"), "{path}: {head}");
        assert!(body.len() * 2 < plain.body.len(), "{path}: {}", body.len());
        assert_eq!(gunzip(&body), plain.body, "{path}");
    }
    let (head, body) = bytes(&running, &request(&running, "GET", "/healthz", gets, b""));
    assert!(!head.contains("content-encoding"), "{head}");
    assert_eq!(body, b"{\"status\":\"ok\"}");
    // Events: the same message again gives the same answer.
    let again = said("m1", Some("ctx_a"), &text).to_string();
    let events = format!("{gets}accept: text/event-stream\r\ncontent-type: application/json\r\n");
    let request = request(&running, "POST", "/v1/messages", &events, again.as_bytes());
    let (head, body) = bytes(&running, &request);
    assert!(head.contains("content-encoding: gzip"), "{head}");
    let events = gunzip(&body);
    let last = events.lines().rfind(|line| line.starts_with("data: ")).unwrap();
    let last: Value = serde_json::from_str(&last[6..]).unwrap();
    assert_eq!(last["content"]["text"], answer["content"]["text"]);
}

#[test]
fn cp_6_gzip_bodies_are_limited_by_decompressed_size() {
    let (_place, running) = served();
    let send = |encoding: &str, body: &[u8]| {
        let headers = format!("content-type: application/json\r\ncontent-encoding: {encoding}\r\n");
        let (head, body) =
            bytes(&running, &request(&running, "POST", "/v1/messages", &headers, body));
        let status: u16 = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_slice::<Value>(&body).unwrap(), head)
    };
    let message = said("m1", None, &"hello ".repeat(2_000)).to_string();
    for encoding in ["gzip", "GZIP", "x-gzip", "identity, gzip"] {
        let (status, answer, _) = send(encoding, &gzip(&message));
        assert_eq!(
            (status, &answer["type"]),
            (200, &json!("MODEL_RESPONSE")),
            "{encoding}: {answer}"
        );
    }
    assert_eq!(send("identity", message.as_bytes()).0, 200);
    // Two parts behind each other are one body.
    let (one, two) = message.split_at(100);
    assert_eq!(send("gzip", &[gzip(one), gzip(two)].concat()).0, 200);
    for encoding in ["br", "deflate", "gzip, gzip", "zstd", "gzip, br", "?"] {
        let (status, answer, head) = send(encoding, &gzip(&message));
        assert_eq!((status, &answer["type"]), (415, &json!("ERROR_RESPONSE")), "{encoding}");
        assert!(head.contains("accept-encoding: gzip"), "{head}");
    }
    let packed = gzip(&message);
    let mut flipped = packed.clone();
    let last = flipped.len() - 6;
    flipped[last] ^= 1;
    for (what, body) in [
        ("no gzip", message.as_bytes().to_vec()),
        ("cut off", packed[..packed.len() - 5].to_vec()),
        ("a head alone", packed[..5].to_vec()),
        ("another sum", flipped),
        ("more behind it", [packed.clone(), b"more".to_vec()].concat()),
        ("nothing", Vec::new()),
    ] {
        let (status, answer, _) = send("gzip", &body);
        assert_eq!(
            (status, &answer["content"]["errorCode"]),
            (400, &json!("PARSE_ERROR")),
            "{what}"
        );
    }
    // A little that becomes a lot.
    let (status, answer, _) = send("gzip", &gzip(&" ".repeat(64 << 20)));
    assert_eq!((status, &answer["content"]["errorCode"]), (413, &json!("TOO_LARGE")));
    assert_eq!(running.http().post(&crate::serve::availability("m9")).status, 200);
}

#[test]
fn wa_7_messages_are_read_from_the_newest_page_backwards() {
    let (_place, running) = served();
    let http = running.http();
    for n in 1..=3 {
        http.post(&said(&format!("m{n}"), Some("c"), "hello"));
    }
    let page = |query: &str| {
        let page = http.get(&format!("/v1/contexts/c/messages{query}")).json();
        let seqs = page["messages"].as_array().unwrap_or_else(|| panic!("{page:#}"));
        let seqs = seqs.iter().map(|one| one["metadata"]["seq"].as_u64().unwrap());
        (seqs.collect::<Vec<_>>(), page["next"].as_u64())
    };
    assert_eq!(page("?before=&limit=4"), (vec![3, 4, 5, 6], Some(3)));
    assert_eq!(page("?before=3&limit=4"), (vec![1, 2], None));
    assert_eq!(page("?before&limit=1"), (vec![6], Some(6)));
    let both = http.get("/v1/contexts/c/messages?before=3&after=1");
    refused(&both, 422, "VALIDATION_FAILED");
    refused(&http.get("/v1/contexts/c/messages?before=x"), 422, "VALIDATION_FAILED");
}

#[test]
fn wa_7_changes_of_one_update_are_made_together_or_not_at_all() {
    let (_place, running) = served();
    let http = running.http();
    let send = |id: &str, content: Value| {
        http.post(&crate::serve::message(id, Some("c"), "CONTEXT_UPDATE", content))
    };
    let set = |path: &str, value: Value| json!({"operation": "UPDATE_STATE", "path": path, "value": value});
    let both = json!({ "changes": [set("a.x", json!(1)), set("b", json!(2))] });
    let first = send("m1", both.clone()).json();
    assert_eq!(first["content"]["version"], 1, "together: {}", first["content"]);
    assert_eq!(send("m1", both).json()["content"], first["content"], "once, though sent twice");
    let half = json!({ "changes": [
        { "operation": "REMOVE_STATE", "path": "b" }, set("a.x.y", json!(1)),
    ] });
    let refused = send("m2", half);
    assert_eq!(refused.status, 422, "a number has no field: {refused:?}");
    let whole = http.get("/v1/contexts/c").json();
    assert_eq!((&whole["state"]["a"]["x"], &whole["state"]["b"]), (&json!(1), &json!(2)));
    assert_eq!(whole["version"], 1, "nothing of it was made");
    assert_eq!(send("m4", json!({ "changes": [set("b", json!(5))] })).status, 200);
    let stale = json!({ "baseVersion": 1, "changes": [set("d", json!(4)), set("b", json!(3))] });
    assert_eq!(send("m3", stale).json()["content"]["errorCode"], "VERSION_CONFLICT");
    assert_eq!(http.get("/v1/contexts/c").json()["version"], 2);
}
