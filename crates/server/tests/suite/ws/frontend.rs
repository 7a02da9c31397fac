//! Calls of front-end tools: announced, asked, answered, and all that goes wrong (CP-14, CP-15).

use crate::ws::client::{Client, frame, message, said};
use crate::ws::site::Site;
use serde_json::{Value, json};

const PROGRAM: &str = r#"
import tool Page from "frontend://highlight_element"

main func(input { text string }) {
  return try { Page.run({ selector: input.text }) } else err { { code: err.code } }
}
"#;

fn announce(id: &str, limits: Value) -> Value {
    let parameters = json!({
        "type": "object",
        "properties": { "selector": { "type": "string" } },
        "required": ["selector"],
    });
    let tool = json!({
        "toolId": "highlight_element",
        "name": "Highlight",
        "description": "Highlights an element.",
        "version": "1.2.0",
        "runtime": "FRONTEND",
        "capabilities": ["dom_access"],
        "parameters": parameters,
    });
    let content = json!({
        "clientId": "cli_1",
        "deviceType": "desktop",
        "supportedTools": [tool],
        "limitations": limits,
    });
    message("CLIENT_CAPABILITIES", id, None, content)
}

fn result(id: &str, call: &str, result: Value) -> Value {
    let mut content = json!({ "callId": call, "executionTime": 5 });
    content.as_object_mut().unwrap().extend(result.as_object().unwrap().clone());
    let mut message =
        message("TOOL_CALL_RESPONSE", id, Some("ctx_1"), json!({ "results": [content] }));
    message["sender"]["type"] = "TOOL".into();
    message
}

/// The next call, and the id of the call.
async fn asked(client: &mut Client) -> (Value, String) {
    loop {
        let message = client.message().await;
        if message["type"] == "TOOL_CALL_REQUEST" {
            let call = message["content"]["calls"][0]["callId"].as_str().unwrap().to_owned();
            return (message, call);
        }
    }
}

async fn value(client: &mut Client, id: &str) -> Value {
    let answer = client.answers(id).await.pop().unwrap();
    answer["metadata"]["value"].clone()
}

#[tokio::test]
async fn cp_14_announced_tool_is_called_and_answer_continues() {
    let site = Site::of(PROGRAM).await;
    let mut client = Client::new(site.address).await;
    assert_eq!(client.ask(&announce("a1", json!({}))).await["type"], "ACK");
    let query = json!({ "tools": [
        { "toolId": "highlight_element", "minVersion": "1.1.0", "requiredCapabilities": ["dom_access"] },
        { "toolId": "highlight_element", "minVersion": "2.0.0" },
        { "toolId": "highlight_element", "requiredCapabilities": ["camera"] },
        { "toolId": "other" },
    ] });
    let answer = client.ask(&message("TOOL_AVAILABILITY_REQUEST", "q1", None, query)).await;
    let tools = answer["content"]["availableTools"].as_array().unwrap();
    let reasons: Vec<_> = tools.iter().map(|tool| tool["reason"].as_str().unwrap_or("")).collect();
    assert_eq!(reasons, ["", "VERSION_TOO_LOW", "CAPABILITY_MISSING", "NOT_SUPPORTED"]);

    client.send(&said("m1", Some("ctx_1"), "#main")).await;
    let (request, call) = asked(&mut client).await;
    assert_eq!(request["metadata"]["inReplyTo"], "m1");
    assert_eq!(request["contextId"], "ctx_1");
    let sent = &request["content"]["calls"][0];
    assert_eq!(
        (&sent["name"], &sent["runtime"]),
        (&json!("highlight_element"), &json!("FRONTEND"))
    );
    assert_eq!(sent["parameters"], json!({ "selector": "#main" }));
    let given = result("r1", &call, json!({ "status": "SUCCESS", "result": { "shown": true } }));
    client.send(&given).await;
    assert_eq!(value(&mut client, "m1").await, json!({ "shown": true }));
    // The same answer once more is no fault; one to no call is.
    assert_eq!(client.ask(&given).await["type"], "ACK");
    let stray = result("r2", "call_none", json!({ "status": "SUCCESS" }));
    assert_eq!(client.ask(&stray).await["content"]["errorCode"], "UNKNOWN_ID");
    let stored = site.get("/v1/contexts/ctx_1/messages").await;
    let kinds: Vec<_> =
        stored["messages"].as_array().unwrap().iter().map(|m| m["type"].clone()).collect();
    assert_eq!(kinds, ["USER_INPUT", "TOOL_CALL_REQUEST", "TOOL_CALL_RESPONSE", "MODEL_RESPONSE"]);
    assert_eq!(stored["messages"][2]["sender"], json!({ "id": "cli_1", "type": "TOOL" }));
}

