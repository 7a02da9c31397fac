//! The record of a run over HTTP, to which each answer leads (CA-13).

use crate::serve::{Place, Running, refused, said, served};
use contexture_server::serve::tokens::{NewToken, Scope};
use serde_json::{Value, json};

/// Reads a file that is not there when asked to fail.
const AGENT: &str = r#"
import tool File from "file://workspace"

main func(input { text string }) {
  if input.text == "fail" { return File.read({ path: "private/notes.txt" }) }
  { said: input.text }
}
"#;

fn run_of(answer: &Value) -> String {
    let run = answer.pointer("/metadata/run").or(answer.pointer("/content/details/run"));
    run.and_then(Value::as_str).unwrap_or_else(|| panic!("{answer:#}")).to_owned()
}

fn with_tokens() -> (Place, Running, [String; 3]) {
    let place = Place::new("[serve]\nrequire_token = true\n");
    place.write("echo.as", AGENT);
    let scopes = vec![Scope::Read, Scope::Inspect];
    let tokens = [
        place.token(NewToken::new("ann")),
        place.token(NewToken::new("bob")),
        place.token(NewToken { scopes, ..NewToken::new("operator") }),
    ];
    let running = place.start();
    (place, running, tokens)
}

#[test]
fn ca_13_record_on_local_server_has_the_run_with_its_events() {
    let (_place, running) = served();
    let http = running.http();
    let answer = http.post(&said("m1", None, "hello")).json();
    let run = run_of(&answer);
    let record = http.get(&format!("/v1/runs/{run}"));
    assert_eq!(record.status, 200, "{record:?}");
    let record = record.json();
    assert_eq!((&record["run"], &record["outcome"]), (&run.into(), &"done".into()));
    assert_eq!(record["program"], "echo.as");
    assert_eq!(record["events"][0]["kind"], "run", "{record:#}");
}

#[test]
fn ca_13_record_is_seen_by_its_owner_and_who_may_inspect_and_by_nobody_else() {
    let (_place, running, [ann, bob, operator]) = with_tokens();
    let (ann, bob) = (running.http_as(&ann), running.http_as(&bob));
    let operator = running.http_as(&operator);
    let run = run_of(&ann.post(&said("m1", Some("ctx_a"), "hello")).json());
    // Another owner has a context of the same name.
    bob.post(&said("m1", Some("ctx_a"), "hello"));
    let path = format!("/v1/runs/{run}");
    let own = ann.get(&path).json();
    assert_eq!((&own["outcome"], &own["program"]), (&"done".into(), &"echo".into()), "{own:#}");
    assert_eq!(own["events"], Value::Null);
    refused(&bob.get(&path), 404, "UNKNOWN_ID");
    assert!(operator.get(&path).json()["events"].is_array());
    for path in ["/v1/runs/none", "/v1/runs/..%2F..%2Fx", "/v1/runs/%00"] {
        refused(&operator.get(path), 404, "UNKNOWN_ID");
    }
    assert_eq!(running.http().get(&path).status, 401);
}

#[test]
fn ca_10_record_of_failed_run_tells_its_owner_no_path_and_the_operator_the_reason() {
    let (_place, running, [ann, _, operator]) = with_tokens();
    let ann = running.http_as(&ann);
    let run = run_of(&ann.post(&said("m1", None, "fail")).json());
    let path = format!("/v1/runs/{run}");
    let own = ann.get(&path);
    assert_eq!(own.json()["outcome"], "failed", "{own:?}");
    assert!(own.json()["error"]["code"].is_string() && !own.body.contains("notes.txt"), "{own:?}");
    let whole = running.http_as(&operator).get(&path);
    assert!(whole.json()["error"]["message"].to_string().contains("notes.txt"), "{whole:?}");
}

#[test]
fn wa_7_runs_are_listed_newest_first_to_owner_and_all_to_who_may_inspect() {
    let (_place, running, [ann, bob, operator]) = with_tokens();
    let (ann, bob) = (running.http_as(&ann), running.http_as(&bob));
    let operator = running.http_as(&operator);
    let ids: Vec<String> = ["hello", "fail", "bye"]
        .iter()
        .enumerate()
        .map(|(n, text)| run_of(&ann.post(&said(&format!("m{n}"), Some("ctx_a"), text)).json()))
        .collect();
    bob.post(&said("m1", Some("ctx_b"), "hello"));
    let page = ann.get("/v1/runs?limit=2").json();
    let runs = page["runs"].as_array().unwrap();
    assert_eq!(
        (&runs[0]["run"], &runs[1]["run"]),
        (&ids[2].clone().into(), &ids[1].clone().into())
    );
    assert_eq!((&runs[0]["state"], &runs[1]["state"]), (&"COMPLETED".into(), &"FAILED".into()));
    assert_eq!(runs[0]["program"], "echo", "without its path");
    let next = page["next"].as_str().unwrap();
    let rest = ann.get(&format!("/v1/runs?limit=2&after={next}")).json();
    assert_eq!(rest["runs"][0]["run"], ids[0]);
    assert_eq!((rest["runs"].as_array().unwrap().len(), &rest["next"]), (1, &Value::Null));
    let failed = ann.get("/v1/runs?failed=true").json();
    assert_eq!(failed["runs"].as_array().unwrap().len(), 1);
    assert_eq!(operator.get("/v1/runs").json()["runs"].as_array().unwrap().len(), 4);
    refused(&ann.get("/v1/runs?limit=0"), 422, "VALIDATION_FAILED");
    refused(&ann.get("/v1/runs?failed=1"), 422, "VALIDATION_FAILED");
}

