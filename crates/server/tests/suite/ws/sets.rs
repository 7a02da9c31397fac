//! Tool calls and instruction sets that clients send: modes, sides, refusals, steering, restarts
//! (FL-1…FL-12, CP-7, CP-17, CP-19).

use crate::ws::client::{Client, message};
use crate::ws::site::{ECHO, Site};
use contexture::store::flows::{Filter, FlowJournal as _, Options, RunState, SqliteJournal};
use contexture_protocol::content::Status;
use serde_json::{Value, json};
use std::time::Duration;

const CONTEXT: Option<&str> = Some("ctx_1");

pub fn calls(id: &str, content: Value) -> Value {
    message("TOOL_CALL_REQUEST", id, CONTEXT, content)
}

pub fn instructions(id: &str, content: Value) -> Value {
    message("INSTRUCTION", id, CONTEXT, content)
}

fn control(id: &str, action: &str, target: &str) -> Value {
    message("CONTROL", id, None, json!({ "action": action, "target": target }))
}

/// The next message of a type that answers a message.
pub async fn of(client: &mut Client, kind: &str, id: &str) -> Value {
    loop {
        let message = client.message().await;
        let is_error = message["type"] == "ERROR_RESPONSE";
        if message["metadata"]["inReplyTo"] == id && (message["type"] == kind || is_error) {
            assert_eq!(message["type"], kind, "{message:#}");
            return message;
        }
    }
}

async fn refused(client: &mut Client, sent: &Value) -> Value {
    client.send(sent).await;
    of(client, "ERROR_RESPONSE", sent["messageId"].as_str().unwrap()).await["content"].clone()
}

fn statuses(results: &Value) -> Vec<&str> {
    results.as_array().unwrap().iter().map(|one| one["status"].as_str().unwrap()).collect()
}