#[tokio::test]
async fn cp_14_refusal_and_late_answer_have_codes() {
    let site = Site::of(PROGRAM).await;
    let mut client = Client::new(site.address).await;
    client.ask(&announce("a1", json!({}))).await;
    client.send(&said("m1", Some("ctx_1"), "#main")).await;
    let (_, call) = asked(&mut client).await;
    let error = json!({ "code": "PERMISSION_DENIED", "message": "The user said no." });
    client.send(&result("r1", &call, json!({ "status": "ERROR", "error": error }))).await;
    assert_eq!(value(&mut client, "m1").await, json!({ "code": "PERMISSION_DENIED" }));

    let request = json!({ "calls": [{
        "callId": "call_late",
        "name": "highlight_element",
        "runtime": "FRONTEND",
        "parameters": { "selector": "#main" },
        "timeoutClient": 0.05,
    }] });
    client.send(&message("TOOL_CALL_REQUEST", "m2", Some("ctx_1"), request)).await;
    let (request, call) = asked(&mut client).await;
    // What is called off is named by the request or by the call.
    let names = [request["messageId"].clone(), json!(call)];
    let mut cancelled = false;
    let answer = loop {
        let message = client.message().await;
        let target = &message["content"]["target"];
        cancelled |= message["type"] == "CONTROL" && names.contains(target);
        if message["type"] == "TOOL_CALL_RESPONSE" {
            break message;
        }
    };
    assert_eq!(answer["content"]["results"][0]["error"]["code"], "TIMEOUT", "{answer}");
    assert!(cancelled, "the client is told that nobody waits any more");
    let late = result("r2", &call, json!({ "status": "SUCCESS", "result": 1 }));
    assert_eq!(client.ask(&late).await["content"]["errorCode"], "CALL_ENDED");
}

#[tokio::test]
async fn cp_14_missing_client_is_unavailable() {
    let site = Site::with(PROGRAM, "[serve]\nwait_seconds = 2\n", None).await;
    let mut client = Client::new(site.address).await;
    client.send(&said("m1", Some("ctx_1"), "#main")).await;
    assert_eq!(value(&mut client, "m1").await, json!({ "code": "CLIENT_UNAVAILABLE" }));

    let mut page = Client::new(site.address).await;
    page.ask(&announce("a1", json!({}))).await;
    client.send(&said("m2", Some("ctx_1"), "#main")).await;
    asked(&mut page).await;
    // It says good-bye, and may come back in another session until the time is over.
    page.raw(&frame(0x88, &1000_u16.to_be_bytes())).await;
    page.closed().await;
    assert_eq!(value(&mut client, "m2").await, json!({ "code": "TIMEOUT" }));
}

