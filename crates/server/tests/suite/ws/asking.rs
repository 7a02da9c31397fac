//! The user's word before something that is marked sensitive (CP-14, CP-19).

use crate::ws::client::{Client, message, said};
use crate::ws::site::Site;
use serde_json::{Value, json};

/// Reads a file of the workspace, which the settings below mark.
const READER: &str = r#"
import tool File from "file://workspace"

main func(input { text string }) {
  return try { { read: File.read({ path: input.text }) } } else err { { code: err.code } }
}
"#;

fn settings(more: &str) -> String {
    format!("[serve.permissions]\nseconds = 30\n{more}")
}

/// A client that can ask its user.
async fn asker(site: &Site) -> Client {
    let mut client = Client::new(site.address).await;
    assert_eq!(client.ask(&announce("a1", json!([]))).await["type"], "ACK");
    client
}

fn announce(id: &str, more: Value) -> Value {
    let mut tools = vec![json!({ "toolId": "confirm_action", "runtime": "FRONTEND" })];
    tools.extend(more.as_array().unwrap().clone());
    let content = json!({ "clientId": "cli_1", "supportedTools": tools });
    message("CLIENT_CAPABILITIES", id, None, content)
}

/// The next question, or the answer to `id` when none comes before it.
async fn question(client: &mut Client, id: &str) -> Result<Value, Value> {
    loop {
        let message = client.message().await;
        if message["type"] == "TOOL_CALL_REQUEST" {
            return Ok(message);
        }
        if message["type"] == "MODEL_RESPONSE" && message["metadata"]["inReplyTo"] == id {
            return Err(message["metadata"]["value"].clone());
        }
    }
}

async fn answer(client: &mut Client, question: &Value, result: Value) {
    let mut content = json!({ "callId": question["content"]["calls"][0]["callId"] });
    content.as_object_mut().unwrap().extend(result.as_object().unwrap().clone());
    let id = format!("r_{}", question["messageId"].as_str().unwrap());
    let context = question["contextId"].as_str();
    let mut message = message("TOOL_CALL_RESPONSE", &id, context, json!({ "results": [content] }));
    message["sender"]["type"] = "TOOL".into();
    message["metadata"] = json!({ "inReplyTo": question["messageId"] });
    client.send(&message).await;
}

fn allowed(allowed: bool) -> Value {
    json!({ "status": "SUCCESS", "result": { "allowed": allowed } })
}

async fn value(client: &mut Client, id: &str) -> Value {
    question(client, id).await.unwrap_err()
}

#[tokio::test]
async fn cp_19_keys_are_masked_in_question_and_intact_in_action() {
    let config = settings("[serve.permissions.backend]\n\"echo\" = \"ALWAYS_ASK\"\n");
    let site = Site::with(READER, &config, None).await;
    let mut client = asker(&site).await;
    let key = "sk-abcdefghijklmnopqrstuvwxyz123456";
    let parameters = json!({ "api_key": key, "value": format!("with {key} in it") });
    let call = json!({ "callId": "c1", "name": "echo", "parameters": parameters,
        "userPrompt": format!("Send {key}?") });
    let content = json!({ "calls": [call] });
    client.send(&message("TOOL_CALL_REQUEST", "m1", Some("ctx_1"), content)).await;
    let asked = question(&mut client, "m1").await.unwrap();
    let shown = &asked["content"]["calls"][0];
    assert!(!shown.to_string().contains(key), "{shown}");
    assert_eq!(
        shown["parameters"]["parameters"],
        json!({ "api_key": "•••", "value": "with sk-••• in it" })
    );
    assert_eq!(shown["userPrompt"], "Send sk-•••?");
    answer(&mut client, &asked, allowed(true)).await;
    let answered = loop {
        let message = client.message().await;
        if message["type"] == "TOOL_CALL_RESPONSE" {
            break message;
        }
    };
    let result = &answered["content"]["results"][0];
    assert!(result["result"].to_string().contains(key), "{answered}");
}

