//! Effects in doubt of sets, which a person settles over HTTP (WA-4).

use crate::ws::client::{Client, message, said};
use crate::ws::sets::{instructions, of};
use crate::ws::site::{ECHO, Site, is_whole};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// A service of others that never answers its first request.
struct Alarm {
    address: String,
    keys: Arc<Mutex<Vec<String>>>,
}

impl Alarm {
    async fn listening() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let keys = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&keys);
        tokio::spawn(async move {
            let mut open = Vec::new();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = Vec::new();
                while !is_whole(&request) && stream.read_buf(&mut request).await.unwrap() > 0 {}
                let request = String::from_utf8(request).unwrap();
                let key = request.lines().find_map(|line| line.split_once("dempotency-key: "));
                let count = {
                    let mut keys = kept.lock().unwrap();
                    keys.push(key.unwrap().1.to_owned());
                    keys.len()
                };
                if count > 1 {
                    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 12\r\n\r\n";
                    let body = "{\"rings\": 2}";
                    stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
                }
                open.push(stream);
            }
        });
        Self { address, keys }
    }

    fn keys(&self) -> Vec<String> {
        self.keys.lock().unwrap().clone()
    }
}

/// A server that was killed while a step of a set was done. Returns the run of the set, which has ended.
async fn killed() -> (Site, Alarm, String) {
    let alarm = Alarm::listening().await;
    let address = &alarm.address;
    let config = format!(
        "[network]\nallow_private = [\"{address}\"]\n\
         [serve.tools]\nalarm = {{ http = \"http://{address}/alarm\" }}\n"
    );
    let mut site = Site::with(ECHO, &config, None).await;
    let mut client = Client::new(site.address).await;
    client.send(&sent()).await;
    while alarm.keys().is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    site.killed().await;
    let answer = answers(&site, 1).await.remove(0);
    assert_eq!(outcomes(&answer), [("before", ""), ("ring", "OUTCOME_UNCERTAIN"), ("after", "")]);
    assert_eq!(answer["content"]["results"][2]["status"], "SKIPPED");
    let run = answer["metadata"]["run"].as_str().unwrap().to_owned();
    (site, alarm, run)
}

fn sent() -> Value {
    let set = json!({ "executionMode": "SEQUENTIAL", "instructions": [
        { "instructionId": "before", "action": "echo", "parameters": { "n": 1 } },
        { "instructionId": "ring", "action": "alarm", "parameters": { "门": 7 },
          "dependencies": ["before"] },
        { "instructionId": "after", "action": "echo",
          "parameters": { "rings": "${results.ring.result.rings}" }, "dependencies": ["ring"] },
    ] });
    instructions("i1", set)
}

