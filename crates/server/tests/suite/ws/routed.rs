//! Messages that a model service answers in place of an agent, and the source's example 9.1 with a user, a
//! model and a tool apart (WA-6).

use crate::examples;
use crate::ws::client::{Client, message, said};
use crate::ws::services::{answer, asked, by, connected, registration, speaking, token};
use crate::ws::sets::of;
use crate::ws::site::{ECHO, Site};
use contexture_protocol::SenderType;
use serde_json::{Value, json};

const CONFIG: &str =
    "[serve]\nmodel_service = \"model_gpt4\"\n[serve.limits]\nreturn_seconds = 1\n";

fn example(name: &str) -> Value {
    examples::examples().into_iter().find(|one| one.name == name).unwrap().value
}

async fn site() -> Site {
    Site::with(ECHO, CONFIG, None).await
}

/// The next message of a type.
async fn next(client: &mut Client, kind: &str) -> Value {
    loop {
        let message = client.message().await;
        if message["type"] == kind {
            return message;
        }
    }
}

fn answered(id: &str, context: &str, text: &str) -> Value {
    let content = json!({ "text": text, "finishReason": "STOP" });
    by("MODEL", message("MODEL_RESPONSE", id, Some(context), content))
}

#[tokio::test]
async fn wa_6_example_9_1_runs_with_user_model_and_tool_apart() {
    let site = site().await;
    let mut tool = speaking(&site, "ada", SenderType::Tool, "weather_1").await;
    tool.ask(&registration("r1", "weather_1", &["weather_api"])).await;
    let mut model = speaking(&site, "ada", SenderType::Model, "model_gpt4").await;
    let mut user = speaking(&site, "ada", SenderType::User, "user_123").await;
    user.send(&example("9_1_1")).await;
    let input = next(&mut model, "USER_INPUT").await;
    assert_eq!(input["messageId"], "msg_001", "{input:#}");
    assert_eq!(input["content"]["text"], "北京今天天气怎么样?");
    model.send(&example("9_1_2")).await;
    let (call, came) = asked(&mut tool).await;
    assert_eq!(call["parameters"], json!({ "city": "北京", "date": "2025-12-01" }));
    let result = example("9_1_3")["content"]["results"][0]["result"].clone();
    tool.ask(&answer("a1", &came, result.clone())).await;
    let told = of(&mut model, "TOOL_CALL_RESPONSE", "msg_002").await;
    assert_eq!(told["sender"], example("9_1_3")["sender"]);
    assert_eq!(told["content"]["results"][0]["callId"], "call_001");
    assert_eq!(told["content"]["results"][0]["result"], result);
    assert_eq!(model.ask(&example("9_1_4")).await["type"], "ACK");
    // The user sees all of the turn.
    let seen = user.answers("msg_001").await;
    let kinds: Vec<_> = seen.iter().map(|one| one["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["MODEL_RESPONSE", "TOOL_CALL_RESPONSE", "MODEL_RESPONSE"], "{seen:#?}");
    assert_eq!(seen[2]["content"]["text"], example("9_1_4")["content"]["text"]);
    assert_eq!(
        (&seen[2]["messageId"], &seen[2]["sender"]["id"]),
        (&json!("msg_004"), &json!("model_gpt4"))
    );
    // The context has the four messages of the source, once.
    user.send(&example("9_1_1")).await;
    let again = user.answers("msg_001").await;
    assert_eq!(again.last().unwrap()["messageId"], "msg_004");
    assert_eq!(model.ask(&example("9_1_4")).await["type"], "ACK");
    let read = message("SUBSCRIBE", "s1", None, json!({ "contextId": "ctx_weather", "since": 0 }));
    user.send(&read).await;
    let delta = next(&mut user, "CONTEXT_DELTA").await;
    let changes = delta["content"]["changes"].as_array().unwrap();
    let kept: Vec<_> = changes.iter().filter_map(|one| one["message"]["type"].as_str()).collect();
    assert_eq!(kept, ["USER_INPUT", "MODEL_RESPONSE", "TOOL_CALL_RESPONSE", "MODEL_RESPONSE"]);
}

#[tokio::test]
async fn wa_6_model_service_may_work_by_updates_of_the_context() {
    let site = site().await;
    let mut model = speaking(&site, "ada", SenderType::Model, "model_gpt4").await;
    let mut user = speaking(&site, "ada", SenderType::User, "user_1").await;
    user.send(&said("m1", Some("ctx_1"), "What is 2*3?")).await;
    next(&mut model, "USER_INPUT").await;
    let add = |id: &str, inner: Value| {
        let content = json!({ "operation": "ADD_MESSAGE", "message": inner });
        by("MODEL", message("CONTEXT_UPDATE", id, Some("ctx_1"), content))
    };
    let call =
        json!({ "callId": "c", "name": "calculator", "parameters": { "expression": "2*3" } });
    let wish = json!({ "messageId": "w1", "type": "MODEL_RESPONSE",
        "content": { "text": "", "toolCalls": [call], "finishReason": "TOOL_CALLS" } });
    model.send(&add("u1", wish.clone())).await;
    assert_eq!(of(&mut model, "ACK", "u1").await["content"]["messageId"], "u1");
    let told = of(&mut model, "TOOL_CALL_RESPONSE", "w1").await;
    assert_eq!(told["content"]["results"][0]["result"]["value"], 6, "{told:#}");
    // Sent again, nothing runs twice.
    assert_eq!(model.ask(&add("u1", wish)).await["type"], "ACK");
    let last = json!({ "messageId": "w2", "type": "MODEL_RESPONSE",
        "content": { "text": "It is 6.", "finishReason": "STOP" } });
    model.send(&add("u2", last)).await;
    let seen = user.answers("m1").await;
    assert_eq!(seen.last().unwrap()["content"]["text"], "It is 6.", "{seen:#?}");
    let wishes = seen.iter().filter(|one| one["content"]["finishReason"] == "TOOL_CALLS").count();
    assert_eq!(wishes, 1, "{seen:#?}");
}

#[tokio::test]
async fn wa_6_turn_of_lost_model_service_moves_or_fails() {
    let site = site().await;
    let secret = token(&site, "ada", &[SenderType::Model]);
    let mut user = speaking(&site, "ada", SenderType::User, "user_1").await;
    let failed = user.ask(&said("m1", Some("ctx_1"), "Hi")).await;
    assert_eq!(failed["content"]["errorCode"], "CLIENT_UNAVAILABLE", "{failed:#}");
    // A user who takes the name of the service gets nothing.
    let mut thief = speaking(&site, "ada", SenderType::User, "model_gpt4").await;
    let failed = user.ask(&said("m2", Some("ctx_1"), "Hi")).await;
    assert_eq!(failed["content"]["errorCode"], "CLIENT_UNAVAILABLE", "{failed:#}");
    let forged = thief.ask(&answered("f1", "ctx_1", "forged")).await;
    assert_eq!(forged["content"]["errorCode"], "SENDER_FORBIDDEN");
    let mut one = connected(&site, &secret, ("MODEL", "model_gpt4")).await;
    user.send(&said("m3", Some("ctx_1"), "Hi")).await;
    next(&mut one, "USER_INPUT").await;
    one.cut();
    let mut two = connected(&site, &secret, ("MODEL", "model_gpt4")).await;
    assert_eq!(next(&mut two, "USER_INPUT").await["messageId"], "m3");
    let delta = json!({ "messageId": "w1", "index": 0, "text": "He" });
    two.send(&by("MODEL", message("MODEL_RESPONSE_DELTA", "d1", Some("ctx_1"), delta))).await;
    two.send(&answered("w1", "ctx_1", "Hello")).await;
    let seen = user.answers("m3").await;
    assert_eq!(seen[0]["content"]["text"], "He", "{seen:#?}");
    assert_eq!(seen.last().unwrap()["content"]["text"], "Hello");
    // A cancelled turn is taken back.
    user.send(&said("m4", Some("ctx_1"), "Hi")).await;
    next(&mut two, "USER_INPUT").await;
    let cancel = json!({ "action": "CANCEL", "target": "m4" });
    user.send(&message("CONTROL", "c1", None, cancel)).await;
    let told = next(&mut two, "CONTROL").await;
    assert_eq!(told["content"]["target"], "m4");
    let last = user.answers("m4").await.pop().unwrap();
    assert_eq!(last["content"]["errorCode"], "CANCELLED", "{last:#}");
    // What it says then is kept, and answers nothing.
    assert_eq!(two.ask(&answered("w2", "ctx_1", "late")).await["type"], "ACK");
}