fn kinds(messages: &Value) -> Vec<&str> {
    let messages = messages["messages"].as_array().unwrap();
    messages.iter().map(|one| one["type"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn fl_1_calls_run_in_order_and_answer_in_one_response() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let request = calls(
        "r1",
        json!({ "calls": [
            { "callId": "a", "name": "calculator", "parameters": { "expression": "2*(3+4)" } },
            { "callId": "b", "name": "echo", "requiredAfter": ["a"],
              "parameters": { "whole": "${results.a.result.value}", "text": "= ${results.a.result.value}" } },
            { "callId": "c", "name": "fail", "parameters": { "code": "NO", "message": "no" } },
            { "callId": "d", "name": "echo", "requiredAfter": ["c"], "parameters": {} },
        ] }),
    );
    client.send(&request).await;
    let answer = of(&mut client, "TOOL_CALL_RESPONSE", "r1").await;
    assert_eq!(answer["sender"], json!({ "id": "system", "type": "SYSTEM" }));
    assert_eq!(answer["contextId"], "ctx_1");
    let results = &answer["content"]["results"];
    let ids: Vec<_> = results.as_array().unwrap().iter().map(|one| &one["callId"]).collect();
    assert_eq!(ids, ["a", "b", "c", "d"]);
    assert_eq!(statuses(results), ["SUCCESS", "SUCCESS", "ERROR", "ERROR"]);
    assert_eq!(results[0]["result"]["value"], 14);
    assert_eq!(results[1]["result"], json!({ "whole": 14, "text": "= 14" }));
    assert_eq!(results[2]["error"]["code"], "NO");
    assert_eq!(results[3]["error"]["code"], "DEPENDENCY_FAILED");
    assert!(results[0]["executionTime"].is_number() && results[0].get("error").is_none());
    // Both are kept; over HTTP the same message has the same answer.
    let stored = site.get("/v1/contexts/ctx_1/messages").await;
    assert_eq!(kinds(&stored), ["TOOL_CALL_REQUEST", "TOOL_CALL_RESPONSE"]);
    assert_eq!(stored["messages"][1]["metadata"]["inReplyTo"], "r1");
    let (status, again) = site.post(&request).await;
    assert_eq!((status, &again["messageId"]), (200, &answer["messageId"]), "{again}");
    let mut other = request.clone();
    other["content"]["calls"][0]["parameters"]["expression"] = "1".into();
    assert_eq!(refused(&mut client, &other).await["errorCode"], "MESSAGE_ID_CONFLICT");
}

#[tokio::test]
async fn fl_1_asynchronous_request_is_acknowledged_and_calls_answer_separately() {
    let mut site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let request = json!({ "executionMode": "ASYNC", "toolCalls": [
        { "callId": "slow", "name": "sleep", "parameters": { "ms": 400 } },
        { "callId": "quick", "name": "echo", "parameters": { "n": 1 } },
        { "callId": "after", "name": "echo", "requiredAfter": ["slow"], "parameters": {} },
    ] });
    client.send(&calls("r1", request.clone())).await;
    let first = client.message().await;
    assert_eq!((&first["type"], &first["content"]["messageId"]), (&json!("ACK"), &json!("r1")));
    let mut order = Vec::new();
    for _ in 0..3 {
        let one = of(&mut client, "TOOL_CALL_RESPONSE", "r1").await;
        assert_eq!(one["content"]["results"].as_array().unwrap().len(), 1);
        assert_eq!(one["content"]["results"][0]["status"], "SUCCESS");
        order.push(one["content"]["results"][0]["callId"].as_str().unwrap().to_owned());
    }
    assert_eq!(order, ["quick", "slow", "after"]);
    let stored = site.get("/v1/contexts/ctx_1/messages").await;
    let all =
        ["TOOL_CALL_REQUEST", "TOOL_CALL_RESPONSE", "TOOL_CALL_RESPONSE", "TOOL_CALL_RESPONSE"];
    assert_eq!(kinds(&stored), all);
    // Over HTTP the ACK is the answer; what comes of the calls is in the context.
    let (status, ack) = site.post(&calls("r2", request.clone())).await;
    assert_eq!((status, &ack["type"]), (200, &json!("ACK")), "{ack}");
    for _ in 0..100 {
        let stored = site.get("/v1/contexts/ctx_1/messages").await;
        if kinds(&stored).len() == 8 {
            // Asked again, a server that knows nothing of it any more tells all of it.
            site.again().await;
            let mut client = Client::new(site.address).await;
            client.send(&calls("r1", request)).await;
            assert_eq!(client.message().await["type"], "ACK");
            for _ in 0..3 {
                of(&mut client, "TOOL_CALL_RESPONSE", "r1").await;
            }
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the responses were not kept");
}

#[tokio::test]
async fn fl_1_parallel_calls_run_at_once() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let sleep =
        |id: &str, ms: u64| json!({ "callId": id, "name": "sleep", "parameters": { "ms": ms } });
    let list: Vec<_> = ["a", "b", "c", "d", "e", "f"].map(|id| sleep(id, 2_000)).into();
    let request = json!({ "executionMode": "PARALLEL", "timeout": 10, "calls": list });
    client.send(&calls("r1", request)).await;
    let answer = of(&mut client, "TOOL_CALL_RESPONSE", "r1").await;
    assert_eq!(statuses(&answer["content"]["results"]), ["SUCCESS"; 6], "12 s one after another");
    // One after another the time is over: what is done is kept.
    let mut list: Vec<_> = ["b", "c", "d", "e", "f"].map(|id| sleep(id, 60_000)).into();
    list.insert(0, sleep("a", 1));
    let request = json!({ "executionMode": "SEQUENTIAL", "timeout": 3, "calls": list });
    client.send(&calls("r2", request)).await;
    let answer = of(&mut client, "TOOL_CALL_RESPONSE", "r2").await;
    let results = &answer["content"]["results"];
    assert_eq!(statuses(results), ["SUCCESS", "TIMEOUT", "ERROR", "ERROR", "ERROR", "ERROR"]);
    assert_eq!(results[2]["error"]["code"], "SET_TIMEOUT");
}

#[tokio::test]
async fn cp_17_set_with_errors_is_refused_with_all_and_nothing_runs() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let set = json!({ "instructions": [
        { "instructionId": "a", "action": "echo", "dependencies": ["b"] },
        { "instructionId": "b", "action": "echo", "dependencies": ["a"] },
        { "instructionId": "b", "action": "ecko" },
        { "instructionId": "c", "action": "echo", "dependencies": ["none"],
          "parameters": { "x": "${results.a.result}" }, "condition": "results.c >" },
    ] });
    let content = refused(&mut client, &instructions("i1", set)).await;
    let diagnostics = content["details"]["diagnostics"].as_array().unwrap();
    let codes: Vec<_> = diagnostics.iter().map(|one| one["code"].as_str().unwrap()).collect();
    for code in ["DUPLICATE_ID", "UNKNOWN_ACTION", "UNKNOWN_ID", "UNDECLARED_REFERENCE", "CYCLE"] {
        assert!(codes.contains(&code), "{code} in {codes:?}");
    }
    assert!(codes.contains(&"VALIDATION_FAILED"), "the condition: {codes:?}");
    assert_eq!(content["errorCode"], codes[0]);
    assert_eq!(content["details"]["requestId"], "i1");
    let unknown = diagnostics.iter().find(|one| one["code"] == "UNKNOWN_ACTION").unwrap();
    assert_eq!(unknown["path"], "/content/instructions/2/action");
    assert!(unknown["help"].as_str().unwrap().contains("echo"), "{unknown}");
    let address = site.address;
    let head = "GET /v1/contexts/ctx_1 HTTP/1.1";
    let gone = site.http(&format!("{head}\r\nHost: {address}\r\nConnection: close\r\n\r\n")).await;
    assert_eq!(gone.0, 404, "what is refused makes no context");

    let against = json!({ "executionMode": "BACKEND_FIRST", "calls": [
        { "callId": "pick", "name": "file_picker", "runtime": "FRONTEND", "parameters": {} },
        { "callId": "show", "name": "echo", "requiredAfter": ["pick"], "parameters": {} },
    ] });
    let content = refused(&mut client, &calls("r1", against)).await;
    let text = content["message"].as_str().unwrap();
    for word in ["pick", "show", "BACKEND_FIRST"] {
        assert!(text.contains(word), "{word} in {text}");
    }
}

#[tokio::test]
async fn cp_19_server_actions_run_for_clients_when_allowed() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let request = json!({ "calls": [
        { "callId": "a", "name": "echo", "parameters": {} },
        { "callId": "b", "name": "QUERY_DATA", "parameters": { "query": "SELECT 1" } },
    ] });
    let content = refused(&mut client, &calls("r1", request)).await;
    assert_eq!(content["errorCode"], "PERMISSION_DENIED", "{content}");
    assert_eq!(content["details"]["violatedPolicies"], json!(["allowed_actions"]));
    let named = &content["details"]["diagnostics"][0];
    assert_eq!(named["path"], "/content/calls/1/name");
}

#[tokio::test]
async fn fl_6_earlier_outcome_of_context_is_known() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let first = json!({ "instructions": [
        { "instructionId": "one", "action": "echo", "parameters": { "n": 7 } },
    ] });
    client.send(&instructions("i1", first)).await;
    of(&mut client, "INSTRUCTION_RESPONSE", "i1").await;
    let second = json!({ "calls": [
        { "callId": "two", "name": "echo", "requiredAfter": ["one"],
          "parameters": { "n": "${results.one.result.n}" } },
    ] });
    client.send(&calls("r2", second.clone())).await;
    let answer = of(&mut client, "TOOL_CALL_RESPONSE", "r2").await;
    assert_eq!(answer["content"]["results"][0]["result"], json!({ "n": 7 }));
    // In another context it is not.
    let mut elsewhere = calls("r3", second);
    elsewhere["contextId"] = "ctx_2".into();
    assert_eq!(refused(&mut client, &elsewhere).await["errorCode"], "UNKNOWN_ID");
}