/// The answers to the set, as soon as there are so many.
async fn answers(site: &Site, count: usize) -> Vec<Value> {
    for _ in 0..400 {
        let stored = site.get("/v1/contexts/ctx_1/messages").await;
        let stored = stored["messages"].as_array().unwrap().clone();
        let is_answer = |message: &Value| message["type"] == "INSTRUCTION_RESPONSE";
        let found: Vec<Value> = stored.into_iter().filter(is_answer).collect();
        if found.len() >= count {
            assert_eq!(found.len(), count, "{found:#?}");
            return found;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no answer {count}: {}", site.get("/v1/contexts/ctx_1/messages").await);
}

/// Each step with the code of its error.
fn outcomes(answer: &Value) -> Vec<(&str, &str)> {
    let results = answer["content"]["results"].as_array().unwrap().iter();
    results
        .map(|one| {
            let code = one["error"]["code"].as_str().unwrap_or_default();
            (one["instructionId"].as_str().unwrap(), code)
        })
        .collect()
}

async fn settle(site: &Site, run: &str, body: &Value) -> (u16, Value) {
    let (status, told) = site.ask("POST", &format!("/v1/flows/{run}/settle"), body).await;
    (status, serde_json::from_str(&told).unwrap())
}

#[tokio::test]
async fn wa_4_step_of_set_that_was_not_done_is_done_again_and_set_goes_on() {
    let (site, alarm, run) = killed().await;
    let again = json!({ "call": "ring", "outcome": "again" });
    let (status, told) = settle(&site, &run, &again).await;
    assert_eq!((status, &told), (200, &json!({ "run": run, "inDoubt": [] })));
    let second = answers(&site, 2).await.remove(1);
    assert_eq!(second["content"]["status"], "COMPLETED", "{second:#}");
    assert_eq!(second["content"]["results"][2]["result"], json!({ "rings": 2 }));
    let keys = alarm.keys();
    assert_eq!(
        (keys.len(), &keys[0]),
        (2, &keys[1]),
        "the other side can tell that it is the same"
    );
    let flow = site.get(&format!("/v1/flows/{run}")).await;
    assert_eq!((&flow["status"], &flow["done"]), (&json!("COMPLETED"), &json!(3)), "{flow:#}");
    // Whoever sends the set again gets the newer answer.
    let mut client = Client::new(site.address).await;
    client.send(&sent()).await;
    let repeated = of(&mut client, "INSTRUCTION_RESPONSE", "i1").await;
    assert_eq!(repeated["messageId"], second["messageId"]);
    // Nothing of it is in doubt any more.
    let (status, refused) = settle(&site, &run, &again).await;
    assert_eq!(
        (status, &refused["content"]["errorCode"]),
        (404, &json!("UNKNOWN_ID")),
        "{refused}"
    );
}

#[tokio::test]
async fn wa_4_step_of_set_that_was_done_has_the_result_that_a_person_gives() {
    let (mut site, alarm, run) = killed().await;
    let done = json!({ "call": "ring", "outcome": "done", "result": { "rings": "一" } });
    assert_eq!(settle(&site, &run, &done).await.0, 200);
    let second = answers(&site, 2).await.remove(1);
    assert_eq!(second["content"]["results"][2]["result"], json!({ "rings": "一" }), "{second:#}");
    assert_eq!(alarm.keys().len(), 1, "it is not done again");
    site.killed().await;
    assert_eq!(answers(&site, 2).await.len(), 2, "the next server has nothing to add");
}

#[tokio::test]
async fn wa_4_settlement_with_mistakes_is_refused_and_changes_nothing() {
    let (site, alarm, run) = killed().await;
    for (body, wanted) in [
        (json!({ "outcome": "again" }), 422),
        (json!({ "call": "ring" }), 422),
        (json!({ "call": "ring", "outcome": "maybe" }), 422),
        (json!({ "call": "ring", "outcome": "done" }), 422),
        (json!({ "call": "ring", "outcome": "again", "result": 1 }), 422),
        (json!({ "call": "ring", "outcome": "again", "more": 1 }), 422),
        (json!({ "call": "after", "outcome": "again" }), 404),
        (json!({ "call": "no", "outcome": "failed" }), 404),
    ] {
        let (status, refused) = settle(&site, &run, &body).await;
        assert_eq!(status, wanted, "{body}: {refused}");
    }
    assert_eq!(settle(&site, "none", &json!({ "call": "a", "outcome": "again" })).await.0, 404);
    let failed = json!({ "call": "ring", "outcome": "failed" });
    assert_eq!(settle(&site, &run, &failed).await.0, 200);
    assert_eq!((answers(&site, 1).await.len(), alarm.keys().len()), (1, 1));
    assert_eq!(site.get(&format!("/v1/flows/{run}")).await["status"], "FAILED");
}

/// Asks a client, so that its run has a journal, and rings then.
fn ringing(address: &str) -> String {
    format!(
        r#"
import tool Page from "frontend://pick"
import tool Web from "http://{address}"

main func(input {{ text string }}) {{
  picked = Page.run({{ what: input.text }})
  rung = try {{ Web.post({{ url: "/alarm", body: {{ 门: 7 }} }}) }} else err {{ {{ failed: err.code }} }}
  return {{ picked: picked, rung: rung }}
}}
"#
    )
}

/// A server that was killed while a turn rang. Returns the run of the turn, which has ended, and its call.
async fn killed_in_turn() -> (Site, Alarm, String, String) {
    let alarm = Alarm::listening().await;
    let address = &alarm.address;
    let config = format!("[network]\nallow_private = [\"{address}\"]\n");
    let mut site = Site::with(&ringing(address), &config, None).await;
    let mut client = Client::new(site.address).await;
    let parameters = json!({ "type": "object", "properties": { "what": { "type": "string" } } });
    let tool = json!({ "toolId": "pick", "runtime": "FRONTEND", "parameters": parameters });
    let tools = json!({ "clientId": "page_1", "supportedTools": [tool] });
    let announced = client.ask(&message("CLIENT_CAPABILITIES", "a1", None, tools)).await;
    assert_eq!(announced["type"], "ACK");
    client.send(&said("m1", Some("ctx_1"), "ring")).await;
    let asked = loop {
        let message = client.message().await;
        if message["type"] == "TOOL_CALL_REQUEST" {
            break message;
        }
    };
    let result = json!({ "callId": asked["content"]["calls"][0]["callId"], "status": "SUCCESS", "result": 1 });
    let content = json!({ "results": [result] });
    client.send(&message("TOOL_CALL_RESPONSE", "r1", Some("ctx_1"), content)).await;
    while alarm.keys().is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    site.killed().await;
    let refused = turn_answer(&site, "ERROR_RESPONSE").await;
    assert_eq!(refused["content"]["errorCode"], "OUTCOME_UNCERTAIN", "{refused}");
    let run = refused["content"]["details"]["run"].as_str().unwrap().to_owned();
    let (status, told) = site.ask("POST", &format!("/v1/runs/{run}/resume"), &json!({})).await;
    assert_eq!(status, 409, "{told}");
    let told: Value = serde_json::from_str(&told).unwrap();
    let call = told["content"]["details"]["calls"][0].as_str().unwrap().to_owned();
    (site, alarm, run, call)
}

/// The first answer of a type to the turn, as soon as there is one.
async fn turn_answer(site: &Site, kind: &str) -> Value {
    for _ in 0..400 {
        let stored = site.get("/v1/contexts/ctx_1/messages").await;
        let is_meant = |one: &&Value| {
            one["type"] == kind
                && one["metadata"]["inReplyTo"] == "m1"
                && one["content"]["toolCalls"].is_null()
        };
        if let Some(found) = stored["messages"].as_array().unwrap().iter().find(is_meant) {
            return found.clone();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no {kind}: {}", site.get("/v1/contexts/ctx_1/messages").await);
}

async fn settle_run(site: &Site, run: &str, body: &Value) -> (u16, Value) {
    let (status, told) = site.ask("POST", &format!("/v1/runs/{run}/settle"), body).await;
    (status, serde_json::from_str(&told).unwrap())
}

#[tokio::test]
async fn wa_4_call_of_turn_that_was_done_is_not_done_again_and_turn_goes_on_with_its_result() {
    let (site, alarm, run, call) = killed_in_turn().await;
    for (body, status) in [
        (json!({ "call": "none", "outcome": "again" }), 404),
        (json!({ "call": call, "outcome": "done" }), 422),
        (json!({ "call": call, "outcome": "failed", "result": 1 }), 422),
        (json!({ "call": call, "outcome": "maybe" }), 422),
        (json!({ "outcome": "again" }), 422),
    ] {
        assert_eq!(settle_run(&site, &run, &body).await.0, status, "{body}");
    }
    let done = json!({ "call": call, "outcome": "done", "result": { "rings": 1 } });
    assert_eq!(settle_run(&site, "none", &done).await.0, 404);
    let (status, told) = settle_run(&site, &run, &done).await;
    assert_eq!((status, &told), (200, &json!({ "run": run, "inDoubt": [] })));
    let answer = turn_answer(&site, "MODEL_RESPONSE").await;
    let value = json!({ "picked": 1, "rung": { "rings": 1 } });
    assert_eq!(answer["metadata"]["value"], value, "{answer}");
    assert_eq!(alarm.keys().len(), 1, "it is not done again");
    let (status, late) = settle_run(&site, &run, &done).await;
    assert!(status == 404 || status == 409, "it has its answer: {status} {late}");
}

#[tokio::test]
async fn wa_4_call_of_turn_that_was_not_done_is_done_again_under_its_key() {
    let (site, alarm, run, call) = killed_in_turn().await;
    let again = json!({ "call": call, "outcome": "again" });
    assert_eq!(settle_run(&site, &run, &again).await.0, 200);
    let answer = turn_answer(&site, "MODEL_RESPONSE").await;
    assert!(answer["metadata"]["value"]["rung"].to_string().contains("rings"), "{answer}");
    let keys = alarm.keys();
    assert_eq!(
        (keys.len(), &keys[0]),
        (2, &keys[1]),
        "the other side can tell that it is the same"
    );
}

#[tokio::test]
async fn wa_4_call_of_turn_that_failed_is_an_error_in_its_program() {
    let (site, alarm, run, call) = killed_in_turn().await;
    let failed = json!({ "call": call, "outcome": "failed" });
    assert_eq!(settle_run(&site, &run, &failed).await.0, 200);
    let answer = turn_answer(&site, "MODEL_RESPONSE").await;
    assert!(answer["metadata"]["value"]["rung"]["failed"].is_string(), "{answer}");
    assert_eq!(alarm.keys().len(), 1);
}