#[tokio::test]
async fn cp_19_sensitive_server_action_asks_each_time() {
    let config = settings("[serve.permissions.backend]\n\"file.*\" = \"ALWAYS_ASK\"\n");
    let site = Site::with(READER, &config, None).await;
    let mut client = asker(&site).await;
    for (id, is_allowed) in [("m1", true), ("m2", false), ("m3", true)] {
        client.send(&said(id, Some("ctx_1"), "contexture.toml")).await;
        let asked = question(&mut client, id).await.unwrap();
        assert_eq!(asked["metadata"]["inReplyTo"], id);
        assert_eq!(asked["contextId"], "ctx_1");
        let call = &asked["content"]["calls"][0];
        assert_eq!(
            (&call["name"], &call["runtime"]),
            (&json!("confirm_action"), &json!("FRONTEND"))
        );
        assert_eq!(call["timeoutClient"], 30);
        assert!(call["userPrompt"].as_str().unwrap().contains("file.read"), "{call}");
        let shown = json!({ "action": "file.read", "runtime": "BACKEND", "parameters": { "path": "contexture.toml" } });
        assert_eq!(call["parameters"], shown);
        answer(&mut client, &asked, allowed(is_allowed)).await;
        let given = value(&mut client, id).await;
        if is_allowed {
            assert!(given["read"].as_str().unwrap().contains("ALWAYS_ASK"), "{given}");
        } else {
            assert_eq!(given, json!({ "code": "PERMISSION_DENIED" }));
        }
    }
}

#[tokio::test]
async fn cp_19_consent_applies_to_session_and_refusal_is_not_stored() {
    let config = settings("[serve.permissions.backend]\n\"file.read\" = \"USER_CONSENT\"\n");
    let site = Site::with(READER, &config, None).await;
    let mut client = asker(&site).await;
    client.send(&said("m1", Some("ctx_1"), "app.as")).await;
    let asked = question(&mut client, "m1").await.unwrap();
    answer(&mut client, &asked, allowed(false)).await;
    assert_eq!(value(&mut client, "m1").await, json!({ "code": "PERMISSION_DENIED" }));
    client.send(&said("m2", Some("ctx_1"), "app.as")).await;
    let asked = question(&mut client, "m2").await.expect("a no is not for ever");
    answer(&mut client, &asked, allowed(true)).await;
    assert!(value(&mut client, "m2").await["read"].is_string());
    // From here on nobody is asked: in another context, and after a cut connection.
    client.send(&said("m3", Some("ctx_2"), "app.as")).await;
    assert!(value(&mut client, "m3").await["read"].is_string());
    let (session, seq) = (client.session.clone(), client.seq);
    client.cut();
    let (mut client, _) = Client::resume(site.address, &session, seq).await;
    client.send(&said("m4", Some("ctx_2"), "app.as")).await;
    assert!(value(&mut client, "m4").await["read"].is_string());
    // Another session is another user's matter.
    let mut other = asker(&site).await;
    other.send(&said("m5", Some("ctx_2"), "app.as")).await;
    let asked = question(&mut other, "m5").await.expect("its user allowed nothing yet");
    answer(&mut other, &asked, allowed(false)).await;
    assert_eq!(value(&mut other, "m5").await, json!({ "code": "PERMISSION_DENIED" }));
}

#[tokio::test]
async fn gu_11_approval_holds_only_for_same_parameters() {
    let config = settings("[serve.permissions.backend]\n\"file.read\" = \"USER_CONSENT\"\n");
    let site = Site::with(READER, &config, None).await;
    let mut client = asker(&site).await;
    client.send(&said("m1", Some("ctx_1"), "app.as")).await;
    let asked = question(&mut client, "m1").await.unwrap();
    answer(&mut client, &asked, allowed(true)).await;
    assert!(value(&mut client, "m1").await["read"].is_string());
    client.send(&said("m2", Some("ctx_1"), "app.as")).await;
    assert!(value(&mut client, "m2").await["read"].is_string(), "the same is not asked again");
    client.send(&said("m3", Some("ctx_1"), "contexture.toml")).await;
    // The answer to the first question answers no other one.
    answer(&mut client, &asked, allowed(true)).await;
    let again = question(&mut client, "m3").await.expect("another file is another question");
    assert_eq!(again["content"]["calls"][0]["parameters"]["parameters"]["path"], "contexture.toml");
    answer(&mut client, &again, allowed(false)).await;
    assert_eq!(value(&mut client, "m3").await, json!({ "code": "PERMISSION_DENIED" }));
}

