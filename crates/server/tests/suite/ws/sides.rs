//! Both sides of a set: front-end tools of a client and actions of the server, in every mode
//! (FL-1, 4.6.1, 4.6.2, CP-14).

use crate::ws::client::{Client, message};
use crate::ws::sets::{calls, instructions, of};
use crate::ws::site::{ECHO, Site};
use contexture::flow::action::{ActionInfo, ActionKind};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

/// The example of 4.6.1.
fn chain() -> Value {
    json!({
        "toolCalls": [
            {
                "callId": "call_frontend_201",
                "name": "file_picker",
                "runtime": "FRONTEND",
                "parameters": { "accept": ".jpg,.png", "multiple": false },
            },
            {
                "callId": "call_backend_202",
                "name": "image_analyze",
                "parameters": {
                    "imageData": "${results.call_frontend_201.result.fileData}",
                    "analyzeType": "object_detection",
                },
                "requiredAfter": ["call_frontend_201"],
            },
            {
                "callId": "call_frontend_203",
                "name": "display_overlay",
                "runtime": "FRONTEND",
                "parameters": {
                    "sourceImageId": "${results.call_frontend_201.result.fileId}",
                    "overlayData": "${results.call_backend_202.result.detections}",
                    "style": "bounding_boxes",
                },
                "requiredAfter": ["call_backend_202"],
            },
        ],
        "executionMode": "SEQUENTIAL",
        "timeout": 60,
    })
}

pub fn announce(tools: &[&str]) -> Value {
    let tool = |id: &&str| {
        json!({ "toolId": id, "name": id, "version": "1.0.0", "runtime": "FRONTEND", "class": "read",
                "parameters": { "type": "object" } })
    };
    let tools: Vec<_> = tools.iter().map(tool).collect();
    message(
        "CLIENT_CAPABILITIES",
        "announce",
        None,
        json!({ "clientId": "cli_1", "deviceType": "desktop", "supportedTools": tools }),
    )
}

/// Answers calls of front-end tools until the request has its response; the calls and the response.
pub async fn served(
    client: &mut Client,
    request: &str,
    mut run: impl FnMut(&Value) -> Value,
) -> (Vec<Value>, Value) {
    let mut asked = Vec::new();
    loop {
        let came = client.message().await;
        let about = came["metadata"]["inReplyTo"] == request;
        match came["type"].as_str().unwrap() {
            "TOOL_CALL_REQUEST" => {
                assert!(about, "{came}");
                let call = came["content"]["calls"][0].clone();
                let mut result = json!({ "callId": call["callId"], "executionTime": 7,
                    "clientInfo": { "deviceType": "desktop" } });
                let given = run(&call);
                result.as_object_mut().unwrap().extend(given.as_object().unwrap().clone());
                let id = format!("answer_{}", asked.len());
                let mut answer = message(
                    "TOOL_CALL_RESPONSE",
                    &id,
                    Some("ctx_1"),
                    json!({ "results": [result] }),
                );
                answer["sender"]["type"] = "TOOL".into();
                answer["metadata"] = json!({ "inReplyTo": came["messageId"] });
                client.send(&answer).await;
                asked.push(call);
            }
            "TOOL_CALL_RESPONSE" | "INSTRUCTION_RESPONSE" | "ERROR_RESPONSE" if about => {
                return (asked, came);
            }
            _ => {}
        }
    }
}

pub fn ok(value: Value) -> Value {
    json!({ "status": "SUCCESS", "result": value })
}

/// A server whose program can analyse images, with its actions allowed.
async fn site(seen: &Arc<Mutex<Vec<String>>>) -> Site {
    let seen = Arc::clone(seen);
    Site::set_up(ECHO, move |settings| {
        settings.project.config.serve.actions = vec!["image_*".to_owned()];
        let info = ActionInfo::of(ActionKind::Analysis);
        settings.actions.add("image_analyze", info.clone(), |call| async move {
            assert_eq!(call.parameters["analyzeType"], "object_detection");
            let size = call.parameters["imageData"].as_str().map_or(0, str::len);
            Ok(json!({ "detections": [{ "label": "cat", "box": [0, 0, size, size] }] }))
        });
        settings.actions.add("image_note", info, move |call| {
            seen.lock().unwrap().push(call.id.clone());
            async move { Ok(Value::Object(call.parameters)) }
        });
    })
    .await
}