#[tokio::test]
async fn fl_12_set_reports_progress_and_all_outcomes() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let set = json!({ "instructions": [
        { "instructionId": "a", "action": "echo", "parameters": { "n": 5 } },
        { "instructionId": "b", "action": "echo", "dependencies": ["a"],
          "condition": "dependencies.a.result.n > 9" },
        { "instructionId": "c", "action": "fail" },
    ] });
    client.send(&instructions("i1", set)).await;
    let mut told = Vec::new();
    let answer = loop {
        let message = client.message().await;
        assert_eq!(message["metadata"]["inReplyTo"], "i1");
        if message["type"] != "PROGRESS" {
            break message;
        }
        let word = |name: &str| message["content"][name].as_str().unwrap().to_owned();
        told.push(format!("{} {}", word("id"), word("status")));
    };
    let expected = ["i1 RUNNING", "a RUNNING", "a COMPLETED", "b SKIPPED", "c RUNNING", "c FAILED"];
    assert_eq!(told, expected);
    assert_eq!(answer["type"], "INSTRUCTION_RESPONSE");
    let content = &answer["content"];
    assert_eq!((&content["status"], &content["order"]), (&json!("FAILED"), &json!(["a", "c"])));
    assert_eq!(statuses(&content["results"]), ["COMPLETED", "SKIPPED", "FAILED"]);
    assert_eq!(content["results"][1]["reason"]["code"], "CONDITION_FALSE");
    let stored = site.get("/v1/contexts/ctx_1/messages").await;
    assert_eq!(kinds(&stored), ["INSTRUCTION", "INSTRUCTION_RESPONSE"]);
}

