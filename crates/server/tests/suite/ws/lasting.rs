//! Turns that wait for people survive their server (WA-1, WA-2, WA-3).

use crate::ws::client::{Client, message, said};
use crate::ws::site::{Model, Site};
use contexture::{Environment, Project, durable};
use serde_json::{Value, json};
use std::time::Duration;

/// Asks twice, and writes a file between the two.
const TWICE: &str = r#"
import tool Page from "frontend://pick"
import tool File from "file://workspace"

main func(input { text string }) {
  first = Page.run({ what: "first" })
  File.write({ path: "log.txt", content: "between" })
  second = Page.run({ what: "second" })
  return { first: first, second: second }
}
"#;

const ONCE: &str = r#"
import tool Page from "frontend://pick"

main func(input { text string }) {
  return try { { picked: Page.run({ what: input.text }) } } else err { { code: err.code } }
}
"#;

fn announce(id: &str) -> Value {
    let parameters = json!({ "type": "object", "properties": { "what": { "type": "string" } } });
    let tool = |id: &str| json!({ "toolId": id, "runtime": "FRONTEND", "parameters": parameters });
    let tools = [tool("pick"), json!({ "toolId": "confirm_action", "runtime": "FRONTEND" })];
    let content = json!({ "clientId": "page_1", "supportedTools": tools });
    message("CLIENT_CAPABILITIES", id, None, content)
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

async fn page(site: &Site) -> Client {
    let mut client = hello(site, "page_1").await;
    assert_eq!(client.ask(&announce("a1")).await["type"], "ACK");
    client
}

/// The client that comes back, with the call that it is sent.
async fn back(site: &Site) -> (Client, (String, String)) {
    let mut client = hello(site, "page_1").await;
    let call = asked(&mut client).await;
    assert_eq!(client.ask(&announce("a2")).await["type"], "ACK");
    (client, call)
}

/// The next call: its id, and the id of its message.
async fn asked(client: &mut Client) -> (String, String) {
    loop {
        let message = client.message().await;
        assert_ne!(message["type"], "ERROR_RESPONSE", "{message}");
        if message["type"] == "TOOL_CALL_REQUEST" {
            let call = message["content"]["calls"][0]["callId"].as_str().unwrap().to_owned();
            return (call, message["messageId"].as_str().unwrap().to_owned());
        }
    }
}

fn answer(id: &str, call: &str, result: Value) -> Value {
    let result = json!({ "callId": call, "status": "SUCCESS", "result": result });
    let content = json!({ "results": [result] });
    let mut answer = message("TOOL_CALL_RESPONSE", id, Some("ctx_1"), content);
    answer["sender"] = json!({ "id": "page_1", "type": "TOOL" });
    answer
}

async fn messages(site: &Site) -> Vec<Value> {
    let page = site.get("/v1/contexts/ctx_1/messages").await;
    page["messages"].as_array().unwrap().clone()
}

/// The stored answer to a message.
async fn answered(site: &Site, id: &str) -> Value {
    for _ in 0..200 {
        let is_answer = |one: &&Value| {
            one["metadata"]["inReplyTo"] == id
                && ["MODEL_RESPONSE", "ERROR_RESPONSE"].contains(&one["type"].as_str().unwrap())
                && one["content"]["toolCalls"].is_null()
        };
        if let Some(found) = messages(site).await.iter().find(is_answer) {
            return found.clone();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no answer: {:?}", messages(site).await);
}

/// Long enough that nothing works on the turn any more.
async fn parked() {
    tokio::time::sleep(Duration::from_millis(1_800)).await;
}

fn journals(site: &Site) -> usize {
    std::fs::read_dir(site.path(".contexture/journals")).map_or(0, Iterator::count)
}

/// So long that a test fails where a server that is told to stop waits for a person.
const DRAIN: &str = "[serve]\ndrain_timeout = 3600\n";

/// The ways in which a server ends.
#[derive(Debug, Clone, Copy)]
enum End {
    Stopped,
    Killed,
    KilledWhenParked,
}

impl End {
    const ALL: [Self; 3] = [Self::Stopped, Self::Killed, Self::KilledWhenParked];

    async fn of(self, site: &mut Site) {
        match self {
            Self::Stopped => {
                // A wait holds up nothing: else it would take as long as DRAIN says.
                site.again().await;
            }
            Self::Killed => site.killed().await,
            Self::KilledWhenParked => {
                parked().await;
                site.killed().await;
            }
        }
    }
}

#[tokio::test]
async fn wa_3_turn_waiting_for_a_person_killed_goes_on_with_same_call() {
    for end in End::ALL {
        let mut site = Site::with(ONCE, DRAIN, None).await;
        let mut client = page(&site).await;
        client.send(&said("m1", Some("ctx_1"), "file")).await;
        let (call, request) = asked(&mut client).await;
        end.of(&mut site).await;
        // By the name of HELLO alone, before it announces anything.
        let mut client = hello(&site, "page_1").await;
        assert_eq!(asked(&mut client).await, (call.clone(), request), "{end:?}");
        let given = client.ask(&answer("r1", &call, json!({ "file": 1 }))).await;
        assert_eq!(given["type"], "ACK", "{end:?} {given}");
        let second = client.ask(&answer("r2", &call, json!({ "file": 2 }))).await;
        assert_eq!(second["content"]["errorCode"], "CALL_ENDED", "{end:?} {second}");
        let found = answered(&site, "m1").await;
        assert_eq!(found["metadata"]["value"], json!({ "picked": { "file": 1 } }), "{end:?}");
        let kinds: Vec<_> = messages(&site).await.iter().map(|one| one["type"].clone()).collect();
        let all = ["USER_INPUT", "TOOL_CALL_REQUEST", "TOOL_CALL_RESPONSE", "MODEL_RESPONSE"];
        assert_eq!(kinds, all, "{end:?}");
        assert_eq!(site.get("/v1/waits").await["waits"], json!([]));
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(journals(&site), 0, "{end:?}: the journal is gone with the turn");
    }
}

#[tokio::test]
async fn wa_2_answer_of_type_tool_with_client_id_is_taken_by_turn_and_stored_as_client() {
    let site = Site::of(ONCE).await;
    let mut client = page(&site).await;
    client.send(&said("m1", Some("ctx_1"), "file")).await;
    let (call, _) = asked(&mut client).await;
    client.send(&answer("r1", &call, json!(1))).await;
    answered(&site, "m1").await;
    let stored = messages(&site).await;
    let response = stored.iter().find(|one| one["type"] == "TOOL_CALL_RESPONSE").unwrap();
    assert_eq!(response["sender"], json!({ "id": "page_1", "type": "TOOL" }));
}

#[tokio::test]
async fn wa_3_effect_between_two_waits_is_done_once_over_two_ends() {
    for end in End::ALL {
        let mut site = Site::with(TWICE, DRAIN, None).await;
        let mut client = page(&site).await;
        client.send(&said("m1", Some("ctx_1"), "go")).await;
        let (first, _) = asked(&mut client).await;
        end.of(&mut site).await;
        let (mut client, again) = back(&site).await;
        assert_eq!(again.0, first);
        client.send(&answer("r1", &first, json!("one"))).await;
        // Where the first one was sent again while it was answered, it stands before the second.
        let (mut second, mut request) = asked(&mut client).await;
        while second == first {
            (second, request) = asked(&mut client).await;
        }
        assert_eq!(std::fs::read_to_string(site.path("log.txt")).unwrap(), "between", "{end:?}");
        std::fs::remove_file(site.path("log.txt")).unwrap();
        end.of(&mut site).await;
        let (mut client, again) = back(&site).await;
        assert_eq!(again, (second.clone(), request), "{end:?}");
        client.send(&answer("r2", &second, json!("two"))).await;
        let found = answered(&site, "m1").await;
        let both = json!({ "first": "one", "second": "two" });
        assert_eq!(found["metadata"]["value"], both, "{end:?} {found}");
        assert!(!site.path("log.txt").exists(), "{end:?}: it is not written again");
    }
}

#[tokio::test]
async fn wa_3_question_of_program_survives_and_what_it_allows_is_done_once() {
    let config =
        "[serve]\ndrain_timeout = 3600\n[serve.permissions.backend]\n\"file.*\" = \"ALWAYS_ASK\"\n";
    let program = r#"
import tool File from "file://workspace"

main func(input { text string }) {
  File.write({ path: "out.txt", content: input.text })
  return "written"
}
"#;
    for end in End::ALL {
        let mut site = Site::with(program, config, None).await;
        let mut client = page(&site).await;
        client.send(&said("m1", Some("ctx_1"), "once")).await;
        let (question, _) = asked(&mut client).await;
        end.of(&mut site).await;
        let waits = site.get("/v1/waits").await;
        assert_eq!(waits["waits"][0]["kind"], "PERMISSION", "{end:?} {waits}");
        let (mut client, again) = back(&site).await;
        assert_eq!(again.0, question, "{end:?}");
        assert!(!site.path("out.txt").exists());
        client.send(&answer("r1", &question, json!({ "allowed": true }))).await;
        let found = answered(&site, "m1").await;
        assert_eq!(found["content"]["text"], "written", "{end:?} {found}");
        assert_eq!(std::fs::read_to_string(site.path("out.txt")).unwrap(), "once");
    }
}

/// The session of the request is gone with the server, but its sender is known.
#[tokio::test]
async fn wa_1_call_of_resumed_turn_goes_to_client_of_its_sender_and_not_to_latest_one() {
    let mut site = Site::of(TWICE).await;
    let mut client = page(&site).await;
    let mut message = said("m1", Some("ctx_1"), "go");
    message["sender"]["id"] = "page_1".into();
    client.send(&message).await;
    asked(&mut client).await;
    site.killed().await;
    let (mut client, (call, _)) = back(&site).await;
    let mut other = hello(&site, "page_2").await;
    let mut its_tools = announce("a3");
    its_tools["content"]["clientId"] = "page_2".into();
    assert_eq!(other.ask(&its_tools).await["type"], "ACK");
    client.send(&answer("r1", &call, json!("one"))).await;
    let (second, _) = asked(&mut client).await;
    assert_ne!(second, call);
    let waits = site.get("/v1/waits").await;
    assert_eq!(waits["waits"][0]["client"], "page_1", "{waits}");
}

#[tokio::test]
async fn wa_1_wait_of_turn_is_answered_or_cancelled_over_http_after_kill() {
    for (method, body, expected) in [
        ("POST", json!({ "status": "SUCCESS", "result": 7 }), json!({ "picked": 7 })),
        ("DELETE", json!({}), json!({ "code": "CANCELLED" })),
    ] {
        let mut site = Site::of(ONCE).await;
        let mut client = page(&site).await;
        client.send(&said("m1", Some("ctx_1"), "file")).await;
        let (call, _) = asked(&mut client).await;
        parked().await;
        site.killed().await;
        assert_eq!(site.get("/v1/waits").await["waits"][0]["callId"], call.as_str());
        let (status, text) = site.ask(method, &format!("/v1/waits/{call}"), &body).await;
        assert!([200, 204].contains(&status), "{status} {text}");
        assert_eq!(answered(&site, "m1").await["metadata"]["value"], expected);
        let (status, _) = site.ask(method, &format!("/v1/waits/{call}"), &body).await;
        assert_eq!(status, 409);
    }
}

#[tokio::test]
async fn wa_1_wait_of_turn_ends_at_its_time_though_server_was_down() {
    let mut site = Site::with(ONCE, "[serve]\nwait_seconds = 3\n", None).await;
    let mut client = page(&site).await;
    client.send(&said("m1", Some("ctx_1"), "file")).await;
    asked(&mut client).await;
    parked().await;
    site.end().await;
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    site.start().await;
    let found = answered(&site, "m1").await;
    assert_eq!(found["metadata"]["value"], json!({ "code": "TIMEOUT" }), "{found}");
}

#[tokio::test]
async fn wa_3_turn_whose_program_changed_is_told_and_nothing_is_repeated() {
    let mut site = Site::of(TWICE).await;
    let mut client = page(&site).await;
    client.send(&said("m1", Some("ctx_1"), "go")).await;
    let (first, _) = asked(&mut client).await;
    site.end().await;
    std::fs::write(site.path("app.as"), TWICE.replace("between", "else")).unwrap();
    site.start().await;
    let good = json!({ "status": "SUCCESS", "result": 1 });
    assert_eq!(site.ask("POST", &format!("/v1/waits/{first}"), &good).await.0, 200);
    let found = answered(&site, "m1").await;
    assert_eq!(found["content"]["errorCode"], "OUTCOME_UNCERTAIN", "{found}");
    assert_eq!(found["content"]["details"]["code"], "program_changed", "{found}");
    assert!(!site.path("log.txt").exists());
    assert_eq!(site.get("/v1/waits").await["waits"], json!([]));
}

#[tokio::test]
async fn wa_1_waiting_turn_is_cancelled_and_message_behind_it_is_answered_after_it() {
    for end in End::ALL {
        let mut site = Site::with(ONCE, DRAIN, None).await;
        let mut client = page(&site).await;
        client.send(&said("m1", Some("ctx_1"), "file")).await;
        let (_, request) = asked(&mut client).await;
        client.send(&said("m2", Some("ctx_1"), "other")).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        end.of(&mut site).await;
        let (mut client, again) = back(&site).await;
        assert_eq!(again.1, request);
        let content = json!({ "action": "CANCEL", "target": "m1" });
        client.send(&message("CONTROL", "c1", Some("ctx_1"), content)).await;
        let mut is_withdrawn = false;
        let second = loop {
            let message = client.message().await;
            is_withdrawn |=
                message["type"] == "CONTROL" && message["content"]["target"] == *request;
            if message["type"] == "TOOL_CALL_REQUEST" && message["messageId"] != *request {
                break message["content"]["calls"][0]["callId"].as_str().unwrap().to_owned();
            }
        };
        assert!(is_withdrawn, "{end:?}");
        assert_eq!(answered(&site, "m1").await["content"]["errorCode"], "CANCELLED", "{end:?}");
        client.send(&answer("r2", &second, json!(2))).await;
        let value = &answered(&site, "m2").await["metadata"]["value"];
        assert_eq!(*value, json!({ "picked": 2 }), "{end:?}");
    }
}

#[tokio::test]
async fn wa_3_turn_killed_in_model_call_after_a_wait_is_uncertain_and_model_is_not_asked_again() {
    let model = Model::saying(&["late"], Duration::from_secs(60)).await;
    let program = r#"
import tool Page from "frontend://pick"

main func(input { text string }) {
  picked = Page.run({ what: "one" })
  generate({ input: picked })
}
"#;
    let mut site = Site::with(program, "", Some(model.uri.clone())).await;
    let mut client = page(&site).await;
    client.send(&said("m1", Some("ctx_1"), "go")).await;
    let (call, _) = asked(&mut client).await;
    client.send(&answer("r1", &call, json!("a word"))).await;
    for _ in 0..100 {
        if model.asked() > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(model.asked(), 1);
    site.killed().await;
    let found = answered(&site, "m1").await;
    assert_eq!(found["content"]["errorCode"], "OUTCOME_UNCERTAIN", "{found}");
    assert!(found["content"]["details"]["run"].is_string(), "{found}");
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(model.asked(), 1, "nobody asked for that");
    assert_eq!(journals(&site), 1, "a person can look at what it did");
}

/// A turn that was killed in a model call after a wait, and a model that answers from then on.
async fn killed_in_model_call() -> (Site, Model, String) {
    let late = |before| Duration::from_secs(if before == 0 { 60 } else { 0 });
    let model = Model::pausing(&["later"], late).await;
    let program = r#"
import tool Page from "frontend://pick"

main func(input { text string }) {
  picked = Page.run({ what: "one" })
  said = generate({ input: picked })
  again = Page.run({ what: "two" })
  return { said: said, again: again }
}
"#;
    let mut site = Site::with(program, "", Some(model.uri.clone())).await;
    let mut client = page(&site).await;
    client.send(&said("m1", Some("ctx_1"), "go")).await;
    let (call, _) = asked(&mut client).await;
    client.send(&answer("r1", &call, json!("a word"))).await;
    while model.asked() == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    site.killed().await;
    let found = answered(&site, "m1").await;
    assert_eq!(found["content"]["errorCode"], "OUTCOME_UNCERTAIN", "{found}");
    let run = found["content"]["details"]["run"].as_str().unwrap().to_owned();
    (site, model, run)
}

/// The last answer to a message, once it is no refusal.
async fn answered_well(site: &Site, id: &str) -> Value {
    for _ in 0..200 {
        let all = messages(site).await;
        let mut answers = all.iter().filter(|one| one["metadata"]["inReplyTo"] == id);
        let is_answer =
            |one: &&Value| one["type"] == "MODEL_RESPONSE" && one["content"]["toolCalls"].is_null();
        if let Some(found) = answers.find(is_answer) {
            return found.clone();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no answer: {:?}", messages(site).await);
}

#[tokio::test]
async fn wa_3_uncertain_turn_goes_on_when_a_person_asks_and_survives_a_restart() {
    let (mut site, model, run) = killed_in_model_call().await;
    let mut client = page(&site).await;
    let project = Project::open(&site.path(""), Environment::default()).unwrap();
    let stored = durable::find(&project, &run).unwrap();
    durable::wish(&project, &stored).unwrap();
    let (_, request) = asked(&mut client).await;
    assert_eq!(model.asked(), 2, "the model is asked again");
    // It is a turn under way like any other: a second wish changes nothing, and a restart finds it.
    let path = format!("/v1/runs/{run}/resume");
    let (status, body) = site.http(&format!("POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")).await;
    assert_eq!(status, 409);
    assert!(body.to_string().contains("RUN_UNDER_WAY"), "{body}");
    parked().await;
    site.again().await;
    let (mut client, (call, again)) = back(&site).await;
    assert_eq!(again, request);
    client.send(&answer("r2", &call, json!(7))).await;
    let found = answered_well(&site, "m1").await;
    assert_eq!(found["metadata"]["value"], json!({ "said": "later", "again": 7 }), "{found}");
    assert_eq!((model.asked(), journals(&site)), (2, 0));
    // Whoever sends the message again gets the answer, and not the refusal that came first.
    let (status, repeated) = site.post(&said("m1", Some("ctx_1"), "go")).await;
    assert_eq!((status, &repeated["messageId"]), (200, &found["messageId"]), "{repeated}");
}

#[tokio::test]
async fn wa_3_settled_turn_is_kept_over_a_restart_until_a_person_goes_on_with_it() {
    let (mut site, _model, run) = killed_in_model_call().await;
    // What the server was killed in is an effect, not a model call.
    let file = site.path(&format!(".contexture/journals/{run}.jsonl"));
    let text = std::fs::read_to_string(&file).unwrap();
    let (head, last) = text.trim_end().rsplit_once('\n').unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    let digest = format!("sha256:{}", "0".repeat(64));
    let (seq, key) = (&last["seq"], &last["key"]);
    let effect =
        json!({ "v": 1, "seq": seq, "at_us": 0, "key": key, "call": "Web.post", "digest": digest });
    std::fs::write(&file, format!("{head}\n{effect}\n")).unwrap();
    let project = Project::open(&site.path(""), Environment::default()).unwrap();
    let stored = durable::find(&project, &run).unwrap();
    assert!(durable::wish(&project, &stored).is_err(), "it is in doubt");
    let done = durable::Settlement::Done(json!({ "status": 200 }));
    durable::settle(&project, &stored, key.as_str().unwrap(), done).unwrap();
    site.killed().await;
    assert_eq!(journals(&site), 1, "a person has said something of it, and not yet what to do");
    let project = Project::open(&site.path(""), Environment::default()).unwrap();
    let stored = durable::find(&project, &run).unwrap();
    assert!(durable::is_wished(&project, &run));
    durable::wish(&project, &stored).unwrap();
    let wish = site.path(&format!(".contexture/wishes/{run}.resume"));
    while wish.exists() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn wa_3_turn_that_nobody_can_resume_is_told_with_what_to_do() {
    let (site, _model, run) = killed_in_model_call().await;
    let project = Project::open(&site.path(""), Environment::default()).unwrap();
    durable::cancel(&project, &durable::find(&project, &run).unwrap()).unwrap();
    let refused = durable::wish(&project, &durable::find(&project, &run).unwrap()).unwrap_err();
    assert_eq!(refused.code, "run_ended");
    let help = "send its message to the server again, under a new messageId";
    assert_eq!(refused.help.as_deref(), Some(help));
}

#[tokio::test]
async fn wa_3_uncertain_turn_goes_on_over_http() {
    let (site, model, run) = killed_in_model_call().await;
    let mut client = page(&site).await;
    let post = |id: &str| {
        format!(
            "POST /v1/runs/{id}/resume HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        )
    };
    let (status, body) = site.http(&post(&run)).await;
    assert_eq!(status, 200, "{body}");
    let (call, _) = asked(&mut client).await;
    client.send(&answer("r2", &call, json!(7))).await;
    let found = answered_well(&site, "m1").await;
    assert_eq!(found["metadata"]["value"]["said"], "later");
    assert_eq!(model.asked(), 2);
    let (status, _) = site.http(&post(&run)).await;
    assert_eq!(status, 409, "nothing is left to go on with");
    let (status, _) = site.http(&post("none")).await;
    assert_eq!(status, 404);
}
