//! The inspector of a server: its page, its API, and who may ask it (IN-1, IN-4, IN-15).

use crate::serve::{Place, Running, refused, said, served};
use contexture_server::serve::tokens::{NewToken, Scope};
use serde_json::Value;
use std::io::{Read as _, Write as _};
use std::sync::Arc;
use std::time::Duration;

fn run_of(running: &Running, token: &str) -> String {
    let answer = running.http_as(token).post(&said("m1", None, "hello")).json();
    answer["metadata"]["run"].as_str().unwrap_or_else(|| panic!("{answer:#}")).to_owned()
}

fn with_tokens() -> (Place, Running, [String; 2]) {
    let place = Place::new("[serve]\nrequire_token = true\n");
    let scopes = vec![Scope::Inspect];
    let tokens = [
        place.token(NewToken::new("ann")),
        place.token(NewToken { scopes, ..NewToken::new("operator") }),
    ];
    let running = place.start();
    (place, running, tokens)
}

#[test]
fn in_1_server_has_inspector_at_its_folder() {
    let (_place, running) = served();
    let http = running.http();
    let answer = http.post(&said("m1", None, "hello")).json();
    let run = answer["metadata"]["run"].as_str().unwrap();
    let folder = http.get("/inspect");
    assert_eq!((folder.status, folder.header("location")), (308, Some("/inspect/")));
    let page = http.get("/inspect/");
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.header("content-security-policy").unwrap().contains("trusted-types 'none'"));
    assert_eq!(http.get("/inspect/page.js").status, 200);
    let runs = http.get("/inspect/v1/runs").json();
    assert_eq!(runs["runs"][0]["run"], run, "{runs:#}");
    let events = http.get(&format!("/inspect/v1/runs/{run}/events")).json();
    assert!(events["events"].as_array().is_some_and(|events| !events.is_empty()), "{events:#}");
}

#[test]
fn in_15_inspector_of_server_asks_for_permission_and_page_for_none() {
    let (_place, running, [ann, operator]) = with_tokens();
    let run = run_of(&running, &ann);
    for path in [
        "/inspect/v1/runs".to_owned(),
        format!("/inspect/v1/runs/{run}"),
        format!("/inspect/v1/runs/{run}/events"),
        format!("/inspect/v1/runs/{run}/follow"),
        format!("/inspect/v1/runs/{run}/calls/1"),
        format!("/inspect/v1/runs/{run}/calls/1/prompt"),
        format!("/inspect/v1/texts/{run}/sha256:0"),
        format!("/inspect/v1/diff/{run}/{run}"),
        format!("/inspect/v1/why?run={run}&call=1&label=x"),
    ] {
        refused(&running.http().get(&path), 401, "AUTH_FAILED");
        refused(&running.http_as(&ann).get(&path), 403, "PERMISSION_DENIED");
        let answer = running.http_as(&operator).get(&path);
        assert!(![401, 403].contains(&answer.status), "{path}: {answer:?}");
    }
    let head = running.http_as(&operator).get(&format!("/inspect/v1/runs/{run}")).json();
    assert_eq!((&head["run"], &head["state"]), (&run.into(), &"COMPLETED".into()));
    for path in ["/inspect/", "/inspect/page.js", "/inspect/none.js"] {
        assert!([200, 404].contains(&running.http().get(path).status), "{path}");
    }
}

#[test]
fn in_4_refusal_of_inspector_has_form_of_server() {
    let (_place, running, [ann, operator]) = with_tokens();
    run_of(&running, &ann);
    let http = running.http_as(&operator);
    let content = refused(&http.get("/inspect/v1/runs/none"), 404, "UNKNOWN_ID");
    assert_eq!(content["details"]["reason"], "run_unknown", "{content:#}");
    let content = refused(&http.get("/inspect/v1/runs?limt=1"), 400, "VALIDATION_FAILED");
    assert_eq!(content["details"]["reason"], "query_invalid", "{content:#}");
}

#[test]
fn in_4_openapi_has_routes_of_inspector() {
    let (_place, running) = served();
    let document = running.http().get("/v1/openapi.json").json();
    let operations: Vec<(&str, &Value)> = document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(path, _)| path.starts_with("/inspect/v1/"))
        .map(|(path, methods)| (path.as_str(), &methods["get"]))
        .collect();
    assert!(operations.iter().any(|(path, _)| *path == "/inspect/v1/runs/{run}/calls/{call}"));
    for (path, operation) in operations {
        assert_eq!(operation["tags"][0], "Inspector", "{path}");
        // The operation needs a token, as all that say nothing else.
        assert_eq!(operation["security"], Value::Null, "{path}");
    }
}

#[test]
fn in_15_followed_run_ends_with_token() {
    let place = Place::new("[serve]\nrequire_token = true\n");
    let scopes = vec![Scope::Inspect];
    let operator = place.token(NewToken { scopes, ..NewToken::new("operator") });
    // A run of this process that has begun and not ended.
    let store = contexture::runs(&place.settings().project);
    let started = store.begin(Arc::default()).unwrap();
    let running = place.start();
    let mut stream = std::net::TcpStream::connect(running.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    write!(
        stream,
        "GET /inspect/v1/runs/{}/follow HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {operator}\r\n\r\n",
        started.id(),
        running.address,
    )
    .unwrap();
    let mut heard = String::new();
    let mut portion = [0; 1024];
    while !heard.contains("event: lines") {
        let read = stream.read(&mut portion).unwrap();
        assert!(read > 0, "{heard}");
        heard.push_str(&String::from_utf8_lossy(&portion[..read]));
    }
    assert!(heard.contains("RUNNING"), "{heard}");
    place.tokens().revoke("operator").unwrap();
    while !heard.contains("\r\n0\r\n") {
        let read = stream.read(&mut portion).unwrap();
        assert!(read > 0, "{heard}");
        heard.push_str(&String::from_utf8_lossy(&portion[..read]));
    }
    assert!(!heard.contains("event: end"), "the run has not ended: {heard}");
}