#[tokio::test]
async fn fl_12_set_is_paused_resumed_and_cancelled() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let sleep = |id: &str, ms: u64| json!({ "instructionId": id, "action": "sleep", "parameters": { "ms": ms } });
    let set = json!({ "instructions": [sleep("a", 200), sleep("b", 1), sleep("c", 60_000), sleep("d", 1)] });
    client.send(&instructions("i1", set)).await;
    // Right behind it.
    client.send(&control("c1", "PAUSE", "i1")).await;
    let mut paused = Vec::new();
    let ack = loop {
        let message = client.message().await;
        if message["type"] == "PROGRESS" {
            paused.push(message["content"]["id"].clone());
        } else {
            break message;
        }
    };
    assert_eq!((&ack["type"], &ack["metadata"]["inReplyTo"]), (&json!("ACK"), &json!("c1")));
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!(client.ask(&control("c2", "RESUME", "i1")).await["type"], "ACK");
    loop {
        let message = client.message().await;
        assert_eq!(message["type"], "PROGRESS", "{message}");
        if message["content"] == json!({ "id": "c", "status": "RUNNING" }) {
            break;
        }
    }
    client.send(&control("c3", "CANCEL", "i1")).await;
    let answer = of(&mut client, "INSTRUCTION_RESPONSE", "i1").await;
    let results = &answer["content"]["results"];
    assert_eq!(answer["content"]["status"], "FAILED");
    assert_eq!(statuses(results), ["COMPLETED", "COMPLETED", "FAILED", "SKIPPED"]);
    assert_eq!(results[2]["error"]["code"], "CANCELLED");
    assert_eq!(results[3]["reason"]["code"], "CANCELLED");
    let unknown = refused(&mut client, &control("c4", "CANCEL", "none")).await;
    assert_eq!(unknown["errorCode"], "UNKNOWN_ID");
}

