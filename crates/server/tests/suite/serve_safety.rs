//! What keeps what was said from others, and what tells the operator and clients of other APIs why
//! something is refused (CP-6, CP-17, CP-19).

use crate::serve::{Place, message, refused, said};
use contexture_server::serve::{Format, Level, LogSettings, Settings};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

const SEALED: &str = r#"
[serve.sensitive]
messages = ["TOOL_CALL_REQUEST:content.calls", "TOOL_CALL_RESPONSE:content.results",
    "USER_INPUT:content.text", "MODEL_RESPONSE:content.text"]
key_env = "KEY"
"#;

fn key(digit: &str) -> String {
    digit.repeat(64)
}

fn call(id: &str, text: &str) -> Value {
    let calls = json!([{ "callId": "a", "name": "echo", "parameters": { "value": text } }]);
    message(id, Some("ctx_1"), "TOOL_CALL_REQUEST", json!({ "calls": calls }))
}

/// Everything in a folder, as one.
fn bytes_in(folder: &std::path::Path) -> Vec<u8> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.is_file()).flat_map(|path| std::fs::read(path).unwrap()).collect()
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

#[test]
fn cp_19_no_data_file_has_sensitive_texts() {
    let place = Place::new(SEALED).with_var("KEY", &key("1"));
    let running = place.start();
    let http = running.http();
    let answer = http.post(&call("m1", "PLAIN call")).json();
    assert_eq!(answer["content"]["results"][0]["result"]["value"], "PLAIN call");
    assert_eq!(http.post(&said("m2", Some("ctx_1"), "PLAIN text")).status, 200);
    assert!(!has(&bytes_in(&place.data()), "PLAIN"), "while it runs");
    running.end();
    let bytes = bytes_in(&place.data());
    assert!(has(&bytes, "ctx_1") && !has(&bytes, "PLAIN call") && !has(&bytes, "PLAIN text"));
    // The next server reads all of it.
    let running = place.start();
    let read = running.http().get("/v1/contexts/ctx_1/messages").body;
    assert!(read.contains("PLAIN call") && read.contains("PLAIN text"), "{read}");
}

#[cfg(unix)]
#[test]
fn cp_19_conversations_are_private_to_owner_in_any_folder() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let place = Place::new("");
    std::fs::create_dir_all(place.data()).unwrap();
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.data(), open).unwrap();
    let running = place.start();
    assert_eq!(running.http().post(&said("m1", Some("ctx_1"), "hi")).status, 200);
    for file in ["contexts.db", "contexts.db-wal", "flows.db", "flows.db-wal", "audit.jsonl"] {
        let mode = place.data().join(file).metadata().unwrap().mode();
        assert_eq!(mode & 0o077, 0, "{file}: {mode:o}");
    }
}

#[test]
fn cp_19_server_with_other_key_does_not_start() {
    let place = Place::new(SEALED).with_var("KEY", &key("1"));
    let running = place.start();
    assert_eq!(running.http().post(&said("m1", Some("ctx_1"), "hello")).status, 200);
    running.end();
    let refusal = |place: &Place| {
        let fault = place.start_with(place.settings(), &Place::options()).err().unwrap();
        assert_eq!(fault.code, "SRV1006");
        format!("{} {}", fault.message, fault.help.unwrap())
    };
    let place = place.with_var("KEY", &key("2"));
    let told = refusal(&place);
    assert!(told.contains("contexts.db") && told.contains("behind the new one"), "{told}");
    // Without the settings it is sealed all the same.
    place.write("contexture.toml", "");
    assert!(refusal(&place).contains("no key is given"));
    // A new key before the old one reads what was, and seals what comes.
    place.write("contexture.toml", SEALED);
    let place = place.with_var("KEY", &format!("{},{}", key("2"), key("1")));
    let running = place.start();
    assert!(running.http().get("/v1/contexts/ctx_1/messages").body.contains("hello"));
    assert_eq!(running.http().post(&said("m2", Some("ctx_2"), "again")).status, 200);
}