#[tokio::test]
async fn fl_1_picker_analysis_overlay_chain_runs_on_both_sides() {
    let site = site(&Arc::default()).await;
    let mut client = Client::new(site.address).await;
    client.ask(&announce(&["file_picker", "display_overlay"])).await;
    client.send(&calls("r1", chain())).await;
    let (asked, answer) = served(&mut client, "r1", |call| match call["name"].as_str().unwrap() {
        "file_picker" => ok(json!({ "fileId": "file_7", "fileData": "aGVsbG8=" })),
        _ => ok(json!({ "shown": call["parameters"]["overlayData"].as_array().unwrap().len() })),
    })
    .await;
    assert_eq!(answer["type"], "TOOL_CALL_RESPONSE", "{answer:#}");
    let names: Vec<_> = asked.iter().map(|call| call["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["file_picker", "display_overlay"]);
    assert_eq!(asked[0]["callId"], "call_frontend_201");
    assert_eq!(asked[0]["parameters"], json!({ "accept": ".jpg,.png", "multiple": false }));
    let detections = json!([{ "label": "cat", "box": [0, 0, 8, 8] }]);
    assert_eq!(
        asked[1]["parameters"],
        json!({ "sourceImageId": "file_7", "overlayData": detections, "style": "bounding_boxes" })
    );
    let results = &answer["content"]["results"];
    let ids: Vec<_> = results.as_array().unwrap().iter().map(|one| &one["callId"]).collect();
    assert_eq!(ids, ["call_frontend_201", "call_backend_202", "call_frontend_203"]);
    assert_eq!(results[1]["result"]["detections"], detections);
    assert_eq!(results[2]["result"], json!({ "shown": 1 }));
    assert_eq!(results[0]["clientInfo"], json!({ "deviceType": "desktop" }));
    assert_eq!(results[0]["executionTime"], 7);
    assert_eq!(answer["sender"]["id"], "system", "both sides ran it");
}

#[tokio::test]
async fn fl_1_chain_stops_when_user_refuses() {
    let site = site(&Arc::default()).await;
    let mut client = Client::new(site.address).await;
    client.ask(&announce(&["file_picker", "display_overlay"])).await;
    client.send(&calls("r1", chain())).await;
    let denied = json!({ "status": "ERROR",
        "error": { "code": "PERMISSION_DENIED", "message": "The user said no." } });
    let (asked, answer) = served(&mut client, "r1", |_| denied.clone()).await;
    assert_eq!(asked.len(), 1);
    let results = &answer["content"]["results"];
    assert_eq!(results[0]["error"]["code"], "PERMISSION_DENIED");
    assert_eq!(results[1]["error"]["code"], "DEPENDENCY_FAILED");
    assert_eq!(results[2]["status"], "ERROR");
    // An alternative may be an action of the server.
    let request = json!({ "calls": [
        { "callId": "pick", "name": "file_picker", "runtime": "FRONTEND", "parameters": {},
          "fallbackBehavior": "USE_ALTERNATIVE",
          "alternative": { "name": "echo", "parameters": { "fileId": "none" } } },
        { "callId": "skip", "name": "display_overlay", "runtime": "FRONTEND", "parameters": {},
          "fallbackBehavior": "SKIP" },
        { "callId": "next", "name": "echo", "parameters": { "n": 1 } },
    ] });
    client.send(&calls("r2", request)).await;
    let (asked, answer) = served(&mut client, "r2", |_| denied.clone()).await;
    assert_eq!(asked.len(), 2);
    let results = &answer["content"]["results"];
    assert_eq!(results[0]["result"], json!({ "fileId": "none" }), "{answer:#}");
    assert_eq!(results[1]["error"]["code"], "PERMISSION_DENIED");
    assert_eq!(results[2]["status"], "SUCCESS");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fl_1_sides_run_in_sequence_or_in_parallel() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let site = site(&seen).await;
    let mut client = Client::new(site.address).await;
    client.ask(&announce(&["tool"])).await;
    let request = |mode: &str| {
        json!({ "executionMode": mode, "frontendTimeout": 20, "backendTimeout": 20, "calls": [
            { "callId": "b1", "name": "image_note", "parameters": {} },
            { "callId": "f1", "name": "tool", "runtime": "FRONTEND", "parameters": {} },
            { "callId": "b2", "name": "image_note", "parameters": {} },
            { "callId": "f2", "name": "tool", "runtime": "FRONTEND", "parameters": {} },
        ] })
    };
    for (mode, expected) in
        [("FRONTEND_FIRST", ["f1", "f2", "b1", "b2"]), ("BACKEND_FIRST", ["b1", "b2", "f1", "f2"])]
    {
        client.send(&calls(mode, request(mode))).await;
        let order = Arc::clone(&seen);
        let (_, answer) = served(&mut client, mode, move |call| {
            order.lock().unwrap().push(call["callId"].as_str().unwrap().to_owned());
            ok(Value::Null)
        })
        .await;
        let results = answer["content"]["results"].as_array().unwrap();
        assert!(results.iter().all(|one| one["status"] == "SUCCESS"), "{answer:#}");
        assert_eq!(std::mem::take(&mut *seen.lock().unwrap()), expected, "{mode}");
    }
    client.send(&calls("both", request("CLIENT_SERVER_PARALLEL"))).await;
    let back = Arc::clone(&seen);
    let (asked, _) = served(&mut client, "both", move |_| {
        // The other side does not wait for this one.
        for _ in 0..200 {
            if back.lock().unwrap().len() == 2 {
                return ok(Value::Null);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the server's side waits for the client's");
    })
    .await;
    assert_eq!(asked.len(), 2);
    assert_eq!(*seen.lock().unwrap(), ["b1", "b2"]);
}

#[tokio::test]
async fn fl_1_timeout_of_one_side_does_not_end_other() {
    let site = site(&Arc::default()).await;
    let mut client = Client::new(site.address).await;
    client.ask(&announce(&["tool"])).await;
    let request = json!({ "executionMode": "CLIENT_SERVER_PARALLEL", "frontendTimeout": 0.3, "calls": [
        { "callId": "f1", "name": "tool", "runtime": "FRONTEND", "parameters": {} },
        { "callId": "b1", "name": "sleep", "parameters": { "ms": 700 } },
    ] });
    client.send(&calls("r1", request)).await;
    let answer = of(&mut client, "TOOL_CALL_RESPONSE", "r1").await;
    let results = &answer["content"]["results"];
    assert_eq!(results[0]["status"], "TIMEOUT");
    assert_eq!(results[1]["status"], "SUCCESS");
}

#[tokio::test]
async fn fl_1_instructions_call_front_end_tools_by_name() {
    let site = site(&Arc::default()).await;
    let mut client = Client::new(site.address).await;
    client.ask(&announce(&["tool"])).await;
    let set = json!({ "instructions": [
        { "instructionId": "a", "action": "tool", "parameters": { "n": 1 } },
        { "instructionId": "b", "action": "echo", "dependencies": ["a"],
          "parameters": { "got": "${results.a.result}" } },
    ] });
    client.send(&instructions("i1", set)).await;
    let (asked, answer) = served(&mut client, "i1", |call| ok(call["parameters"].clone())).await;
    assert_eq!((asked.len(), &asked[0]["callId"]), (1, &json!("a")));
    let results = &answer["content"]["results"];
    assert_eq!(results[1]["result"], json!({ "got": { "n": 1 } }), "{answer:#}");
    // Without the tool, the set is refused before anything runs.
    client.ask(&announce(&[])).await;
    let set = json!({ "instructions": [{ "instructionId": "a", "action": "tool" }] });
    client.send(&instructions("i2", set)).await;
    let refused = of(&mut client, "ERROR_RESPONSE", "i2").await;
    assert_eq!(refused["content"]["errorCode"], "UNKNOWN_ACTION");
}

#[tokio::test]
async fn cp_19_announcing_server_action_grants_nothing() {
    let site = site(&Arc::default()).await;
    let mut client = Client::new(site.address).await;
    client.ask(&announce(&["file_read", "agent:app", "RUN_INSTRUCTIONS"])).await;
    for (id, action) in [("i1", "file_read"), ("i2", "agent:app"), ("i3", "RUN_INSTRUCTIONS")] {
        let set = json!({ "instructions": [
            { "instructionId": "a", "action": action, "parameters": { "path": "contexture.toml" } },
        ] });
        client.send(&instructions(id, set)).await;
        let refused = of(&mut client, "ERROR_RESPONSE", id).await;
        assert_eq!(refused["content"]["errorCode"], "PERMISSION_DENIED", "{refused}");
    }
    let call = json!({ "calls": [{ "callId": "a", "name": "echo", "parameters": {},
        "fallbackBehavior": "USE_ALTERNATIVE", "alternative": { "name": "file_read" } }] });
    client.send(&calls("r1", call)).await;
    let refused = of(&mut client, "ERROR_RESPONSE", "r1").await;
    assert_eq!(refused["content"]["errorCode"], "PERMISSION_DENIED", "{refused}");
}