#[tokio::test]
async fn fl_11_server_resumes_sets_of_previous_process() {
    let mut site = Site::with(ECHO, "[serve]\ndrain_timeout = 1\n", None).await;
    let mut client = Client::new(site.address).await;
    let set = json!({ "instructions": [
        { "instructionId": "a", "action": "echo", "parameters": { "n": 1 } },
        { "instructionId": "b", "action": "sleep", "parameters": { "ms": 2500 } },
        { "instructionId": "c", "action": "echo", "parameters": { "n": "${results.a.result.n}" },
          "dependencies": ["a", "b"] },
    ] });
    let sent = instructions("i1", set);
    client.send(&sent).await;
    let request = json!({ "executionMode": "ASYNC", "calls": [
        { "callId": "x", "name": "echo", "parameters": {} },
        { "callId": "y", "name": "sleep", "parameters": { "ms": 2500 } },
    ] });
    client.send(&calls("r1", request)).await;
    of(&mut client, "TOOL_CALL_RESPONSE", "r1").await;
    site.again().await;
    // It goes on by itself; who asks again hears of it.
    let mut client = Client::new(site.address).await;
    client.send(&sent).await;
    let answer = of(&mut client, "INSTRUCTION_RESPONSE", "i1").await;
    assert_eq!(statuses(&answer["content"]["results"]), ["COMPLETED"; 3], "{answer:#}");
    assert_eq!(answer["content"]["results"][2]["result"], json!({ "n": 1 }));
    assert_eq!(answer["content"]["order"], json!(["a", "b", "c"]));
    for _ in 0..100 {
        let stored = site.get("/v1/contexts/ctx_1/messages").await;
        let responses = kinds(&stored).iter().filter(|kind| **kind == "TOOL_CALL_RESPONSE").count();
        if responses == 2 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the second call was not answered: {}", site.get("/v1/contexts/ctx_1/messages").await);
}

/// CONTROL in a context.
fn steer(id: &str, context: &str, action: &str, target: &str) -> Value {
    message("CONTROL", id, Some(context), json!({ "action": action, "target": target }))
}

#[tokio::test]
async fn cp_2b_call_is_cancelled_by_id_and_others_continue() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let sleep =
        |id: &str, ms: u64| json!({ "callId": id, "name": "sleep", "parameters": { "ms": ms } });
    let mut retried = sleep("solo", 60_000);
    retried["recovery"] = json!({ "strategy": "RETRY", "attempts": 5, "delay": 30 });
    let request = json!({ "executionMode": "PARALLEL", "calls": [
        retried,
        sleep("other", 700),
        { "callId": "after", "name": "echo", "requiredAfter": ["solo"], "parameters": {} },
        { "callId": "late", "name": "echo", "requiredAfter": ["other"], "parameters": {} },
        { "callId": "last", "name": "echo", "requiredAfter": ["other"], "parameters": { "n": 1 } },
    ] });
    client.send(&calls("r1", request)).await;
    // Elsewhere there is no such call, and a call is not paused.
    let content = refused(&mut client, &steer("c1", "ctx_2", "CANCEL", "solo")).await;
    assert_eq!(content["errorCode"], "UNKNOWN_ID", "{content}");
    let content = refused(&mut client, &steer("c2", "ctx_1", "PAUSE", "solo")).await;
    assert_eq!(content["errorCode"], "VALIDATION_FAILED", "{content}");
    assert_eq!(client.ask(&steer("c3", "ctx_1", "CANCEL", "solo")).await["type"], "ACK");
    // One that has not started is not started.
    assert_eq!(client.ask(&control("c4", "CANCEL", "late")).await["type"], "ACK");
    let answer = of(&mut client, "TOOL_CALL_RESPONSE", "r1").await;
    let results = &answer["content"]["results"];
    assert_eq!(statuses(results), ["ERROR", "SUCCESS", "ERROR", "ERROR", "SUCCESS"], "{answer:#}");
    let codes: Vec<_> =
        results.as_array().unwrap().iter().map(|one| &one["error"]["code"]).collect();
    assert_eq!(codes[0], "CANCELLED");
    assert_eq!(codes[2], "DEPENDENCY_FAILED");
    assert_eq!(codes[3], "CANCELLED");
    // What ended stays as it is.
    assert_eq!(client.ask(&steer("c5", "ctx_1", "CANCEL", "solo")).await["type"], "ACK");
}