#[tokio::test]
async fn gu_11_question_is_answered_only_in_session_that_was_asked() {
    let config = settings("[serve.permissions.backend]\n\"file.*\" = \"ALWAYS_ASK\"\n");
    let site = Site::with(READER, &config, None).await;
    let mut client = asker(&site).await;
    let mut other = asker(&site).await;
    client.send(&said("m1", Some("ctx_1"), "app.as")).await;
    let asked = question(&mut client, "m1").await.unwrap();
    // Another session of the same owner, and a program over HTTP, say yes.
    answer(&mut other, &asked, allowed(true)).await;
    let refused = other.message().await;
    assert_eq!(refused["content"]["errorCode"], "UNKNOWN_ID", "{refused}");
    let call = &asked["content"]["calls"][0]["callId"];
    let yes = json!({ "results": [{ "callId": call, "status": "SUCCESS", "result": { "allowed": true } }] });
    let (_, told) = site.post(&message("TOOL_CALL_RESPONSE", "h1", Some("ctx_1"), yes)).await;
    assert_eq!(told["content"]["errorCode"], "UNKNOWN_ID", "{told}");
    answer(&mut client, &asked, allowed(false)).await;
    assert_eq!(value(&mut client, "m1").await, json!({ "code": "PERMISSION_DENIED" }));
}

#[tokio::test]
async fn cp_19_no_answer_means_no() {
    let config =
        "[serve.permissions]\nseconds = 1\n[serve.permissions.backend]\n\"*\" = \"ALWAYS_ASK\"\n";
    let site = Site::with(READER, config, None).await;
    // Nobody can be asked.
    let (status, answered) = site.post(&said("m0", Some("ctx_1"), "app.as")).await;
    assert_eq!(
        (status, &answered["metadata"]["value"]),
        (200, &json!({ "code": "PERMISSION_DENIED" }))
    );
    let mut client = asker(&site).await;
    client.send(&said("m1", Some("ctx_1"), "app.as")).await;
    let late = question(&mut client, "m1").await.unwrap();
    assert_eq!(value(&mut client, "m1").await, json!({ "code": "TIMEOUT" }));
    answer(&mut client, &late, allowed(true)).await;
    // What is no clear yes is none.
    for (id, result, code) in [
        ("m2", json!({ "status": "SUCCESS" }), "PERMISSION_DENIED"),
        ("m3", json!({ "status": "SUCCESS", "result": "true" }), "PERMISSION_DENIED"),
        ("m4", json!({ "status": "SUCCESS", "result": { "allowed": "yes" } }), "PERMISSION_DENIED"),
        (
            "m5",
            json!({ "status": "ERROR", "error": { "code": "PERMISSION_DENIED", "message": "no" } }),
            "PERMISSION_DENIED",
        ),
        (
            "m6",
            json!({ "status": "ERROR", "error": { "code": "EXECUTION_FAILED", "message": "no" } }),
            "PERMISSION_DENIED",
        ),
        (
            "m7",
            json!({ "status": "TIMEOUT", "error": { "code": "TIMEOUT", "message": "late" } }),
            "TIMEOUT",
        ),
    ] {
        client.send(&said(id, Some("ctx_1"), "app.as")).await;
        let asked = question(&mut client, id).await.unwrap();
        answer(&mut client, &asked, result.clone()).await;
        assert_eq!(value(&mut client, id).await, json!({ "code": code }), "{result}");
    }
    // A client that goes for good while its user thinks has not said yes.
    let mut asked_over_http = asker(&site).await;
    client.cut();
    asked_over_http.send(&said("m8", Some("ctx_1"), "app.as")).await;
    let asked = question(&mut asked_over_http, "m8").await.unwrap();
    answer(&mut asked_over_http, &asked, json!({ "status": "SUCCESS", "result": true })).await;
    assert!(value(&mut asked_over_http, "m8").await["read"].is_string());
}

const PAGE: &str = r#"
import tool Page from "frontend://highlight_element"

main func(input { text string }) {
  return try { Page.run({ selector: input.text }) } else err { { code: err.code } }
}
"#;