#[test]
fn cp_17_log_has_cause_of_server_error() {
    // The key of the message in the middle is missing at last, which a start does not look at.
    let both = |first: &str, second: &str| format!("{},{}", key(first), key(second));
    let mut place = Place::new(SEALED);
    for (id, keys) in [("m1", key("1")), ("m2", both("2", "1")), ("m3", both("1", "2"))] {
        place = place.with_var("KEY", &keys);
        let running = place.start();
        assert_eq!(running.http().post(&said(id, Some("ctx_1"), "hello")).status, 200);
        running.end();
    }
    let place = place.with_var("KEY", &key("1"));

    let lines = Arc::new(Mutex::new(Vec::new()));
    let log = LogSettings { level: Level::Info, format: Format::Json, out: Some(lines.clone()) };
    let settings = Settings { log, ..place.settings() };
    let running = place.start_with(settings, &Place::options()).unwrap();
    let http = running.http();
    let content = refused(&http.get("/v1/contexts/ctx_1/messages"), 500, "INTERNAL");
    let trace = content["details"]["traceId"].as_str().unwrap();
    // An export says so before it begins.
    refused(&http.get("/v1/contexts/ctx_1/export"), 500, "INTERNAL");
    running.end();
    let log = String::from_utf8(lines.lock().unwrap().clone()).unwrap();
    assert!(log.contains(trace), "{log}");
    assert!(log.contains("store_failed") && log.contains("\"reason\":\"message: "), "{log}");
    assert!(!content.to_string().contains("seal"), "clients hear nothing of it: {content}");
}

#[test]
fn cp_19_impossible_host_or_origin_is_reported_at_start() {
    for (setting, part) in [
        ("origins = [\"app.example.com\"]", "`https://app.example.com`"),
        ("origins = [\"*\"]", "name each origin"),
        ("hosts = [\"https://agents.example.com\"]", "`agents.example.com`"),
    ] {
        let place = Place::new(&format!("[serve]\n{setting}\n"));
        let fault = place.start_with(place.settings(), &Place::options()).err().unwrap();
        assert_eq!(fault.code, "SRV1006");
        assert!(fault.help.as_ref().unwrap().contains(part), "{fault:?}");
    }
}

#[test]
fn cp_6_invalid_websocket_handshake_is_explained() {
    let place = Place::new("");
    let running = place.start();
    let good = running
        .http()
        .with("connection", "keep-alive, Upgrade")
        .with("upgrade", "websocket")
        .with("sec-websocket-version", "13")
        .with("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
    for wrong in [
        good.clone().with("sec-websocket-version", "8"),
        good.clone().with("sec-websocket-key", "short"),
        good.clone().with("connection", "keep-alive"),
        good.clone().with("upgrade", "h2c"),
    ] {
        let answer = wrong.get("/v1/ws");
        refused(&answer, 426, "VALIDATION_FAILED");
        assert_eq!(answer.header("upgrade"), Some("websocket"));
        assert_eq!(answer.header("sec-websocket-version"), Some("13"));
    }
}

#[test]
fn cp_17_openai_clients_get_refusals_in_openai_form() {
    let place = Place::new("[serve]\nrate_per_minute = 1\n");
    let running = place.start();
    let http = running.http();
    let path = "/v1/chat/completions";
    let body = json!({ "model": "echo", "messages": [{ "role": "user", "content": "hi" }] });
    let ask = |http: &crate::serve::http::Http| http.send("POST", path, Some(&body.to_string()));
    assert_eq!(ask(&http).json()["choices"][0]["message"]["content"], "you said: hi");
    for (answer, status) in [
        (ask(&http.clone().with("origin", "https://evil.example")), 403),
        (ask(&http.clone().with("content-encoding", "br")), 415),
        (ask(&http), 429),
    ] {
        let told = answer.json();
        assert_eq!(answer.status, status, "{told}");
        assert!(told["error"]["message"].is_string(), "{told}");
        assert_eq!(answer.header("retry-after").is_some(), status == 429, "{answer:?}");
    }
}
