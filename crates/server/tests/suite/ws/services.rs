//! Model and tool services: their tool calls, registrations and losses, and the source's example 9.1 with
//! a user, a model and a tool apart (WA-6).

use crate::ws::client::{Client, message};
use crate::ws::sets::of;
use crate::ws::sides::announce;
use crate::ws::site::{ECHO, Site};
use contexture_protocol::SenderType;
use contexture_server::serve::tokens::NewToken;
use serde_json::{Value, json};

/// A token of an owner for messages of these senders.
pub fn token(site: &Site, owner: &str, senders: &[SenderType]) -> String {
    let name = format!("{owner}_{}", site.tokens().list().unwrap().len());
    let (owner, senders) = (Some(owner.to_owned()), senders.to_vec());
    let (_, secret) =
        site.tokens().add(NewToken { owner, senders, ..NewToken::new(name) }).unwrap();
    secret.expose().to_owned()
}

pub async fn connected(site: &Site, token: &str, (kind, name): (&str, &str)) -> Client {
    let lines = format!("Authorization: Bearer {token}\r\n");
    let mut client = Client::open_with(site.address, &lines).await.unwrap();
    let mut hello = message("HELLO", "msg_hello", None, json!({ "protocolVersion": "1.0.0" }));
    hello["sender"] = json!({ "id": name, "type": kind });
    client.send(&hello).await;
    assert_eq!(client.message().await["type"], "WELCOME");
    client
}

/// A connection of an owner that speaks as one kind of sender.
pub async fn speaking(site: &Site, owner: &str, kind: SenderType, name: &str) -> Client {
    connected(site, &token(site, owner, &[kind]), (kind.as_str(), name)).await
}

pub fn by(kind: &str, mut message: Value) -> Value {
    message["sender"]["type"] = kind.into();
    message
}

pub fn registration(id: &str, service: &str, tools: &[&str]) -> Value {
    let tools: Vec<Value> = tools
        .iter()
        .map(|tool| json!({ "toolId": tool, "class": "read", "parameters": { "type": "object" } }))
        .collect();
    let content = json!({ "clientId": service, "runtime": "BACKEND", "supportedTools": tools });
    by("TOOL", message("TOOL_REGISTRATION", id, None, content))
}

fn wish(id: &str, calls: Value) -> Value {
    let content = json!({ "text": "", "toolCalls": calls, "finishReason": "TOOL_CALLS" });
    by("MODEL", message("MODEL_RESPONSE", id, Some("ctx_1"), content))
}

fn call(id: &str, name: &str) -> Value {
    json!({ "callId": id, "name": name, "parameters": { "city": "北京" } })
}

/// The next call of a service, and the message that it came in.
pub async fn asked(service: &mut Client) -> (Value, Value) {
    loop {
        let came = service.message().await;
        if came["type"] == "TOOL_CALL_REQUEST" {
            return (came["content"]["calls"][0].clone(), came);
        }
    }
}

/// Registers a tool anew, and returns the call that waited for it: it may come before the ACK.
async fn back(service: &mut Client, id: &str, name: &str, tool: &str) -> (Value, Value) {
    service.send(&registration(id, name, &[tool])).await;
    let (mut call, mut is_there) = (None, false);
    while call.is_none() || !is_there {
        let came = service.message().await;
        match came["type"].as_str().unwrap() {
            "TOOL_CALL_REQUEST" => call = Some((came["content"]["calls"][0].clone(), came)),
            "ACK" => is_there = true,
            other => panic!("{other}: {came:#}"),
        }
    }
    call.unwrap()
}

pub fn answer(id: &str, came: &Value, result: Value) -> Value {
    let call = &came["content"]["calls"][0]["callId"];
    let result = json!({ "callId": call, "status": "SUCCESS", "result": result });
    let context = came["contextId"].as_str();
    let mut answer = message("TOOL_CALL_RESPONSE", id, context, json!({ "results": [result] }));
    answer["sender"]["type"] = "TOOL".into();
    answer["metadata"] = json!({ "inReplyTo": came["messageId"] });
    answer
}

