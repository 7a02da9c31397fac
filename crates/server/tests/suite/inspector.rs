//! The inspector of a server: its page, its API, and who may ask it (IN-1, IN-4, IN-15).

use crate::serve::{Place, Running, message, refused, said, served, update};
use contexture::run::RunRequest;
use contexture_server::serve::Settings;
use contexture_server::serve::tokens::{NewToken, Scope};
use serde_json::{Value, json};
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
fn in_10_server_tries_no_program_and_asks_no_model_for_one() {
    let (_place, running, [ann, operator]) = with_tokens();
    let run = run_of(&running, &ann);
    let body = json!({ "text": "main func(input) { 1 }", "model": "mock" }).to_string();
    for word in ["recheck", "ask"] {
        let path = format!("/inspect/v1/runs/{run}/{word}");
        refused(&running.http().send("POST", &path, Some(&body)), 401, "AUTH_FAILED");
        let answer = running.http_as(&operator).send("POST", &path, Some(&body));
        let content = refused(&answer, 404, "UNKNOWN_ID");
        assert_eq!(content["details"]["reason"], "not_kept", "{content:#}");
        let answer = running.http_as(&operator).send("POST", &path, Some("{}"));
        refused(&answer, 400, "VALIDATION_FAILED");
    }
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
        .flat_map(|(path, methods)| {
            methods.as_object().unwrap().values().map(move |one| (path.as_str(), one))
        })
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

#[test]
fn in_11_flow_of_server_is_shown_with_steps_conditions_and_picture() {
    let (_place, running) = served();
    let http = running.http();
    let steps = json!([
        { "instructionId": "a", "action": "echo", "parameters": { "score": 7 } },
        {
            "instructionId": "b", "action": "echo", "parameters": {}, "dependencies": ["a"],
            "condition": "dependencies.a.result.score > 5",
        },
    ]);
    let content = json!({ "executionMode": "SEQUENTIAL", "instructions": steps });
    let answer = http.post(&message("m1", Some("ctx_a"), "INSTRUCTION", content)).json();
    assert_ne!(answer["type"], "ERROR_RESPONSE", "{answer:#}");
    let flows = http.get("/inspect/v1/flows").json();
    let id = flows["flows"][0]["run"].as_str().unwrap();
    assert_eq!((&flows["flows"][0]["owner"], &flows["next"]), (&json!("local"), &Value::Null));
    let path = format!("/inspect/v1/flows/{}", id.replace('/', "%2F"));
    let flow = http.get(&path).json();
    assert_eq!((&flow["status"], &flow["done"]), (&json!("COMPLETED"), &json!(2)), "{flow:#}");
    assert_eq!(flow["results"]["a"]["result"]["score"], 7);
    let condition = &flow["conditions"]["b"];
    assert_eq!(condition["text"], "dependencies.a.result.score > 5");
    let read = json!([{ "path": "dependencies.a.result.score", "value": 7 }]);
    assert_eq!(condition["values"], read);
    let started = flow["events"].as_array().unwrap().iter().find(|one| one["event"] == "STARTED");
    assert!(started.unwrap()["key"].is_string(), "{flow:#}");
    let picture = http.get(&format!("{path}/picture"));
    assert_eq!(picture.header("content-type"), Some("image/svg+xml"));
    assert!(picture.body.starts_with("<svg") && picture.body.contains(">a<"), "{picture:?}");
    let followed = http.get(&format!("{path}/follow"));
    assert_eq!(followed.header("content-type"), Some("text/event-stream"));
    let told = [
        &followed.body.matches("event: steps").count(),
        &followed.body.matches("event: end").count(),
    ];
    assert_eq!(told, [&1, &1], "{followed:?}");
    assert!(followed.body.contains(r#""status":"COMPLETED""#), "{followed:?}");
    refused(&http.get("/inspect/v1/flows/none"), 404, "UNKNOWN_ID");
    refused(&http.get("/inspect/v1/flows/none/follow"), 404, "UNKNOWN_ID");
}

#[test]
fn in_12_context_has_transcript_and_state_of_each_version() {
    let (_place, running) = served();
    let http = running.http();
    http.post(&said("m1", Some("ctx_a"), "hello"));
    http.post(&update("m2", "ctx_a", "topic", json!("ports")));
    http.post(&update("m3", "ctx_a", "topic", json!("docks")));
    let contexts = http.get("/inspect/v1/contexts").json();
    assert_eq!(contexts["owners"], json!(["local"]));
    assert_eq!(contexts["contexts"][0]["contextId"], "ctx_a");
    let path = "/inspect/v1/contexts/ctx_a";
    let now = http.get(&format!("{path}?owner=local")).json();
    assert_eq!((&now["state"]["topic"], &now["oldest"]), (&json!("docks"), &json!(0)), "{now:#}");
    let last = now["last"].as_u64().unwrap();
    let before = http.get(&format!("{path}?owner=local&version={}", last - 1)).json();
    assert_eq!(before["state"], json!({ "topic": "ports" }), "{before:#}");
    let first = http.get(&format!("{path}?owner=local&version=0")).json();
    assert_eq!(first["state"], json!({}));
    let changes = http.get(&format!("{path}/changes?owner=local&since={}", last - 1)).json();
    let change = &changes["changes"][0];
    assert_eq!((&change["path"], &change["cause"]), (&json!("topic"), &json!("m3")), "{changes:#}");
    let messages = http.get(&format!("{path}/messages?owner=local&limit=1")).json();
    assert_eq!(messages["messages"][0]["content"]["text"], "you said: hello", "{messages:#}");
    assert!(messages["next"].is_number());
    let transcript = http.get(&format!("{path}/transcript?owner=local"));
    assert_eq!(transcript.header("content-type"), Some("text/markdown; charset=utf-8"));
    let told = &transcript.body;
    assert!(told.starts_with("# ctx\\_a\n\n`ctx_a` · local · version "), "{told}");
    let hello = told.find("\n> hello\n").unwrap();
    assert!(hello < told.find("\n> you said: hello\n").unwrap(), "{told}");
    refused(&http.get(&format!("{path}/transcript?owner=ann")), 404, "UNKNOWN_ID");
    let found = http.get("/inspect/v1/contexts?search=HELLO").json();
    assert_eq!(found["contexts"].as_array().unwrap().len(), 1, "{found:#}");
    refused(&http.get(&format!("{path}?owner=local&version=99")), 400, "VALIDATION_FAILED");
    refused(&http.get(path), 400, "VALIDATION_FAILED");
    refused(&http.get(&format!("{path}?owner=ann")), 404, "UNKNOWN_ID");
}

#[test]
fn in_12_pack_has_sections_and_answers_question_with_scores() {
    let place = Place::new("");
    place.write(
        ".agents/knowledge/acme/KNOWLEDGE.md",
        "---\nname: acme\ndescription: What Acme sells.\ntype: brand-product\nprofile: document\nstatus: ready\n\
         version: 1.0.0\nlanguage: en\nmaintainer: Acme\ntrust: official\ngrounding: required\n---\n\n# Acme\n\nThe guide.\n",
    );
    place.write(
        ".agents/knowledge/acme/documents/prices.md",
        "# Prices\n\n## Widget\n\nThe widget costs 5 euros.\n\n## Gear\n\nThe gear is free.\n",
    );
    let running = place.start();
    let http = running.http();
    let packs = http.get("/inspect/v1/knowledge").json();
    let pack = &packs["packs"][0];
    assert_eq!((&pack["name"], &pack["trust"]), (&json!("acme"), &json!("official")), "{packs:#}");
    // Who only looks approves nothing.
    assert!(pack["closed"].is_string(), "{packs:#}");
    refused(&http.get("/inspect/v1/knowledge/acme"), 409, "VALIDATION_FAILED");
    refused(&http.get("/inspect/v1/knowledge/none"), 404, "UNKNOWN_ID");
    running.end();

    let turns = RunRequest { approve_packs: true, ..RunRequest::default() };
    let settings = Settings { turns, ..place.settings() };
    let running = place.start_with(settings, &Place::options()).unwrap();
    let http = running.http();
    let pack = http.get("/inspect/v1/knowledge/acme").json();
    let sections = pack["sections"].as_array().unwrap();
    let widget = sections.iter().find(|one| one["heading"] == "Prices > Widget").unwrap();
    assert_eq!(
        (&widget["path"], &widget["first_line"]),
        (&json!("documents/prices.md"), &json!(5))
    );
    assert!(
        widget["tokens"].as_u64().unwrap() > 3
            && pack["guide"].as_str().unwrap().contains("The guide")
    );
    let hits = http.get("/inspect/v1/knowledge/acme/search?q=widget%20costs").json();
    let hit = &hits["hits"][0];
    assert_eq!(hit["heading"], "Prices > Widget", "{hits:#}");
    assert!(
        hit["score"].as_f64().unwrap() > 0.0 && hit["text"] == "The widget costs 5 euros.",
        "{hits:#}"
    );
    refused(&http.get("/inspect/v1/knowledge/acme/search?q="), 400, "VALIDATION_FAILED");
}
