use crate::support::Fixture;
use crate::{Effect, Settings, ToolLimits, Tools};
use contexture_context::Trust;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Returns a server on loopback that answers each connection with the next of `answers`, as it is,
/// and reports what it was asked.
fn serve(answers: Vec<String>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let (tell, told) = channel();
    std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = tell.send(request(&mut stream));
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (origin, told)
}

fn request(stream: &mut TcpStream) -> String {
    let mut seen = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let count = stream.read(&mut piece).unwrap_or(0);
        seen.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&seen).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length")
                    .then(|| value.trim().parse::<usize>().ok())?
            });
            if body.len() >= length.unwrap_or(0) {
                return text;
            }
        }
        if count == 0 {
            return text;
        }
    }
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}",
        body.len()
    )
}

#[test]
fn as_25_get_gives_ok_status_body_and_json() {
    let (origin, told) = serve(vec![answer(
        "200 OK",
        "Content-Type: application/json\r\nSet-Cookie: s=1\r\nX-A: b\r\n",
        "{\"a\":[1]}",
    )]);
    let fixture = Fixture::new();
    let argument = json!({"url": "/api/data?q=1", "headers": {"Authorization": "Bearer abcdefgh", "X-Number": 7}, "timeout": 10000});
    let output = fixture.call(&origin, "get", argument).unwrap();
    assert_eq!(output.trust, Trust::Web);
    assert_eq!(output.value["ok"], true);
    assert_eq!(output.value["status"], 200);
    assert_eq!(output.value["body"], "{\"a\":[1]}");
    assert_eq!(output.value["json"], json!({"a": [1]}));
    assert_eq!(output.value["headers"]["x-a"], "b");
    assert_eq!(output.value["headers"].get("set-cookie"), None);
    let asked = told.recv().unwrap().to_lowercase();
    assert!(asked.starts_with("get /api/data?q=1 http/1.1\r\n"), "{asked}");
    assert!(asked.contains("authorization: bearer abcdefgh") && asked.contains("x-number: 7"));
}

#[test]
fn as_25_error_status_is_value_and_not_failure() {
    let (origin, _told) = serve(vec![answer("404 Not Found", "", "no such page")]);
    let value = Fixture::new().value(&origin, "get", json!({"url": "x"}));
    assert_eq!((&value["ok"], &value["status"]), (&json!(false), &json!(404)));
    assert_eq!((&value["body"], &value["json"]), (&json!("no such page"), &Value::Null));
}

#[test]
fn as_25_post_sends_json_or_text() {
    let (origin, told) = serve(vec![answer("201 Created", "", ""), answer("200 OK", "", "")]);
    let fixture = Fixture::new();
    fixture.value(&origin, "post", json!({"url": "/submit", "body": {"key": "中"}}));
    let asked = told.recv().unwrap();
    assert!(asked.starts_with("POST /submit ") && asked.contains("content-type: application/json"));
    assert!(asked.ends_with("{\"key\":\"中\"}"), "{asked}");
    let argument =
        json!({"url": "/submit", "body": "<a/>", "headers": {"Content-Type": "text/xml"}});
    fixture.value(&origin, "put", argument);
    let asked = told.recv().unwrap();
    assert!(
        asked.starts_with("PUT ")
            && asked.contains("content-type: text/xml")
            && asked.ends_with("<a/>")
    );
}

#[test]
fn as_25_urls_stay_on_origin() {
    let fixture = Fixture::new();
    let origin = "http://127.0.0.1:9";
    for url in [
        "https://evil.example/x?token=abc",
        "//evil.example",
        "http://127.0.0.1:10/",
        "file:///etc/passwd",
        "https://127.0.0.1:9/",
    ] {
        let (code, message) = fixture.error(origin, "get", json!({"url": url}));
        assert_eq!(code, "http_other_origin", "{url}");
        assert!(!message.contains("token"), "{message}");
    }
    let (code, message) =
        fixture.error(origin, "get", json!({"url": "http://user:pass1234@127.0.0.1:9/"}));
    assert_eq!(code, "http_url");
    assert!(!message.contains("pass1234"));
    for uri in ["https://user:pass1234@example.com", "https://", "https://example.com?key=1"] {
        let error = fixture.call(uri, "get", json!({"url": "/"})).unwrap_err();
        assert_eq!(error.code, "http_origin", "{uri}");
        assert!(!error.message.contains("pass1234"));
    }
}

#[test]
fn as_25_redirects_are_followed_on_origin_and_refused_off_it() {
    let fixture = Fixture::new();
    let (origin, told) =
        serve(vec![answer("302 Found", "Location: /there\r\n", ""), answer("200 OK", "", "here")]);
    assert_eq!(fixture.value(&origin, "get", json!({"url": "/"}))["body"], "here");
    assert!(told.iter().nth(1).unwrap().starts_with("GET /there "));

    let (other, other_told) = serve(vec![answer("200 OK", "", "stolen")]);
    let (origin, _told) = serve(vec![answer(
        "307 Temporary Redirect",
        &format!("Location: {other}/x?key=1\r\n"),
        "",
    )]);
    let argument = json!({"url": "/", "headers": {"Authorization": "Bearer secret-secret"}});
    let (code, message) = fixture.error(&origin, "get", argument);
    assert_eq!(code, "http_redirect");
    assert_eq!(message, format!("{origin} redirects to {other}, which is another origin"));
    assert!(other_told.recv_timeout(Duration::from_millis(50)).is_err());
}

#[test]
fn as_25_redirects_without_end_are_refused() {
    let (origin, _told) = serve(vec![answer("302 Found", "Location: /\r\n", ""); 20]);
    let (code, message) = Fixture::new().error(&origin, "get", json!({"url": "/"}));
    assert_eq!(
        (code, message),
        ("http_redirect", format!("{origin} redirects more than 10 times"))
    );
}