#[tokio::test]
async fn wa_6_tool_calls_of_model_run_under_its_permissions() {
    let site = Site::of(ECHO).await;
    let mut model = speaking(&site, "ada", SenderType::Model, "model_1").await;
    let mut page = speaking(&site, "ada", SenderType::User, "page_1").await;
    page.ask(&announce(&["pick"])).await;
    let calls = json!([
        { "callId": "a", "name": "calculator", "parameters": { "expression": "2*3" } },
        { "callId": "p", "name": "pick", "runtime": "FRONTEND", "parameters": {} },
        { "callId": "b", "name": "echo", "requiredAfter": ["p"],
          "parameters": { "got": "${results.p.result.file}" } },
    ]);
    model.send(&wish("w1", calls.clone())).await;
    let (_, came) = asked(&mut page).await;
    let accepted = page.ask(&answer("a1", &came, json!({ "file": "f" }))).await;
    assert_eq!(accepted["type"], "ACK", "{accepted:#}");
    let told = of(&mut model, "TOOL_CALL_RESPONSE", "w1").await;
    let results = &told["content"]["results"];
    assert_eq!(results[0]["result"]["value"], 6, "{told:#}");
    assert_eq!(results[2]["result"]["got"], "f");
    // Both are in the context; the same message has the same answer.
    model.send(&wish("w1", calls)).await;
    let again = of(&mut model, "TOOL_CALL_RESPONSE", "w1").await;
    assert_eq!(again["messageId"], told["messageId"]);
    // What is not allowed is refused, as for everybody.
    model.send(&wish("w2", json!([call("a", "file_read")]))).await;
    let refused = of(&mut model, "ERROR_RESPONSE", "w2").await;
    assert_eq!(refused["content"]["errorCode"], "PERMISSION_DENIED", "{refused:#}");
    model.send(&wish("w3", json!([call("a", "no_such")]))).await;
    let refused = of(&mut model, "ERROR_RESPONSE", "w3").await;
    assert_eq!(refused["content"]["errorCode"], "UNKNOWN_ACTION", "{refused:#}");
    // A user does not speak as a model.
    page.send(&wish("w4", json!([call("a", "echo")]))).await;
    let refused = of(&mut page, "ERROR_RESPONSE", "w4").await;
    assert_eq!(refused["content"]["errorCode"], "SENDER_FORBIDDEN");
}

#[tokio::test]
async fn wa_6_registered_tool_is_called_and_seen_by_its_owner_alone() {
    let site = Site::of(ECHO).await;
    let mut service = speaking(&site, "ada", SenderType::Tool, "weather_1").await;
    let registered = service.ask(&registration("r1", "weather_1", &["weather_api"])).await;
    assert_eq!(registered["type"], "ACK", "{registered:#}");
    let mut model = speaking(&site, "ada", SenderType::Model, "model_1").await;
    model.send(&wish("w1", json!([call("call_001", "weather_api")]))).await;
    let (got, came) = asked(&mut service).await;
    assert_eq!((&got["callId"], &got["runtime"]), (&json!("call_001"), &json!("BACKEND")));
    assert_eq!(got["parameters"], json!({ "city": "北京" }));
    assert_eq!(service.ask(&answer("a1", &came, json!({ "t": 5 }))).await["type"], "ACK");
    let told = of(&mut model, "TOOL_CALL_RESPONSE", "w1").await;
    assert_eq!(told["content"]["results"][0]["result"], json!({ "t": 5 }), "{told:#}");
    assert_eq!(told["sender"], json!({ "id": "system", "type": "SYSTEM" }));
    // Another owner has no such tool.
    let mut other = speaking(&site, "bob", SenderType::Model, "model_2").await;
    other.send(&wish("w2", json!([call("c", "weather_api")]))).await;
    let refused = of(&mut other, "ERROR_RESPONSE", "w2").await;
    assert_eq!(refused["content"]["errorCode"], "UNKNOWN_ACTION", "{refused:#}");
    // A second answer is told so.
    let late = service.ask(&answer("a2", &came, json!({ "t": 6 }))).await;
    assert_eq!(late["content"]["errorCode"], "CALL_ENDED", "{late:#}");
}

