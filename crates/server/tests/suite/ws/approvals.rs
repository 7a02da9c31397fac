//! The yes of a person to an influenced effect: to this one, with these arguments, once (GU-6).

use crate::ws::client::{Client, message, said};
use crate::ws::site::Site;
use serde_json::{Value, json};

/// Writes where a file of the workspace says, and what it is told.
const WRITER: &str = r#"
import tool File from "file://workspace"

main func(input { text string }) {
  place = File.read({ path: "page.txt" }) + input.text
  return try { { wrote: File.write({ path: place, content: input.text }).ok } } else err { { code: err.code } }
}
"#;

async fn site(config: &str) -> Site {
    Site::with_files(WRITER, config, &[("page.txt", "out-")], None).await
}

async fn asker(site: &Site, id: &str) -> Client {
    let mut client = Client::new(site.address).await;
    let tools = json!([{ "toolId": "confirm_action", "runtime": "FRONTEND" }]);
    let content = json!({ "clientId": id, "supportedTools": tools });
    client.ask(&message("CLIENT_CAPABILITIES", id, None, content)).await;
    client
}

/// The next question, or the value of the answer to `id` when none comes before it.
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

fn answer(question: &Value, id: &str, allowed: bool) -> Value {
    let call = &question["content"]["calls"][0]["callId"];
    let result = json!({ "callId": call, "status": "SUCCESS", "result": { "allowed": allowed } });
    let context = question["contextId"].as_str();
    let mut message = message("TOOL_CALL_RESPONSE", id, context, json!({ "results": [result] }));
    message["metadata"] = json!({ "inReplyTo": question["messageId"] });
    message
}

#[tokio::test]
async fn gu_6_yes_to_one_effect_is_not_one_to_changed_arguments() {
    // Not even where one yes is to be enough for the same parameters.
    let config = "[serve.permissions.backend]\n\"file.write\" = \"USER_CONSENT\"\n";
    let site = site(config).await;
    let mut client = asker(&site, "c1").await;
    client.send(&said("m1", Some("ctx_1"), "a")).await;
    let first = question(&mut client, "m1").await.unwrap();
    let shown = &first["content"]["calls"][0]["parameters"];
    assert_eq!((&shown["action"], &shown["class"]), (&json!("file.write"), &json!("write")));
    assert_eq!(shown["parameters"], json!({ "path": "out-a", "content": "a" }));
    assert_eq!(shown["sources"][0]["source"], "page.txt", "{shown}");
    client.send(&answer(&first, "r1", true)).await;
    assert_eq!(question(&mut client, "m1").await, Err(json!({ "wrote": true })));
    client.send(&said("m2", Some("ctx_1"), "b")).await;
    let second = question(&mut client, "m2").await.unwrap();
    // The first yes again, for a call that is over, then under the second question's name.
    let again = answer(&first, "r2", true);
    client.send(&again).await;
    let mut renamed = again.clone();
    renamed["messageId"] = "r3".into();
    renamed["metadata"]["inReplyTo"] = second["messageId"].clone();
    client.send(&renamed).await;
    client.send(&answer(&second, "r4", false)).await;
    assert_eq!(question(&mut client, "m2").await, Err(json!({ "code": "PERMISSION_DENIED" })));
    assert!(site.path("out-a").exists() && !site.path("out-b").exists());
    // The same effect once more: the policy asks about each.
    client.send(&said("m3", Some("ctx_1"), "a")).await;
    let third = question(&mut client, "m3").await.unwrap();
    client.send(&answer(&third, "r5", false)).await;
    assert_eq!(question(&mut client, "m3").await, Err(json!({ "code": "PERMISSION_DENIED" })));
}

#[tokio::test]
async fn gu_6_question_is_answered_by_nobody_but_session_that_was_asked() {
    let site = site("").await;
    let mut client = asker(&site, "c1").await;
    client.send(&said("m1", Some("ctx_1"), "a")).await;
    let asked = question(&mut client, "m1").await.unwrap();
    let yes = answer(&asked, "r1", true);
    // Another page of the same owner.
    let mut other = Client::new(site.address).await;
    let refused = other.ask(&yes).await;
    assert_eq!(refused["content"]["errorCode"], "UNKNOWN_ID", "{refused}");
    // A form of a page that the person has open, with and without its origin.
    let (_, told) = site.post(&yes).await;
    assert_eq!(told["content"]["errorCode"], "UNKNOWN_ID", "{told}");
    for header in ["origin: https://evil.example", "sec-fetch-site: cross-site"] {
        let (status, _) = site.post_with(header, &yes).await;
        assert_eq!(status, 403, "{header}");
    }
    assert!(!site.path("out-a").exists());
    client.send(&answer(&asked, "r2", false)).await;
    assert_eq!(question(&mut client, "m1").await, Err(json!({ "code": "PERMISSION_DENIED" })));
    assert!(!site.path("out-a").exists());
}