#[tokio::test]
async fn cp_2b_instruction_is_cancelled_right_after_its_set() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    // Neither ends by itself, however slow the machine is.
    let set = json!({ "executionMode": "PARALLEL", "instructions": [
        { "instructionId": "solo", "action": "sleep", "parameters": { "ms": 600_000 } },
    ] });
    let mut elsewhere = instructions("i2", set.clone());
    elsewhere["contextId"] = "ctx_2".into();
    client.send(&instructions("i1", set)).await;
    client.send(&elsewhere).await;
    client.send(&steer("c1", "ctx_1", "CANCEL", "solo")).await;
    client.send(&control("c2", "CANCEL", "solo")).await;
    let (mut first, mut second, mut ambiguous) = (Value::Null, Value::Null, Value::Null);
    while first.is_null() || second.is_null() || ambiguous.is_null() {
        let message = client.message().await;
        match (message["type"].as_str().unwrap(), message["metadata"]["inReplyTo"].as_str()) {
            ("INSTRUCTION_RESPONSE", Some("i1")) => first = message["content"].clone(),
            ("INSTRUCTION_RESPONSE", Some("i2")) => second = message["content"].clone(),
            (_, Some("c2")) => {
                // The first may have ended before the second CONTROL was read: then one alone was meant.
                if message["type"] == "ERROR_RESPONSE" {
                    client.send(&steer("c3", "ctx_2", "CANCEL", "solo")).await;
                }
                ambiguous = message;
            }
            _ => {}
        }
    }
    for set in [first, second] {
        // One that did not begin yet is skipped, and fails nothing.
        let (is_begun, result) = (set["status"] == "FAILED", &set["results"][0]);
        let why = if is_begun { &result["error"] } else { &result["reason"] };
        assert_eq!(result["status"], if is_begun { "FAILED" } else { "SKIPPED" }, "{set:#}");
        assert_eq!(why["code"], "CANCELLED", "{set:#}");
    }
    assert!(["ERROR_RESPONSE", "ACK"].contains(&ambiguous["type"].as_str().unwrap()));
}

#[tokio::test]
async fn cp_2b_control_with_other_context_cancels_nothing() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let set = json!({ "instructions": [
        { "instructionId": "a", "action": "sleep", "parameters": { "ms": 600 } },
    ] });
    client.send(&instructions("i1", set)).await;
    let content = refused(&mut client, &steer("c1", "ctx_9", "CANCEL", "i1")).await;
    assert_eq!(content["errorCode"], "UNKNOWN_ID", "{content}");
    let answer = of(&mut client, "INSTRUCTION_RESPONSE", "i1").await;
    assert_eq!(answer["content"]["status"], "COMPLETED", "{answer:#}");
    assert_eq!(client.ask(&steer("c2", "ctx_1", "CANCEL", "i1")).await["type"], "ACK");
}

#[tokio::test]
async fn cp_10_added_message_belongs_to_context_of_update() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let mut update = crate::ws::client::add("u1", "ctx_1", "hello");
    update["content"]["message"]["contextId"] = "ctx_2".into();
    let content = refused(&mut client, &update).await;
    assert_eq!(content["errorCode"], "VALIDATION_FAILED", "{content}");
    let named = content["details"].to_string();
    assert!(named.contains("/content/message/contextId"), "{content}");
    update["content"]["message"]["contextId"] = "ctx_1".into();
    assert_eq!(client.ask(&update).await["type"], "ACK");
}

