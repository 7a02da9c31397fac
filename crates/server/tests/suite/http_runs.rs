//! The record of a run over HTTP, to which each answer leads (CA-13).

use crate::serve::{Place, Running, refused, said, served};
use contexture_server::serve::tokens::{NewToken, Scope};
use serde_json::Value;

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
