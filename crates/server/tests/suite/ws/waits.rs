//! Calls that wait for clients: over restarts, in lists, answered by others (WA-1, WA-2).

use super::client::{Client, message};
use super::site::{ECHO, Site};
use serde_json::{Value, json};
use std::time::Duration;

fn announce(id: &str) -> Value {
    let tool = json!({ "toolId": "pick", "runtime": "FRONTEND",
        "parameters": { "type": "object", "properties": {} } });
    let content = json!({ "clientId": "page_1", "supportedTools": [tool] });
    message("CLIENT_CAPABILITIES", id, None, content)
}

fn request(id: &str, content: Value) -> Value {
    message("TOOL_CALL_REQUEST", id, Some("ctx_1"), content)
}

fn pick(id: &str) -> Value {
    request(
        id,
        json!({ "calls": [{ "callId": "p", "name": "pick", "runtime": "FRONTEND", "parameters": {} }] }),
    )
}

fn answer(id: &str, call: &str, kind: &str, result: Value) -> Value {
    let result = json!({ "callId": call, "status": "SUCCESS", "result": result });
    let mut answer =
        message("TOOL_CALL_RESPONSE", id, Some("ctx_1"), json!({ "results": [result] }));
    answer["sender"] = json!({ "id": "whoever", "type": kind });
    answer
}

/// A client that says HELLO by a name.
async fn hello(site: &Site, name: &str) -> Client {
    let mut client = Client::open(site.address).await;
    let mut hello = message("HELLO", "msg_hello", None, json!({ "protocolVersion": "1.0.0" }));
    hello["sender"]["id"] = name.into();
    client.send(&hello).await;
    assert_eq!(client.message().await["type"], "WELCOME");
    client
}

/// The next call: its id, and the id of its message.
async fn asked(client: &mut Client) -> (String, String) {
    loop {
        let message = client.message().await;
        if message["type"] == "TOOL_CALL_REQUEST" {
            let call = message["content"]["calls"][0]["callId"].as_str().unwrap().to_owned();
            return (call, message["messageId"].as_str().unwrap().to_owned());
        }
    }
}