#[tokio::test]
async fn fl_1_ids_of_any_valid_length_are_answered_and_stored() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let long = |of: &str| of.repeat(200);
    let request = json!({ "executionMode": "ASYNC", "calls": [
        { "callId": long("x"), "name": "echo", "parameters": { "n": 1 } },
        { "callId": long("y"), "name": "echo", "parameters": { "n": 2 } },
    ] });
    client.send(&calls(&long("r"), request)).await;
    let mut called = Vec::new();
    for _ in 0..2 {
        let one = of(&mut client, "TOOL_CALL_RESPONSE", &long("r")).await;
        assert_eq!(one["content"]["results"][0]["status"], "SUCCESS", "{one:#}");
        assert_ne!(one["metadata"]["seq"], Value::Null, "it was kept: {one:#}");
        called.push(one["content"]["results"][0]["callId"].as_str().unwrap().to_owned());
    }
    called.sort();
    assert_eq!(called, [long("x"), long("y")]);
    let stored = site.get("/v1/contexts/ctx_1/messages").await;
    let all = ["TOOL_CALL_REQUEST", "TOOL_CALL_RESPONSE", "TOOL_CALL_RESPONSE"];
    assert_eq!(kinds(&stored), all);
}

#[tokio::test]
async fn cp_9_set_in_deleted_context_leaves_nothing_in_next() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let sleep =
        |ms: u64| json!({ "instructionId": "a", "action": "sleep", "parameters": { "ms": ms } });
    client.send(&instructions("i1", json!({ "instructions": [sleep(1_200)] }))).await;
    of(&mut client, "PROGRESS", "i1").await;
    let request = json!({ "executionMode": "ASYNC", "calls": [
        { "callId": "y", "name": "sleep", "parameters": { "ms": 1_200 } },
    ] });
    client.send(&calls("r1", request)).await;
    of(&mut client, "ACK", "r1").await;
    let address = site.address;
    let delete = format!(
        "DELETE /v1/contexts/ctx_1 HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(site.http(&delete).await.0, 204);
    let mut other = Client::new(address).await;
    other.send(&instructions("i2", json!({ "instructions": [sleep(2_500)] }))).await;
    of(&mut other, "INSTRUCTION_RESPONSE", "i2").await;
    let stored = site.get("/v1/contexts/ctx_1/messages").await;
    assert_eq!(kinds(&stored), ["INSTRUCTION", "INSTRUCTION_RESPONSE"], "{stored:#}");
}

#[tokio::test]
async fn cp_10_error_of_invalid_path_names_obstacle() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    client.ask(&crate::ws::client::set("u1", "ctx_1", "topic", json!("rain"))).await;
    let wrong = crate::ws::client::set("u2", "ctx_1", "topic.of", json!(1));
    let content = refused(&mut client, &wrong).await;
    let text = content["message"].as_str().unwrap();
    assert!(text.starts_with("topic is "), "{text}");
    let violation = &content["details"]["violations"][0];
    assert_eq!(violation["pointer"], "/content/path", "{content}");
    assert_eq!(violation["expected"], "a path that the state has a place for");
    assert!(violation["found"].as_str().unwrap().starts_with("topic is "), "{violation}");
}

#[tokio::test]
async fn cp_15_invalid_least_version_is_refused() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let query = |id: &str, least: &str| {
        let tools = json!([{ "toolId": "a" }, { "toolId": "b", "minVersion": least }]);
        message("TOOL_AVAILABILITY_REQUEST", id, None, json!({ "tools": tools }))
    };
    let content = refused(&mut client, &query("q1", "abc")).await;
    assert_eq!(content["errorCode"], "VALIDATION_FAILED");
    let violation = &content["details"]["violations"][0];
    assert_eq!(violation["pointer"], "/content/tools/1/minVersion", "{content}");
    let answer = client.ask(&query("q2", "1.2")).await;
    assert_eq!(answer["type"], "TOOL_AVAILABILITY_RESPONSE");
}

/// What a list says of the only run that is kept, and how many of its steps have ended.
fn kept(site: &Site) -> (RunState, u64) {
    let path = site.path(".contexture/data/flows.db");
    let journal = SqliteJournal::open(&path, "flows.db", Options::default()).unwrap();
    let runs = journal.runs(&Filter::default()).unwrap();
    (runs[0].state, runs[0].done)
}