#[tokio::test]
async fn gu_6_question_nobody_answers_or_can_be_asked_does_nothing() {
    let site = site("[serve.permissions]\nseconds = 1\n").await;
    let (_, told) = site.post(&said("m0", Some("ctx_1"), "a")).await;
    assert_eq!(told["metadata"]["value"], json!({ "code": "POLICY_DENIED" }), "{told}");
    let mut client = asker(&site, "c1").await;
    client.send(&said("m1", Some("ctx_1"), "a")).await;
    let late = question(&mut client, "m1").await.unwrap();
    assert_eq!(question(&mut client, "m1").await, Err(json!({ "code": "TIMEOUT" })));
    client.send(&answer(&late, "r1", true)).await;
    // A client that goes for good while its user thinks.
    client.send(&said("m2", Some("ctx_1"), "b")).await;
    question(&mut client, "m2").await.unwrap();
    client.cut();
    let mut next = asker(&site, "c2").await;
    next.send(&said("m3", Some("ctx_2"), "c")).await;
    let asked = question(&mut next, "m3").await.unwrap();
    assert_eq!(asked["content"]["calls"][0]["parameters"]["parameters"]["path"], "out-c");
    next.send(&answer(&asked, "r3", true)).await;
    assert_eq!(question(&mut next, "m3").await, Err(json!({ "wrote": true })));
    assert!(!site.path("out-a").exists() && !site.path("out-b").exists());
}

#[tokio::test]
async fn gu_5_page_that_says_class_is_called_without_question_unless_owner_says_otherwise() {
    const PAGE: &str = r#"
import tool File from "file://workspace"
import tool Page from "frontend://show"

main func(input { text string }) {
  return try { Page.run({ text: File.read({ path: "page.txt" }) }) } else err { { code: err.code } }
}
"#;
    let of_owner = "[policy.tools.\"frontend:show\"]\nclass = \"send\"\n";
    for (said_of_it, config, code) in [
        (json!({}), "", Some("POLICY_DENIED")),
        (json!({ "class": "read" }), "", None),
        (json!({ "class": "send" }), "", Some("POLICY_DENIED")),
        (json!({ "class": "send", "integrity": { "text": "web" } }), "", None),
        (json!({ "class": "read" }), of_owner, Some("POLICY_DENIED")),
    ] {
        let site = Site::with_files(PAGE, config, &[("page.txt", "hello")], None).await;
        let mut client = Client::new(site.address).await;
        let mut tool = json!({ "toolId": "show", "runtime": "FRONTEND",
            "parameters": { "type": "object", "properties": { "text": { "type": "string" } } } });
        tool.as_object_mut().unwrap().extend(said_of_it.as_object().unwrap().clone());
        let content = json!({ "clientId": "c1", "supportedTools": [tool] });
        let told = client.ask(&message("CLIENT_CAPABILITIES", "a1", None, content)).await;
        assert_eq!(told["type"], "ACK", "{told}");
        client.send(&said("m1", Some("ctx_1"), "x")).await;
        match (question(&mut client, "m1").await, code) {
            (Ok(asked), None) => assert_eq!(asked["content"]["calls"][0]["name"], "show"),
            (Err(value), Some(code)) => assert_eq!(value, json!({ "code": code })),
            (other, _) => panic!("{said_of_it} {config}: {other:?}"),
        }
    }
    let site = site("").await;
    let mut client = Client::new(site.address).await;
    for wrong in [json!({ "class": "harmless" }), json!({ "integrity": { "text": "king" } })] {
        let mut tool = json!({ "toolId": "show", "runtime": "FRONTEND" });
        tool.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        let content = json!({ "clientId": "c1", "supportedTools": [tool] });
        let told = client.ask(&message("CLIENT_CAPABILITIES", "a1", None, content)).await;
        assert_eq!(told["type"], "ERROR_RESPONSE", "{wrong}: {told}");
    }
}

#[tokio::test]
async fn gu_6_rules_of_tools_and_of_program_hold_in_turns_without_a_question() {
    let config = "[policy]\nwrite = \"allow\"\n[policy.tools.\"http.post\"]\ndefault = \"deny\"\n\
         [policy.tools.\"http.get\"]\nintegrity = { url = \"program\" }\n";
    let program = r#"
policy write "deny"
import tool File from "file://workspace"
import tool Web from "http://127.0.0.1:9"

main func(input { text string }) {
  if input.text == "post" { return try { { ok: Web.post({ url: "/a", body: "x" }) } } else err { { code: err.code } } }
  if input.text == "write" { return try { { ok: File.write({ path: "out-a", content: "x" }).ok } } else err { { code: err.code } } }
  return try { { ok: Web.get({ url: input.text }) } } else err { { code: err.code } }
}
"#;
    let site = Site::with_files(program, config, &[], None).await;
    let mut client = asker(&site, "c1").await;
    for text in ["post", "write"] {
        client.send(&said(text, Some("ctx_1"), text)).await;
        assert_eq!(question(&mut client, text).await, Err(json!({ "code": "POLICY_DENIED" })));
    }
    assert!(!site.path("out-a").exists());
    // The user's own word is below what this address demands, so somebody is asked.
    client.send(&said("get", Some("ctx_1"), "/a")).await;
    let asked = question(&mut client, "get").await.unwrap();
    assert_eq!(asked["content"]["calls"][0]["parameters"]["action"], "http.get", "{asked}");
    client.send(&answer(&asked, "r1", false)).await;
    assert_eq!(question(&mut client, "get").await, Err(json!({ "code": "PERMISSION_DENIED" })));
}