#[test]
fn wa_7_list_from_unknown_place_is_refused() {
    let (_place, running, [ann, bob, operator]) = with_tokens();
    let (ann, bob) = (running.http_as(&ann), running.http_as(&bob));
    let operator = running.http_as(&operator);
    let run = run_of(&ann.post(&said("m1", Some("ctx_a"), "hello")).json());
    let steps = json!([{ "instructionId": "a", "action": "echo", "parameters": {} }]);
    ann.post(&set("m2", steps));
    let flow = ann.get("/v1/flows").json()["flows"][0]["run"].as_str().unwrap().to_owned();
    for path in
        ["/v1/runs", "/v1/flows", "/v1/contexts", "/v1/contexts/ctx_a/messages", "/v1/waits"]
    {
        for after in ["unknown", "UNKNOWN", "", "-1", "%00", "..%2Fx"] {
            let answer = ann.get(&format!("{path}?after={after}"));
            let content = refused(&answer, 422, "VALIDATION_FAILED");
            assert_eq!(
                content["details"]["violations"][0]["pointer"]
                    .as_str()
                    .map(|at| at.trim_start_matches('?')),
                Some("after"),
                "{path} {after}: {content}"
            );
        }
    }
    refused(&ann.get("/v1/contexts/ctx_a/messages?before=x"), 422, "VALIDATION_FAILED");
    // A place of another owner is as unknown as one that never was.
    for (path, id) in [("/v1/runs", run), ("/v1/flows", flow)] {
        let path = format!("{path}?after={id}");
        assert_eq!((ann.get(&path).status, operator.get(&path).status), (200, 200));
        refused(&bob.get(&path), 422, "VALIDATION_FAILED");
    }
}

#[test]
fn wa_7_run_that_ended_or_is_not_seen_is_not_cancelled() {
    let (_place, running, [ann, bob, operator]) = with_tokens();
    let (ann, bob) = (running.http_as(&ann), running.http_as(&bob));
    let run = run_of(&ann.post(&said("m1", Some("ctx_a"), "hello")).json());
    let path = format!("/v1/runs/{run}/cancel");
    refused(&ann.send("POST", &path, None), 409, "UNKNOWN_ID");
    refused(&bob.send("POST", &path, None), 404, "UNKNOWN_ID");
    refused(&ann.send("POST", "/v1/runs/none/cancel", None), 404, "UNKNOWN_ID");
    refused(&running.http_as(&operator).send("POST", &path, None), 403, "PERMISSION_DENIED");
    assert_eq!(ann.get(&path).status, 405);
}

fn set(id: &str, steps: Value) -> Value {
    crate::serve::message(id, Some("ctx_a"), "INSTRUCTION", json!({ "instructions": steps }))
}

#[test]
fn wa_7_flows_are_listed_and_shown_to_their_owner() {
    let (_place, running, [ann, bob, operator]) = with_tokens();
    let (ann, bob) = (running.http_as(&ann), running.http_as(&bob));
    let operator = running.http_as(&operator);
    for id in ["m1", "m2"] {
        let steps = json!([{ "instructionId": "sum", "action": "calculator",
            "parameters": { "expression": "2+3" } }]);
        assert_eq!(ann.post(&set(id, steps)).status, 200);
    }
    let page = ann.get("/v1/flows?limit=1").json();
    let flow = &page["flows"][0];
    assert_eq!((&flow["name"], &flow["status"]), (&"m2".into(), &"COMPLETED".into()), "{page:#}");
    assert_eq!(flow["owner"], Value::Null);
    let rest = ann.get(&format!("/v1/flows?after={}", page["next"].as_str().unwrap())).json();
    assert_eq!((&rest["flows"][0]["name"], &rest["next"]), (&"m1".into(), &Value::Null));
    let path = format!("/v1/flows/{}", flow["run"].as_str().unwrap());
    let shown = ann.get(&path).json();
    assert_eq!(shown["results"]["sum"]["result"]["value"], 5, "{shown:#}");
    assert_eq!(
        (&shown["order"], &shown["events"][0]["event"]),
        (&json!(["sum"]), &"STARTED".into())
    );
    refused(&bob.get(&path), 404, "UNKNOWN_ID");
    assert_eq!(bob.get("/v1/flows").json()["flows"], json!([]));
    assert_eq!(operator.get("/v1/flows").json()["flows"][0]["owner"], "ann");
    assert_eq!(ann.get("/v1/flows?unfinished=true").json()["flows"], json!([]));
    refused(&ann.send("POST", &format!("{path}/cancel"), Some("{}")), 409, "UNKNOWN_ID");
    refused(&ann.send("POST", &format!("{path}/explode"), Some("{}")), 404, "UNKNOWN_ID");
    refused(&ann.send("POST", "/v1/flows/%FF/cancel", Some("{}")), 400, "PARSE_ERROR");
}