/// The last TOOL_CALL_RESPONSE of the context.
async fn stored(site: &Site) -> Value {
    for _ in 0..200 {
        let page = site.get("/v1/contexts/ctx_1/messages").await;
        let messages = page["messages"].as_array().unwrap().iter().rev();
        if let Some(found) = messages.into_iter().find(|one| one["type"] == "TOOL_CALL_RESPONSE") {
            return found.clone();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no response is stored");
}

async fn waiting(site: &Site, count: usize) -> Vec<Value> {
    for _ in 0..200 {
        let waits = site.get("/v1/waits").await;
        let waits = waits["waits"].as_array().unwrap().clone();
        if waits.len() == count {
            return waits;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{}", site.get("/v1/waits").await);
}

#[tokio::test]
async fn wa_1_call_is_asked_again_with_same_id_after_stop() {
    for parameters in [json!({}), json!({ "idempotencyKey": "k" })] {
        let mut site = Site::of(ECHO).await;
        let mut page = hello(&site, "page_1").await;
        let mut announced = announce("a1");
        announced["content"]["supportedTools"][0]["parameters"] = json!({});
        page.ask(&announced).await;
        let mut sent = pick("m1");
        sent["content"]["calls"][0]["parameters"] = parameters;
        page.send(&sent).await;
        let (call, id) = asked(&mut page).await;
        assert_eq!(call, "p");
        let began = std::time::Instant::now();
        site.again().await;
        assert!(began.elapsed() < Duration::from_secs(8), "a wait holds up nothing");
        // By the name of HELLO alone, before it announces anything.
        let mut page = hello(&site, "page_1").await;
        assert_eq!(asked(&mut page).await, ("p".to_owned(), id.clone()));
        let given = answer("r1", "p", "TOOL", json!({ "file": 1 }));
        assert_eq!(page.ask(&given).await["type"], "ACK");
        let second = page.ask(&answer("r2", "p", "TOOL", json!({ "file": 2 }))).await;
        assert_eq!(second["content"]["errorCode"], "CALL_ENDED", "{second}");
        let stored = stored(&site).await;
        assert_eq!(stored["content"]["results"][0]["result"], json!({ "file": 1 }), "{stored}");
        assert_eq!(stored["sender"], json!({ "id": "page_1", "type": "TOOL" }));
        waiting(&site, 0).await;
    }
}

#[tokio::test]
async fn wa_1_call_is_asked_again_after_announcement_of_its_client() {
    let mut site = Site::of(ECHO).await;
    let mut page = hello(&site, "somebody").await;
    page.ask(&announce("a1")).await;
    page.send(&pick("m1")).await;
    let (_, id) = asked(&mut page).await;
    site.again().await;
    let mut other = hello(&site, "page_2").await;
    let mut page = hello(&site, "somebody").await;
    page.send(&announce("a2")).await;
    assert_eq!(asked(&mut page).await, ("p".to_owned(), id));
    // Who it was not sent to has no say in it.
    let forged = other.ask(&answer("f1", "p", "USER", json!(0))).await;
    assert_eq!(forged["content"]["errorCode"], "UNKNOWN_ID");
    page.send(&answer("r1", "p", "MODEL", json!(1))).await;
    assert_eq!(stored(&site).await["content"]["results"][0]["result"], 1);
}

#[tokio::test]
async fn wa_1_waiting_call_is_answered_late_and_repeated_request_gets_result() {
    let mut site = Site::of(ECHO).await;
    let mut page = hello(&site, "page_1").await;
    page.ask(&announce("a1")).await;
    page.send(&pick("m1")).await;
    asked(&mut page).await;
    // Long enough that nothing works on the set any more.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    page.send(&answer("r1", "p", "TOOL", json!(1))).await;
    let response = loop {
        let message = page.message().await;
        if message["metadata"]["inReplyTo"] == "m1" && message["type"] != "TOOL_CALL_REQUEST" {
            break message;
        }
    };
    assert_eq!(response["content"]["results"][0]["result"], 1, "{response}");
    // The same over a restart, for the client that sends its request again.
    page.send(&pick("m2")).await;
    asked(&mut page).await;
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    site.again().await;
    let mut page = hello(&site, "page_1").await;
    asked(&mut page).await;
    page.send(&pick("m2")).await;
    page.send(&answer("r2", "p", "TOOL", json!(2))).await;
    let response = loop {
        let message = page.message().await;
        if message["metadata"]["inReplyTo"] == "m2" && message["type"] != "TOOL_CALL_REQUEST" {
            break message;
        }
    };
    assert_eq!(response["content"]["results"][0]["result"], 2, "{response}");
}

impl Site {
    /// The status and body of a request with a JSON body.
    pub async fn ask(&self, method: &str, path: &str, body: &Value) -> (u16, String) {
        let (address, body) = (self.address, body.to_string());
        self.http(&format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )).await
    }
}

#[tokio::test]
async fn wa_1_waits_are_listed_answered_and_cancelled_over_http() {
    let mut site = Site::of(ECHO).await;
    let mut page = hello(&site, "page_1").await;
    page.ask(&announce("a1")).await;
    page.send(&pick("m1")).await;
    asked(&mut page).await;
    let waits = waiting(&site, 1).await;
    let one = &waits[0];
    assert_eq!(
        (&one["callId"], &one["contextId"], &one["kind"], &one["client"]),
        (&json!("p"), &json!("ctx_1"), &json!("CALL"), &json!("page_1"))
    );
    assert!(one["expires"].as_str() > one["since"].as_str(), "{one}");
    let good = json!({ "status": "SUCCESS", "result": 1 });
    for (path, body, status) in [
        ("/v1/waits/other", &good, 404),
        ("/v1/waits/p?contextId=other", &good, 404),
        ("/v1/waits/p", &json!({ "status": "GOOD" }), 422),
        ("/v1/waits/p", &json!([]), 422),
        ("/v1/waits/p?x=1", &good, 422),
    ] {
        let (found, text) = site.ask("POST", path, body).await;
        assert_eq!(found, status, "{path} {text}");
    }
    // Over a restart, without any client.
    site.again().await;
    assert_eq!(waiting(&site, 1).await[0]["callId"], "p");
    let (status, text) = site.ask("POST", "/v1/waits/p?contextId=ctx_1", &good).await;
    assert_eq!(status, 200, "{text}");
    let (status, text) = site.ask("POST", "/v1/waits/p", &good).await;
    assert_eq!((status, text.contains("CALL_ENDED")), (409, true), "{text}");
    assert_eq!(stored(&site).await["content"]["results"][0]["result"], 1);
    // Cancelled: the client is told, and the call fails.
    let mut page = hello(&site, "page_1").await;
    page.ask(&announce("a2")).await;
    page.send(&pick("m2")).await;
    let (_, id) = asked(&mut page).await;
    let (status, text) = site.ask("DELETE", "/v1/waits/p", &json!({})).await;
    assert_eq!(status, 204, "{text}");
    let mut is_withdrawn = false;
    let response = loop {
        let message = page.message().await;
        is_withdrawn |= message["type"] == "CONTROL" && message["content"]["target"] == *id;
        if message["type"] == "TOOL_CALL_RESPONSE" {
            break message;
        }
    };
    assert!(is_withdrawn);
    assert_eq!(response["content"]["results"][0]["error"]["code"], "CANCELLED", "{response}");
}

#[tokio::test]
async fn in_11_inspector_lists_what_waits_with_what_is_asked() {
    let site = Site::of(ECHO).await;
    let mut page = hello(&site, "page_1").await;
    page.ask(&announce("a1")).await;
    page.send(&pick("m1")).await;
    asked(&mut page).await;
    waiting(&site, 1).await;
    let found = site.get("/inspect/v1/waits").await;
    let one = &found["waits"][0];
    assert_eq!(
        (&one["callId"], &one["contextId"], &one["owner"], &one["step"]),
        (&json!("p"), &json!("ctx_1"), &json!("local"), &json!("p")),
        "{found}"
    );
    let flow = one["flow"].as_str().unwrap();
    assert_eq!(site.get(&format!("/inspect/v1/waits?flow={flow}")).await, found);
    assert_eq!(one["request"]["content"]["calls"][0]["name"], "pick", "{found}");
    assert_eq!(found["next"], Value::Null);
    let others = site.get("/inspect/v1/waits?flow=none").await;
    assert_eq!(others["waits"], json!([]));
    let good = json!({ "status": "SUCCESS", "result": 1 });
    site.ask("POST", "/v1/waits/p?contextId=ctx_1", &good).await;
    assert_eq!(site.get("/inspect/v1/waits").await["waits"], json!([]));
}

#[tokio::test]
async fn wa_1_call_id_in_several_contexts_needs_context() {
    let site = Site::of(ECHO).await;
    let mut page = hello(&site, "page_1").await;
    page.ask(&announce("a1")).await;
    page.send(&pick("m1")).await;
    let mut other = pick("m2");
    other["contextId"] = "ctx_2".into();
    page.send(&other).await;
    waiting(&site, 2).await;
    let good = json!({ "status": "SUCCESS", "result": 2 });
    assert_eq!(site.ask("POST", "/v1/waits/p", &good).await.0, 409);
    assert_eq!(site.ask("POST", "/v1/waits/p?contextId=ctx_2", &good).await.0, 200);
    waiting(&site, 1).await;
    assert_eq!(site.ask("POST", "/v1/waits/p", &good).await.0, 200);
}

#[tokio::test]
async fn wa_1_wait_ends_at_its_time_over_restart() {
    for timeout in ["timeout", "callTimeout", "setting"] {
        let config = if timeout == "setting" { "[serve]\nwait_seconds = 8\n" } else { "" };
        let mut site = Site::with(ECHO, config, None).await;
        let mut page = hello(&site, "page_1").await;
        page.ask(&announce("a1")).await;
        let mut sent = pick("m1");
        match timeout {
            "timeout" => sent["content"]["timeout"] = json!(8),
            "callTimeout" => sent["content"]["calls"][0]["timeout"] = json!(8),
            _ => {}
        }
        page.send(&sent).await;
        asked(&mut page).await;
        tokio::time::sleep(Duration::from_millis(800)).await;
        site.again().await;
        assert_eq!(waiting(&site, 1).await.len(), 1, "{timeout}");
        let stored = stored(&site).await;
        assert_eq!(stored["content"]["results"][0]["status"], "TIMEOUT", "{timeout} {stored}");
        waiting(&site, 0).await;
    }
}

#[tokio::test]
async fn wa_1_call_that_ends_at_its_time_is_taken_back_from_client_of_parked_set() {
    let site = Site::with(ECHO, "", None).await;
    let mut page = hello(&site, "page_1").await;
    page.ask(&announce("a1")).await;
    let mut sent = pick("m1");
    // Longer than a set stays in memory that only waits.
    sent["content"]["calls"][0]["timeoutClient"] = json!(1.5);
    page.send(&sent).await;
    let (call, request) = asked(&mut page).await;
    let mut taken_back = false;
    let answer = loop {
        let message = page.message().await;
        let target = &message["content"]["target"];
        taken_back |= message["type"] == "CONTROL" && (*target == *request || *target == *call);
        if message["type"] == "TOOL_CALL_RESPONSE" {
            break message;
        }
    };
    assert_eq!(answer["content"]["results"][0]["error"]["code"], "TIMEOUT", "{answer}");
    assert!(taken_back, "the page is told that nobody waits any more");
}

#[tokio::test]
async fn wa_1_question_before_action_is_asked_again_and_action_runs_once() {
    let config = "[serve]\nactions = [\"file_write\"]\n[serve.permissions.backend]\nfile_write = \"ALWAYS_ASK\"\n";
    let mut site = Site::with(ECHO, config, None).await;
    let mut page = hello(&site, "page_1").await;
    let mut announced = announce("a1");
    announced["content"]["supportedTools"][0]["toolId"] = "confirm_action".into();
    announced["content"]["supportedTools"][0]["parameters"] = json!({});
    page.ask(&announced).await;
    let write = json!({ "calls": [{ "callId": "w", "name": "file_write",
        "parameters": { "path": "out.txt", "content": "once" } }] });
    page.send(&request("m1", write)).await;
    let (question, _) = asked(&mut page).await;
    assert_eq!(waiting(&site, 1).await[0]["kind"], "PERMISSION");
    site.again().await;
    let mut page = hello(&site, "page_1").await;
    assert_eq!(asked(&mut page).await.0, question);
    assert!(!site.path("out.txt").exists());
    let given = answer("r1", &question, "USER", json!({ "allowed": true }));
    assert_eq!(page.ask(&given).await["type"], "ACK");
    let stored = stored(&site).await;
    assert_eq!(stored["content"]["results"][0]["status"], "SUCCESS", "{stored}");
    assert_eq!(std::fs::read_to_string(site.path("out.txt")).unwrap(), "once");
}