#[tokio::test]
async fn cp_14_reconnected_client_gets_pending_call_once() {
    let site = Site::of(PROGRAM).await;
    let mut client = Client::new(site.address).await;
    client.ask(&announce("a1", json!({}))).await;
    let (session, seq) = (client.session.clone(), client.seq);
    client.send(&said("m1", Some("ctx_1"), "#main")).await;
    let (_, call) = asked(&mut client).await;
    client.cut();
    // It comes back without having seen the call.
    let (mut client, welcome) = Client::resume(site.address, &session, seq).await;
    assert_eq!(welcome["sessionId"], *session);
    let (_, same) = asked(&mut client).await;
    assert_eq!(same, call);
    client.send(&result("r1", &call, json!({ "status": "SUCCESS", "result": { "n": 1 } }))).await;
    assert_eq!(value(&mut client, "m1").await, json!({ "n": 1 }));
    // Having seen it, it is not asked a second time.
    let seq = client.seq;
    client.send(&said("m2", Some("ctx_1"), "#main")).await;
    let (_, call) = asked(&mut client).await;
    let seen = client.seq;
    assert!(seen > seq);
    client.cut();
    let (mut client, _) = Client::resume(site.address, &session, seen).await;
    client.send(&result("r2", &call, json!({ "status": "SUCCESS", "result": { "n": 2 } }))).await;
    assert_eq!(value(&mut client, "m2").await, json!({ "n": 2 }));
    let stored = site.get("/v1/contexts/ctx_1/messages").await;
    let calls = stored["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["type"] == "TOOL_CALL_REQUEST");
    assert_eq!(calls.count(), 2);
}

#[tokio::test]
async fn cp_1_only_client_of_tool_may_answer_for_it() {
    let site = Site::of(PROGRAM).await;
    let mut client = Client::new(site.address).await;
    client.ask(&announce("a1", json!({}))).await;
    client.send(&said("m1", Some("ctx_1"), "#main")).await;
    let (_, call) = asked(&mut client).await;
    let given = json!({ "status": "SUCCESS", "result": 0 });
    let mut other = Client::new(site.address).await;
    // Another connection knows the call's id.
    let forged = other.ask(&result("f1", &call, given.clone())).await;
    assert_eq!(forged["content"]["errorCode"], "SENDER_FORBIDDEN");
    let mut as_user = result("f2", &call, given.clone());
    as_user["sender"]["type"] = "USER".into();
    assert_eq!(other.ask(&as_user).await["content"]["errorCode"], "UNKNOWN_ID");
    for kind in ["MODEL", "SYSTEM", "TOOL"] {
        let mut forged = said(&format!("f_{kind}"), Some("ctx_1"), "I am another.");
        forged["sender"]["type"] = kind.into();
        assert_eq!(client.ask(&forged).await["content"]["errorCode"], "SENDER_FORBIDDEN");
    }
    client.send(&result("r1", &call, json!({ "status": "SUCCESS", "result": { "n": 1 } }))).await;
    assert_eq!(value(&mut client, "m1").await, json!({ "n": 1 }));
}

fn request(id: &str, context: &str, content: Value) -> Value {
    message("TOOL_CALL_REQUEST", id, Some(context), content)
}

/// The results that answer a request.
async fn responded(client: &mut Client, id: &str) -> Value {
    loop {
        let message = client.message().await;
        if message["type"] == "TOOL_CALL_RESPONSE" && message["metadata"]["inReplyTo"] == id {
            return message;
        }
    }
}

fn highlight(call: &str, parameters: Value) -> Value {
    json!({ "callId": call, "name": "highlight_element", "runtime": "FRONTEND", "parameters": parameters })
}

#[tokio::test]
async fn cp_14_equal_call_ids_of_two_requests_get_own_answers() {
    let site = Site::of(PROGRAM).await;
    let mut client = Client::new(site.address).await;
    client.ask(&announce("a1", json!({}))).await;
    for (id, context, selector) in [("r1", "ctx_1", "#one"), ("r2", "ctx_2", "#two")] {
        let call = highlight("call_001", json!({ "selector": selector }));
        client.send(&request(id, context, json!({ "calls": [call] }))).await;
    }
    let (first, _) = asked(&mut client).await;
    let (second, _) = asked(&mut client).await;
    for (asked, id) in [(second, "t2"), (first, "t1")] {
        let selector = asked["content"]["calls"][0]["parameters"]["selector"].clone();
        let mut answer = result(id, "call_001", json!({ "status": "SUCCESS", "result": selector }));
        answer["contextId"] = asked["contextId"].clone();
        answer["metadata"] = json!({ "inReplyTo": asked["messageId"] });
        client.send(&answer).await;
    }
    let mut results = Vec::new();
    while results.len() < 2 {
        let message = client.message().await;
        if message["type"] == "TOOL_CALL_RESPONSE" {
            let value = message["content"]["results"][0]["result"].clone();
            results.push((message["metadata"]["inReplyTo"].clone(), value));
        }
    }
    results.sort_by_key(|(id, _)| id.to_string());
    assert_eq!(results, [(json!("r1"), json!("#one")), (json!("r2"), json!("#two"))]);
}

#[tokio::test]
async fn cp_14_answer_in_other_context_is_refused() {
    let site = Site::of(PROGRAM).await;
    let mut client = Client::new(site.address).await;
    client.ask(&announce("a1", json!({}))).await;
    let call = highlight("call_9", json!({ "selector": "#one" }));
    client.send(&request("r1", "ctx_1", json!({ "calls": [call] }))).await;
    let _ = asked(&mut client).await;
    let mut forged = result("t1", "call_9", json!({ "status": "SUCCESS", "result": 1 }));
    forged["contextId"] = "ctx_2".into();
    let refused = client.ask(&forged).await;
    assert_eq!(refused["content"]["errorCode"], "UNKNOWN_ID");
    let own = result("t2", "call_9", json!({ "status": "SUCCESS", "result": 2 }));
    assert_eq!(client.ask(&own).await["type"], "ACK");
}

#[tokio::test]
async fn cp_2_timeout_of_request_applies_and_outcomes_are_stored() {
    let site = Site::of(PROGRAM).await;
    let mut client = Client::new(site.address).await;
    client.ask(&announce("a1", json!({}))).await;
    for (id, field) in [("r1", "timeout"), ("r2", "frontendTimeout")] {
        let calls = [
            highlight("call_1", json!({ "selector": "#one" })),
            highlight("call_2", json!({ "selector": "#two" })),
        ];
        let mut content = json!({ "calls": calls });
        content[field] = json!(0.5);
        client.send(&request(id, "ctx_1", content)).await;
        let (_, call) = asked(&mut client).await;
        client
            .send(&result(&format!("{id}t"), &call, json!({ "status": "SUCCESS", "result": 1 })))
            .await;
        let answer = responded(&mut client, id).await;
        let results = answer["content"]["results"].as_array().unwrap();
        let told: Vec<_> = results.iter().map(|one| one["status"].as_str().unwrap()).collect();
        assert_eq!(told, ["SUCCESS", "TIMEOUT"], "{field}");
        assert_eq!(results[1]["error"]["code"], "TIMEOUT");
    }
}

#[tokio::test]
async fn cp_19_only_declared_parameters_are_sent() {
    let site = Site::of(PROGRAM).await;
    let mut client = Client::new(site.address).await;
    client.ask(&announce("a1", json!({}))).await;
    for (id, parameters) in [("r1", json!({ "selector": 5 })), ("r2", json!({}))] {
        let calls = json!({ "calls": [highlight("call_1", parameters)] });
        client.send(&request(id, "ctx_1", calls)).await;
        let answer = responded(&mut client, id).await;
        let error = &answer["content"]["results"][0]["error"];
        assert_eq!(error["code"], "VALIDATION_FAILED", "{answer}");
        assert!(error["message"].as_str().unwrap().contains("selector"));
    }
}

#[tokio::test]
async fn cp_19_undeclared_parameter_does_not_reach_client() {
    let site = Site::of(PROGRAM).await;
    let mut client = Client::new(site.address).await;
    client.ask(&announce("a1", json!({}))).await;
    let parameters = json!({ "selector": "#one", "extra": 1, "secret": "hidden words" });
    let calls = json!({ "calls": [highlight("call_1", parameters)] });
    client.send(&request("r1", "ctx_1", calls)).await;
    let answer = loop {
        let message = client.message().await;
        assert_ne!(message["type"], "TOOL_CALL_REQUEST", "{message}");
        if message["type"] == "TOOL_CALL_RESPONSE" {
            break message;
        }
    };
    let error = &answer["content"]["results"][0]["error"];
    assert_eq!(error["code"], "VALIDATION_FAILED", "{answer}");
    let text = error["message"].as_str().unwrap();
    assert!(text.contains("`extra`") && text.contains("`secret`"), "{text}");
}

#[tokio::test]
async fn cp_15_client_timeout_applies_and_persons_get_longer() {
    let site = Site::of(PROGRAM).await;
    let mut client = Client::new(site.address).await;
    client.ask(&announce("a1", json!({ "maxProcessingTime": 300 }))).await;
    client.send(&said("m1", Some("ctx_1"), "#main")).await;
    let (request, _) = asked(&mut client).await;
    assert_eq!(request["content"]["calls"][0]["timeoutClient"], 0.3);
    assert_eq!(value(&mut client, "m1").await, json!({ "code": "TIMEOUT" }));
    let mut announced = announce("a2", json!({ "maxProcessingTime": 300 }));
    announced["content"]["supportedTools"][0]["permissionLevel"] = "ALWAYS_ASK".into();
    client.ask(&announced).await;
    client.send(&said("m2", Some("ctx_1"), "#main")).await;
    let (request, _) = asked(&mut client).await;
    assert_eq!(request["content"]["calls"][0]["timeoutClient"], 90.3);
}

#[tokio::test]
async fn cp_6_lost_front_end_client_is_announced_to_waiters() {
    let site = Site::of(PROGRAM).await;
    let mut page = Client::new(site.address).await;
    page.ask(&announce("a1", json!({}))).await;
    let mut asker = Client::new(site.address).await;
    asker.send(&said("m1", Some("ctx_1"), "#main")).await;
    let (_, call) = asked(&mut page).await;
    let (session, seq) = (page.session.clone(), page.seq);
    page.cut();
    let warning = asker.message().await;
    assert_eq!(warning["type"], "SYSTEM_MESSAGE", "{warning}");
    assert_eq!(warning["metadata"]["inReplyTo"], "m1");
    let data = json!({ "code": "CLIENT_LOST", "affectedComponents": ["highlight_element"] });
    assert_eq!(
        (&warning["content"]["action"], &warning["content"]["data"]),
        (&json!("WARNING"), &data)
    );
    let (mut page, _) = Client::resume(site.address, &session, seq).await;
    let given = result("r1", &call, json!({ "status": "SUCCESS", "result": { "shown": true } }));
    page.send(&given).await;
    assert_eq!(value(&mut asker, "m1").await, json!({ "shown": true }));
}

#[tokio::test]
async fn cp_15_background_client_may_leave_and_return() {
    let site = Site::with(PROGRAM, "[serve]\nwait_seconds = 3\n", None).await;
    let mut asker = Client::new(site.address).await;
    for (id, features, expected) in [
        ("m1", json!(["background_processing"]), json!({ "shown": true })),
        ("m2", json!([]), json!({ "code": "TIMEOUT" })),
    ] {
        let mut page = Client::new(site.address).await;
        let mut announced = announce("a1", json!({}));
        announced["content"]["supportedFeatures"] = features;
        page.ask(&announced).await;
        asker.send(&said(id, Some("ctx_1"), "#main")).await;
        let (_, call) = asked(&mut page).await;
        let (session, seq) = (page.session.clone(), page.seq);
        page.raw(&frame(0x80 | crate::ws::client::CLOSE, &1000_u16.to_be_bytes())).await;
        assert_eq!(page.closed().await, Some(1000));
        let (mut page, _) = Client::resume(site.address, &session, seq).await;
        if page.session == session {
            let given = json!({ "status": "SUCCESS", "result": { "shown": true } });
            page.send(&result(&format!("r_{id}"), &call, given)).await;
        }
        assert_eq!(value(&mut asker, id).await, expected, "{id}");
        page.raw(&frame(0x80 | crate::ws::client::CLOSE, &1000_u16.to_be_bytes())).await;
        page.closed().await;
    }
}

#[tokio::test]
async fn cp_14_client_in_new_session_gets_same_call() {
    let site = Site::of(PROGRAM).await;
    let mut asker = Client::new(site.address).await;
    let mut page = Client::new(site.address).await;
    page.ask(&announce("a1", json!({}))).await;
    asker.send(&said("m1", Some("ctx_1"), "#main")).await;
    let (_, call) = asked(&mut page).await;
    // It saw the call, and lost what it did.
    let (session, seq) = (page.session.clone(), page.seq);
    page.cut();
    let (mut page, _) = Client::resume(site.address, &session, seq).await;
    assert_eq!(asked(&mut page).await.1, call);
    // It is loaded anew: another session, the same client.
    page.cut();
    let mut page = Client::new(site.address).await;
    page.send(&announce("a2", json!({}))).await;
    assert_eq!(asked(&mut page).await.1, call);
    page.send(&result("r1", &call, json!({ "status": "SUCCESS", "result": 7 }))).await;
    assert_eq!(value(&mut asker, "m1").await, json!(7));
}

#[tokio::test]
async fn cp_14_client_away_or_without_tool_is_waited_for_until_time_is_over() {
    let site = Site::with(PROGRAM, "[serve]\nwait_seconds = 2\n", None).await;
    let mut asker = Client::new(site.address).await;
    for (id, comes_back) in [("m1", true), ("m2", false)] {
        let mut page = Client::new(site.address).await;
        page.ask(&announce("a1", json!({}))).await;
        asker.send(&said(id, Some("ctx_1"), "#main")).await;
        let _ = asked(&mut page).await;
        page.cut();
        let _page = if comes_back {
            let mut page = Client::new(site.address).await;
            let mut announced = announce("a2", json!({}));
            announced["content"]["supportedTools"] = json!([]);
            page.ask(&announced).await;
            Some(page)
        } else {
            None
        };
        assert_eq!(value(&mut asker, id).await, json!({ "code": "TIMEOUT" }), "{id}");
    }
}

/// A client whose tool gives `{shown}`, and which handles files of 600 bytes.
fn exact(id: &str) -> Value {
    let mut announced = announce(id, json!({ "maxFileSize": 600 }));
    announced["content"]["supportedTools"][0]["returns"] = json!({
        "type": "object",
        "properties": { "shown": { "type": "boolean" } },
        "required": ["shown"],
    });
    announced
}

#[tokio::test]
async fn cp_13_result_of_wrong_shape_is_refused() {
    let site = Site::of(PROGRAM).await;
    let mut client = Client::new(site.address).await;
    client.ask(&exact("a1")).await;
    for (id, given, expected) in [
        ("m1", json!({ "shown": "yes" }), json!({ "code": "VALIDATION_FAILED" })),
        ("m2", Value::Null, json!({ "code": "VALIDATION_FAILED" })),
        (
            "m3",
            json!({ "shown": true, "file": "a b ".repeat(200) }),
            json!({ "code": "TOO_LARGE" }),
        ),
        ("m4", json!({ "handle": "res_1" }), json!({ "handle": "res_1" })),
        ("m5", json!({ "shown": true }), json!({ "shown": true })),
    ] {
        client.send(&said(id, Some("ctx_1"), "#main")).await;
        let (_, call) = asked(&mut client).await;
        let given =
            result(&format!("r_{id}"), &call, json!({ "status": "SUCCESS", "result": given }));
        client.send(&given).await;
        assert_eq!(value(&mut client, id).await, expected, "{id}");
    }
    // What goes to the client is bounded as well; a file in base64 counts with its bytes.
    client.send(&said("m6", Some("ctx_1"), &"a b ".repeat(200))).await;
    assert_eq!(value(&mut client, "m6").await, json!({ "code": "TOO_LARGE" }));
    client.send(&said("m7", Some("ctx_1"), &"A".repeat(800))).await;
    let (_, call) = asked(&mut client).await;
    client
        .send(&result("r_m7", &call, json!({ "status": "SUCCESS", "result": { "shown": false } })))
        .await;
    assert_eq!(value(&mut client, "m7").await, json!({ "shown": false }));
}