#[test]
fn wa_7_flow_that_runs_is_cancelled_over_http_by_its_owner_alone() {
    let (_place, running, [ann, bob, _]) = with_tokens();
    let (ann_token, ann, bob) = (ann.clone(), running.http_as(&ann), running.http_as(&bob));
    let steps = json!([{ "instructionId": "nap", "action": "sleep",
        "parameters": { "ms": 60_000 } }]);
    let sending = running.http_as(&ann_token);
    let sent = std::thread::spawn(move || sending.post(&set("m1", steps)).json());
    let mut run = String::new();
    crate::serve::until("the flow runs", || {
        let flows = ann.get("/v1/flows?unfinished=true").json();
        run = flows["flows"][0]["run"].as_str().unwrap_or_default().to_owned();
        flows["flows"][0]["status"] == "RUNNING"
    });
    let path = format!("/v1/flows/{run}");
    refused(&bob.send("POST", &format!("{path}/cancel"), Some("{}")), 404, "UNKNOWN_ID");
    assert_eq!(ann.send("POST", &format!("{path}/pause"), Some("{}")).status, 200);
    crate::serve::until("it is paused", || ann.get(&path).json()["status"] == "PAUSED");
    assert_eq!(ann.send("POST", &format!("{path}/resume"), Some("{}")).status, 200);
    assert_eq!(ann.send("POST", &format!("{path}/cancel"), Some("{}")).status, 200);
    let answer = sent.join().unwrap();
    assert!(answer["content"].to_string().contains("\"CANCELLED\""), "{answer:#}");
    let ended = ann.get(&path).json();
    assert_eq!(ended["results"]["nap"]["error"]["code"], "CANCELLED", "{ended}");
}

#[test]
fn wa_7_what_can_be_called_is_listed_with_schemas() {
    let place = Place::new(
        "[serve]\nactions = [\"file_read\"]\n[serve.tools]\n\
         files = { action = \"file_list\" }\n\
         report = { action = \"file_read\", kind = \"action\" }\n",
    );
    let running = place.start();
    let listed = |path: &str, field: &str| {
        let all = running.http().get(path).json();
        all[field].as_array().unwrap_or_else(|| panic!("{all:#}")).clone()
    };
    let names = |all: &[Value]| -> Vec<String> {
        all.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    let (tools, actions) = (listed("/v1/tools", "tools"), listed("/v1/actions", "actions"));
    let calculator = tools.iter().find(|one| one["name"] == "calculator").unwrap();
    assert_eq!((&calculator["class"], &calculator["runtime"]), (&"read".into(), &"BACKEND".into()));
    assert_eq!(calculator["parameters"]["properties"]["expression"]["type"], "string");
    assert!(names(&tools).contains(&"file_read".to_owned()), "{tools:#?}");
    assert!(!names(&tools).contains(&"file_write".to_owned()), "it is not allowed");
    assert!(names(&tools).contains(&"files".to_owned()));
    assert!(!names(&tools).contains(&"report".to_owned()), "it is for instructions");
    assert!(names(&actions).contains(&"report".to_owned()));
    let asked = crate::serve::message("l1", None, "TOOL_LIST_REQUEST", json!({}));
    let answer = running.http().post(&asked).json();
    assert_eq!(answer["type"], "TOOL_LIST_RESPONSE", "{answer}");
    assert_eq!(answer["content"], json!({ "tools": tools, "actions": actions }));
}

#[test]
fn gr_1_turns_of_server_share_the_open_file_of_larger_texts() {
    let (place, running) = served();
    let http = running.http();
    // What is open of the file has a log beside it, which goes when the last one closes it.
    let log = place.path().join(".contexture/texts/parts.db-wal");
    let text = "A longer text. ".repeat(4_000);
    for (id, text) in [("m1", text.clone()), ("m2", text + "And more.")] {
        let run = run_of(&http.post(&said(id, Some("ctx_a"), &text)).json());
        assert!(log.exists(), "{id}");
        assert_eq!(http.get(&format!("/v1/runs/{run}")).json()["outcome"], "done");
    }
    running.end();
    assert!(!log.exists());
}