#[tokio::test]
async fn wa_6_names_of_others_are_taken() {
    let config = "[serve.tools]\nsum = \"calculator\"\n";
    let site = Site::with(ECHO, config, None).await;
    let mut page = speaking(&site, "ada", SenderType::User, "page_1").await;
    page.ask(&announce(&["pick"])).await;
    let mut first = speaking(&site, "ada", SenderType::Tool, "one").await;
    assert_eq!(first.ask(&registration("r0", "one", &["mine"])).await["type"], "ACK");
    let mut second = speaking(&site, "ada", SenderType::Tool, "two").await;
    for name in
        ["calculator", "QUERY_DATA", "generate", "sum", "pick", "mine", "agent:X", "confirm_action"]
    {
        let refused = second.ask(&registration(&format!("r_{name}"), "two", &["own", name])).await;
        let content = &refused["content"];
        assert_eq!(content["errorCode"], "TOOL_NAME_TAKEN", "{name}: {refused:#}");
        let places = &content["details"]["violations"];
        assert_eq!(places[0]["pointer"], "/content/supportedTools/1/toolId", "{places:#}");
    }
    // Nothing of a refused registration counts, and the others go on.
    let mut model = speaking(&site, "ada", SenderType::Model, "model_1").await;
    model.send(&wish("w1", json!([call("c", "own")]))).await;
    assert_eq!(
        of(&mut model, "ERROR_RESPONSE", "w1").await["content"]["errorCode"],
        "UNKNOWN_ACTION"
    );
    model.send(&wish("w2", json!([call("c", "mine")]))).await;
    let (_, came) = asked(&mut first).await;
    first.ask(&answer("a", &came, json!(1))).await;
    assert_eq!(
        of(&mut model, "TOOL_CALL_RESPONSE", "w2").await["content"]["results"][0]["result"],
        1
    );
    // Another owner may have the name; a user may register nothing.
    let mut other = speaking(&site, "bob", SenderType::Tool, "two").await;
    assert_eq!(other.ask(&registration("r1", "two", &["mine"])).await["type"], "ACK");
    let refused = page.ask(&registration("r2", "page_1", &["x"])).await;
    assert_eq!(refused["content"]["errorCode"], "SENDER_FORBIDDEN", "{refused:#}");
    let many: Vec<String> = (0..1_001).map(|number| format!("t{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let refused = second.ask(&registration("r3", "two", &many)).await;
    assert_eq!(refused["content"]["errorCode"], "TOO_LARGE", "{refused:#}");
    for wrong in [json!({ "runtime": "FRONTEND" }), json!({ "supportedTools": null })] {
        let mut bad = registration("r4", "two", &["x"]);
        bad["content"].as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        let refused = second.ask(&bad).await;
        assert_eq!(refused["content"]["errorCode"], "VALIDATION_FAILED", "{refused:#}");
    }
}

#[tokio::test]
async fn wa_6_call_of_lost_service_waits_and_moves_to_another_process_of_it() {
    let site = Site::of(ECHO).await;
    let secret = token(&site, "ada", &[SenderType::Tool]);
    let mut one = connected(&site, &secret, ("TOOL", "weather_1")).await;
    one.ask(&registration("r1", "weather_1", &["weather_api"])).await;
    let mut model = speaking(&site, "ada", SenderType::Model, "model_1").await;
    model.send(&wish("w1", json!([call("c1", "weather_api")]))).await;
    asked(&mut one).await;
    one.cut();
    // It comes back as another process.
    let mut two = connected(&site, &secret, ("TOOL", "weather_1")).await;
    let (again, came) = back(&mut two, "r2", "weather_1", "weather_api").await;
    assert_eq!(again["callId"], "c1");
    two.ask(&answer("a1", &came, json!("two"))).await;
    let told = of(&mut model, "TOOL_CALL_RESPONSE", "w1").await;
    assert_eq!(told["content"]["results"][0]["result"], "two", "{told:#}");
    // With another process there, a call moves at once.
    let mut three = connected(&site, &secret, ("TOOL", "weather_1")).await;
    three.ask(&registration("r3", "weather_1", &["weather_api"])).await;
    model.send(&wish("w2", json!([call("c2", "weather_api")]))).await;
    asked(&mut three).await;
    three.cut();
    let (moved, came) = asked(&mut two).await;
    assert_eq!(moved["callId"], "c2");
    two.ask(&answer("a2", &came, json!("moved"))).await;
    let told = of(&mut model, "TOOL_CALL_RESPONSE", "w2").await;
    assert_eq!(told["content"]["results"][0]["result"], "moved", "{told:#}");
}

#[tokio::test]
async fn wa_6_service_that_never_answers_ends_as_declared() {
    let config = "[serve.limits]\nreturn_seconds = 1\n";
    let site = Site::with(ECHO, config, None).await;
    let mut service = speaking(&site, "ada", SenderType::Tool, "s").await;
    service.ask(&registration("r1", "s", &["silent"])).await;
    let mut model = speaking(&site, "ada", SenderType::Model, "model_1").await;
    let late = json!({ "callId": "c", "name": "silent", "parameters": {}, "timeout": 1 });
    let other = json!({ "callId": "d", "name": "echo", "parameters": { "n": 1 } });
    model.send(&wish("w1", json!([late, other]))).await;
    let told = of(&mut model, "TOOL_CALL_RESPONSE", "w1").await;
    let results = &told["content"]["results"];
    assert_eq!(results[0]["status"], "TIMEOUT", "{told:#}");
    assert_eq!(results[1]["status"], "SUCCESS");
    let instead = json!({ "callId": "c", "name": "silent", "parameters": {},
        "fallbackBehavior": "USE_ALTERNATIVE", "alternative": { "name": "echo", "parameters": { "n": 2 } } });
    model.send(&wish("w2", json!([instead]))).await;
    asked(&mut service).await;
    service.cut();
    let told = of(&mut model, "TOOL_CALL_RESPONSE", "w2").await;
    assert_eq!(told["content"]["results"][0]["result"], json!({ "n": 2 }), "{told:#}");
}

#[tokio::test]
async fn wa_6_call_of_service_outlives_the_server() {
    let mut site = Site::of(ECHO).await;
    let tool = token(&site, "ada", &[SenderType::Tool]);
    let model_token = token(&site, "ada", &[SenderType::Model]);
    let mut service = connected(&site, &tool, ("TOOL", "s")).await;
    service.ask(&registration("r1", "s", &["slow"])).await;
    let mut model = connected(&site, &model_token, ("MODEL", "m")).await;
    let calls = json!([call("c1", "slow"), { "callId": "c2", "name": "slow",
        "requiredAfter": ["c1"], "parameters": {} }]);
    model.send(&wish("w1", calls.clone())).await;
    asked(&mut service).await;
    site.again().await;
    let mut service = connected(&site, &tool, ("TOOL", "s")).await;
    let (got, came) = back(&mut service, "r2", "s", "slow").await;
    assert_eq!(got["callId"], "c1", "{came:#}");
    service.send(&answer("a1", &came, json!("done"))).await;
    let (got, came) = asked(&mut service).await;
    assert_eq!(got["callId"], "c2", "{came:#}");
    service.ask(&answer("a2", &came, json!("done"))).await;
    let mut model = connected(&site, &model_token, ("MODEL", "m")).await;
    model.send(&wish("w1", calls)).await;
    let told = of(&mut model, "TOOL_CALL_RESPONSE", "w1").await;
    assert_eq!(told["content"]["results"][1]["result"], "done", "{told:#}");
}

#[tokio::test]
async fn wa_6_permission_and_policy_hold_for_registered_tools() {
    let config = "[serve.permissions.backend]\npay = \"ALWAYS_ASK\"\n\
                  [policy.tools.erase]\ndefault = \"deny\"\n";
    let site = Site::with(ECHO, config, None).await;
    let mut service = speaking(&site, "ada", SenderType::Tool, "s").await;
    service.ask(&registration("r1", "s", &["pay", "erase"])).await;
    let mut model = speaking(&site, "ada", SenderType::Model, "m").await;
    model.send(&wish("w1", json!([call("c", "pay"), call("d", "erase")]))).await;
    let told = of(&mut model, "TOOL_CALL_RESPONSE", "w1").await;
    let codes: Vec<_> = (0..2).map(|at| &told["content"]["results"][at]["error"]["code"]).collect();
    assert_eq!(codes, ["PERMISSION_DENIED", "POLICY_DENIED"], "{told:#}");
    let mut page = speaking(&site, "ada", SenderType::User, "page_1").await;
    page.ask(&announce(&["confirm_action"])).await;
    model.send(&wish("w2", json!([call("c", "pay")]))).await;
    let (question, came) = asked(&mut page).await;
    assert_eq!(question["parameters"]["action"], "pay");
    page.ask(&answer("yes", &came, json!({ "allowed": true }))).await;
    let (_, came) = asked(&mut service).await;
    service.ask(&answer("done", &came, json!("paid"))).await;
    let told = of(&mut model, "TOOL_CALL_RESPONSE", "w2").await;
    assert_eq!(told["content"]["results"][0]["result"], "paid", "{told:#}");
}