#[test]
fn as_25_answers_are_limited_in_size() {
    let limits = ToolLimits { body_bytes: 10, ..ToolLimits::default() };
    let fixture = Fixture::with(Settings { limits, ..Settings::default() });
    let endless = format!("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{}", "x".repeat(100));
    let (origin, _told) = serve(vec![
        answer("200 OK", "", &"x".repeat(11)),
        endless,
        answer("200 OK", "", "0123456789"),
    ]);
    assert_eq!(fixture.error(&origin, "get", json!({"url": "/"})).0, "http_too_large");
    assert_eq!(fixture.error(&origin, "get", json!({"url": "/"})).0, "http_too_large");
    assert_eq!(fixture.value(&origin, "get", json!({"url": "/"}))["body"], "0123456789");
    assert_eq!(
        fixture.error(&origin, "post", json!({"url": "/", "body": "01234567890"})).0,
        "http_too_large"
    );
}

#[test]
fn as_25_silent_server_times_out() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let argument = json!({"url": "/?key=topsecret", "timeout": 50});
    let (code, message) = Fixture::new().error(&origin, "get", argument);
    assert_eq!((code, message), ("http_timeout", format!("{origin} did not answer within 50 ms")));
}

#[test]
fn as_25_unreachable_server_is_reported_without_query() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let (code, message) = Fixture::new().error(&origin, "get", json!({"url": "/?key=topsecret"}));
    assert_eq!(code, "http_failed");
    assert!(
        message.starts_with(&format!("{origin} could not be reached"))
            && !message.contains("topsecret")
    );
}

#[test]
fn as_25_broken_answer_is_error() {
    let cut = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc".to_owned();
    let (origin, _told) = serve(vec![cut, "not http at all\r\n\r\n".to_owned()]);
    let fixture = Fixture::new();
    assert_eq!(fixture.error(&origin, "get", json!({"url": "/"})).0, "http_failed");
    assert_eq!(fixture.error(&origin, "get", json!({"url": "/"})).0, "http_failed");
}

#[test]
fn as_25_private_addresses_are_refused_where_name_is_resolved() {
    let fixture = Fixture::new();
    for origin in
        ["http://169.254.169.254", "http://10.0.0.1", "http://[fd00::1]", "http://0.0.0.0"]
    {
        let (code, message) = fixture.error(origin, "get", json!({"url": "/"}));
        assert_eq!(code, "http_private_address", "{message}");
    }
}

#[test]
fn as_25_headers_are_checked() {
    let fixture = Fixture::new();
    for (headers, code) in [
        (json!({"Host": "evil"}), "http_header"),
        (json!({"Content-Length": "3"}), "http_header"),
        (json!({"Transfer-Encoding": "chunked"}), "http_header"),
        (json!({"X-A": "a\r\nX-B: secretsecret"}), "http_header"),
        (json!({"bad name": "x"}), "http_header"),
        (json!({"": "x"}), "http_header"),
        (json!({"X": ["a"]}), "bad_argument"),
        (json!("X: a"), "bad_argument"),
    ] {
        let argument = json!({"url": "/", "headers": headers});
        let (found, message) = fixture.error("http://127.0.0.1:9", "get", argument);
        assert_eq!(found, code, "{headers}");
        assert!(!message.contains("secretsecret"));
    }
}

#[test]
fn as_25_credentials_in_argument_are_reported_for_masking() {
    let argument = json!({"url": "/", "headers": {
        "Authorization": "Bearer tok-12345678", "X-Api-Key": "key-12345678", "Accept": "text/plain",
    }});
    let secrets = Tools::secrets_in("https://api.example.com", &argument);
    assert_eq!(secrets, ["tok-12345678", "key-12345678"]);
    assert!(Tools::secrets_in("sh://grep", &argument).is_empty());
}

#[test]
fn as_10_effects_are_reported_by_method() {
    let effect = |uri, method| Tools::effect(uri, method).unwrap();
    assert_eq!(effect("https://a.example", "get"), Effect::Fetch);
    assert_eq!(effect("https://a.example", "post"), Effect::Send);
    assert_eq!(effect("file://workspace", "read"), Effect::Read);
    for method in ["write", "patch", "undo"] {
        assert_eq!(effect("file://workspace", method), Effect::Write);
    }
    assert!(!Effect::Fetch.runs_in_dry_run() && Effect::Read.runs_in_dry_run());
}

#[test]
fn as_19_methods_are_described_for_models() {
    let methods = Tools::describe("sh://grep").unwrap();
    assert_eq!(methods.len(), 1);
    assert_eq!(methods[0].schema()["required"], json!(["pattern"]));
    assert_eq!(methods[0].schema()["properties"]["max"]["minimum"], 1);
    assert_eq!(methods[0].schema()["additionalProperties"], false);
    assert_eq!(Tools::describe("file://workspace").unwrap().len(), 5);
    assert_eq!(Tools::describe("sh://bash").unwrap_err().code, "tool_forbidden");
}

#[test]
fn as_25_base_of_import_is_where_relative_urls_start() {
    let (origin, told) = serve(vec![answer("200 OK", "", ""); 2]);
    let fixture = Fixture::new();
    fixture.value(&format!("{origin}/v1"), "get", json!({"url": "users"}));
    assert!(told.recv().unwrap().starts_with("GET /v1/users "));
    fixture.value(&format!("{origin}/v1"), "head", json!({"url": "/users"}));
    assert!(told.recv().unwrap().starts_with("HEAD /users "));
}