#[tokio::test]
async fn cp_19_marked_front_end_tool_asks_although_client_does_not() {
    let config = settings(
        "[serve.permissions.frontend]\nhighlight_element = \"USER_CONSENT\"\n\
         [serve.permissions.backend]\nhighlight_element = \"NONE\"\n",
    );
    let site = Site::with(PAGE, &config, None).await;
    let mut client = asker(&site).await;
    let tool = |level: &str| {
        let parameters =
            json!({ "type": "object", "properties": { "selector": { "type": "string" } } });
        json!([{ "toolId": "highlight_element", "runtime": "FRONTEND", "parameters": parameters, "permissionLevel": level }])
    };
    client.ask(&announce("a2", tool("NONE"))).await;
    client.send(&said("m1", Some("ctx_1"), "#a")).await;
    let asked = question(&mut client, "m1").await.unwrap();
    let call = &asked["content"]["calls"][0];
    assert_eq!(call["name"], "confirm_action");
    assert_eq!(call["parameters"]["runtime"], "FRONTEND");
    answer(&mut client, &asked, allowed(false)).await;
    assert_eq!(value(&mut client, "m1").await, json!({ "code": "PERMISSION_DENIED" }));
    // The client asks by itself: the server does not ask as well.
    client.ask(&announce("a3", tool("ALWAYS_ASK"))).await;
    client.send(&said("m2", Some("ctx_1"), "#a")).await;
    let asked = question(&mut client, "m2").await.unwrap();
    assert_eq!(asked["content"]["calls"][0]["name"], "highlight_element");
    answer(&mut client, &asked, json!({ "status": "SUCCESS", "result": { "shown": true } })).await;
    assert_eq!(value(&mut client, "m2").await, json!({ "shown": true }));
}

/// What comes of the one call of a request.
async fn result(client: &mut Client, id: &str) -> Value {
    loop {
        let message = client.message().await;
        if message["type"] == "TOOL_CALL_RESPONSE" && message["metadata"]["inReplyTo"] == id {
            return message["content"]["results"][0].clone();
        }
    }
}

#[tokio::test]
async fn cp_19_calls_and_instructions_ask_for_permission() {
    let config = settings("[serve.permissions.backend]\n\"calc*\" = \"ALWAYS_ASK\"\n");
    let site = Site::with(READER, &config, None).await;
    let mut client = asker(&site).await;
    let call = |name: &str, more: Value| {
        let mut call =
            json!({ "callId": "c1", "name": name, "parameters": { "expression": "1+1" } });
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "calls": [call] })
    };
    for (id, content, is_allowed) in [
        ("t1", call("calculator", json!({})), true),
        ("t2", call("calculator", json!({})), false),
        ("t3", call("echo", json!({ "userPrompt": "May I say it?" })), false),
    ] {
        client.send(&message("TOOL_CALL_REQUEST", id, Some("ctx_1"), content.clone())).await;
        let asked = question(&mut client, id).await.unwrap();
        assert_eq!(asked["content"]["calls"][0]["name"], "confirm_action", "{asked}");
        if id == "t3" {
            assert_eq!(asked["content"]["calls"][0]["userPrompt"], "May I say it?");
        }
        answer(&mut client, &asked, allowed(is_allowed)).await;
        let given = result(&mut client, id).await;
        if is_allowed {
            assert_eq!(given["result"]["value"], 2, "{given}");
        } else {
            assert_eq!(given["error"]["code"], "PERMISSION_DENIED", "{given}");
        }
    }
    // What nobody marked is not asked about.
    let content = call("echo", json!({}));
    client.send(&message("TOOL_CALL_REQUEST", "t4", Some("ctx_1"), content)).await;
    assert_eq!(result(&mut client, "t4").await["status"], "SUCCESS");
    let set = json!({ "instructions": [
        { "instructionId": "i1", "action": "calculator", "parameters": { "expression": "2*3" } },
    ] });
    client.send(&message("INSTRUCTION", "i1", Some("ctx_1"), set)).await;
    let asked = question(&mut client, "i1").await.unwrap();
    answer(&mut client, &asked, allowed(true)).await;
    loop {
        let message = client.message().await;
        if message["type"] == "INSTRUCTION_RESPONSE" {
            assert_eq!(message["content"]["results"][0]["result"]["value"], 6, "{message}");
            break;
        }
    }
}