#[tokio::test]
async fn fl_12_paused_set_stays_paused_when_resumed_by_next_server() {
    let mut site = Site::with(ECHO, "[serve]\ndrain_timeout = 1\n", None).await;
    let mut client = Client::new(site.address).await;
    let sent = instructions(
        "i1",
        json!({ "instructions": [
            { "instructionId": "a", "action": "sleep", "parameters": { "ms": 300 } },
            { "instructionId": "b", "action": "echo", "parameters": {} },
        ] }),
    );
    client.send(&sent).await;
    while client.message().await["content"] != json!({ "id": "a", "status": "RUNNING" }) {}
    client.send(&control("c1", "PAUSE", "i1")).await;
    of(&mut client, "ACK", "c1").await;
    while client.message().await["content"] != json!({ "id": "a", "status": "COMPLETED" }) {}
    assert_eq!(kept(&site), (RunState::Paused, 1));
    site.again().await;
    let mut client = Client::new(site.address).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(kept(&site), (RunState::Paused, 1));
    client.send(&sent).await;
    client.send(&control("c2", "RESUME", "i1")).await;
    let answer = of(&mut client, "INSTRUCTION_RESPONSE", "i1").await;
    assert_eq!(statuses(&answer["content"]["results"]), ["COMPLETED"; 2]);
    assert_eq!(answer["content"]["order"], json!(["a", "b"]));
    assert_eq!(kept(&site), (RunState::Ended(Status::Completed), 2));
    let page = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let (_, page) = site.http(page).await;
    let line = "contexture_sets_total{type=\"INSTRUCTION\",outcome=\"COMPLETED\"} 1";
    assert!(page.contains(line) && page.contains("contexture_sets_running 0"), "{page}");
}

#[tokio::test]
async fn cp_19_agents_of_set_do_not_trace_sensitive_texts() {
    const PLACE: &str = "behind the old mill";
    const CARD: &str = "4111 1111 1111 1111";
    let program = "main agent Clerk {\n  main func(input { text string }) {\n    \
                   use input.text as notes\n    generate({ input: \"Where is it?\" })\n  }\n}\n";
    let config = "[serve]\nactions = [\"agent:*\", \"generate\"]\n\
                  [serve.sensitive]\nkey_file = \"key\"\n\
                  state = [\"customState.card\"]\nmessages = [\"metadata.place\"]\n";
    let key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    let site = Site::with_files(program, config, &[("key", key)], None).await;
    let mut client = Client::new(site.address).await;
    let update = json!({ "operation": "UPDATE_STATE", "path": "customState.card", "value": CARD });
    client.send(&message("CONTEXT_UPDATE", "u1", CONTEXT, update)).await;
    of(&mut client, "ACK", "u1").await;
    let text = format!("It is {PLACE}. The card is {CARD}.");
    let mut set = instructions(
        "i1",
        json!({ "instructions": [
            { "instructionId": "a", "action": "agent:Clerk", "parameters": { "text": text } },
            { "instructionId": "b", "action": "generate",
              "parameters": { "prompt": "Where is it?", "uses": { "notes": text } } },
        ] }),
    );
    set["metadata"] = json!({ "place": PLACE });
    client.send(&set).await;
    let answer = of(&mut client, "INSTRUCTION_RESPONSE", "i1").await;
    let results = &answer["content"]["results"];
    assert_eq!(statuses(results), ["COMPLETED"; 2], "{answer:#}");
    assert!(results[0]["result"].as_str().unwrap().contains(PLACE), "{answer:#}");
    let mut traces = 0;
    for file in std::fs::read_dir(site.path(".contexture/runs")).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(!text.contains(PLACE) && !text.contains(CARD), "{text}");
        traces += usize::from(text.contains("•••"));
    }
    assert!(traces >= 2, "{traces}");
}
