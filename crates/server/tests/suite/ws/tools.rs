//! Tools and actions by the names of `[serve.tools]`: the source's examples 13 (4.3), 22 (4.6.1) and 33
//! (6.1.3) as they stand, policy, permissions, labels, secrets and bad settings (WA-5).

use crate::examples;
use crate::ws::client::{Client, message};
use crate::ws::sets::{calls, instructions, of};
use crate::ws::sides::{announce, ok, served};
use crate::ws::site::{ECHO, Site};
use contexture::{Environment, Project};
use contexture_server::serve::{Serve, Settings};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Agents for what the examples name.
const AGENTS: &str = r#"
agent ImageAnalyze {
  main func(input { imageData string, analyzeType string }) {
    { detections: [{ label: "cat", kind: input.analyzeType }] }
  }
}
agent Detect {
  main func(input { data list, threshold number }) { { anomaly_detected: true } }
}
agent Notify {
  main func(input) { { sent: true, to: input.recipients, text: input.message } }
}
main func(text string) { text }
"#;

/// A server in a corner that keeps what it is asked, and answers by the path.
struct Hook {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Hook {
    async fn answering(answer: fn(&str) -> (u16, String)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = Vec::new();
                while !crate::ws::site::is_whole(&request) {
                    if stream.read_buf(&mut request).await.unwrap_or(0) == 0 {
                        break;
                    }
                }
                let request = String::from_utf8(request).unwrap();
                let (status, body) = answer(request.split(' ').nth(1).unwrap_or_default());
                kept.lock().unwrap().push(request);
                let whole = format!(
                    "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
                let _ = stream.write_all(whole.as_bytes()).await;
            }
        });
        Self { address, asked }
    }

    async fn of_weather() -> Self {
        Self::answering(|path| match path.split('?').next().unwrap() {
            "/weather" => (200, json!({ "temperature": "5°C" }).to_string()),
            "/news" => (200, json!({ "titles": ["Snow"] }).to_string()),
            _ => (503, json!({ "secret": "of the operator" }).to_string()),
        })
        .await
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// Settings that name its addresses, and let it be reached.
    fn config(&self, lines: &str) -> String {
        let Self { address, .. } = self;
        format!(
            "[network]\nallow_private = [\"{address}\"]\n[serve.tools]\n\
             weather_api = {{ http = \"http://{address}/weather\", schema = \"weather.json\" }}\n\
             news_api = \"http://{address}/news\"\n{lines}\n"
        )
    }
}

const SCHEMA: (&str, &str) = (
    "weather.json",
    r#"{ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] }"#,
);

fn example(name: &str) -> Value {
    examples::examples().into_iter().find(|one| one.name == name).unwrap().value
}

async fn asked_for(client: &mut Client, request: &Value) -> Value {
    client.send(request).await;
    let id = request["messageId"].as_str().unwrap();
    of(client, "TOOL_CALL_RESPONSE", id).await["content"]["results"].clone()
}

fn call(id: &str, name: &str, parameters: Value) -> Value {
    calls(id, json!({ "calls": [{ "callId": "c", "name": name, "parameters": parameters }] }))
}

#[tokio::test]
async fn wa_5_example_13_calls_addresses_by_their_names() {
    let hook = Hook::of_weather().await;
    let site = Site::with_files(ECHO, &hook.config(""), &[SCHEMA], None).await;
    let mut client = Client::new(site.address).await;
    let results = asked_for(&mut client, &calls("r1", example("4_3")["content"].clone())).await;
    assert_eq!(results[0]["result"], json!({ "temperature": "5°C" }), "{results:#}");
    assert_eq!(results[1]["result"], json!({ "titles": ["Snow"] }));
    let mut asked = hook.asked();
    asked.sort();
    assert!(
        asked[0].starts_with("POST /news HTTP/1.1") && asked[0].ends_with("{\"topic\":\"天气\"}")
    );
    assert!(asked[1].starts_with("POST /weather") && asked[1].ends_with("{\"city\":\"北京\"}"));
    assert!(asked[0].to_lowercase().contains("idempotency-key:"), "{}", asked[0]);
    // The parameters are checked by the schema before anything is sent.
    let results = asked_for(&mut client, &call("r2", "weather_api", json!({ "city": 5 }))).await;
    assert_eq!(results[0]["error"]["code"], "VALIDATION_FAILED", "{results:#}");
    assert_eq!(hook.asked().len(), 2);
}

#[tokio::test]
async fn wa_5_example_22_runs_agent_between_two_calls_of_client() {
    let config = "[serve.tools]\nimage_analyze = \"agent:ImageAnalyze\"\n";
    let site = Site::with(AGENTS, config, None).await;
    let mut client = Client::new(site.address).await;
    client.ask(&announce(&["file_picker", "display_overlay"])).await;
    client.send(&calls("r1", example("4_6_1"))).await;
    let (asked, answer) = served(&mut client, "r1", |call| match call["name"].as_str().unwrap() {
        "file_picker" => ok(json!({ "fileId": "file_7", "fileData": "aGVsbG8=" })),
        _ => ok(json!({ "shown": call["parameters"]["overlayData"] })),
    })
    .await;
    let names: Vec<_> = asked.iter().map(|call| call["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["file_picker", "display_overlay"], "{answer:#}");
    let shown = json!([{ "label": "cat", "kind": "object_detection" }]);
    assert_eq!(answer["content"]["results"][2]["result"]["shown"], shown);
}

#[tokio::test]
async fn wa_5_example_33_sends_notification_if_condition_holds() {
    let config = "[serve.tools]\ndetect_anomaly = \"agent:Detect\"\n\
                  send_notification = { agent = \"Notify\", kind = \"action\" }\n";
    let site = Site::with(AGENTS, config, None).await;
    let mut client = Client::new(site.address).await;
    let first = json!({ "instructionId": "inst_1", "action": "detect_anomaly",
        "parameters": { "data": [1, 2], "threshold": 0.8 } });
    let set = json!({ "instructions": [first, example("6_1_3")] });
    client.send(&instructions("r1", set)).await;
    let answer = of(&mut client, "INSTRUCTION_RESPONSE", "r1").await;
    let results = &answer["content"]["results"];
    assert_eq!(results[1]["status"], "COMPLETED", "{answer:#}");
    assert_eq!(results[1]["result"]["to"], json!(["admin@example.com"]));
    assert_eq!(results[1]["result"]["text"], "检测到异常数据");
    // An action is not for tool calls, and what is named is all that is allowed.
    for (id, name) in [("r2", "send_notification"), ("r3", "agent:Notify")] {
        client.send(&call(id, name, json!({}))).await;
        let refused = of(&mut client, "ERROR_RESPONSE", id).await;
        assert_eq!(refused["content"]["errorCode"], "PERMISSION_DENIED", "{refused:#}");
    }
}

#[tokio::test]
async fn wa_5_private_address_without_rule_is_refused_as_all_others() {
    let hook = Hook::of_weather().await;
    let config = hook.config("").replace("allow_private", "# allow_private");
    let site = Site::with_files(ECHO, &config, &[SCHEMA], None).await;
    let mut client = Client::new(site.address).await;
    let results = asked_for(&mut client, &call("r1", "news_api", json!({}))).await;
    assert_eq!(results[0]["error"]["code"], "HTTP_PRIVATE_ADDRESS", "{results:#}");
    assert!(!results.to_string().contains(&hook.address), "the address is the operator's");
    assert!(hook.asked().is_empty());
}

#[tokio::test]
async fn wa_5_failure_of_address_is_told_without_its_words() {
    let hook = Hook::of_weather().await;
    let lines = format!("broken = {{ http = \"http://{}/x\", method = \"GET\" }}", hook.address);
    let site = Site::with_files(ECHO, &hook.config(&lines), &[SCHEMA], None).await;
    let mut client = Client::new(site.address).await;
    let results = asked_for(&mut client, &call("r1", "broken", json!({ "a": "b c" }))).await;
    assert_eq!(results[0]["error"]["code"], "EXECUTION_FAILED", "{results:#}");
    assert!(!results.to_string().contains("operator"));
    assert!(hook.asked()[0].starts_with("GET /x?a=b+c HTTP/1.1"), "{}", hook.asked()[0]);
}

#[tokio::test]
async fn wa_5_permission_policy_and_secret_hold_for_names() {
    let hook = Hook::of_weather().await;
    let lines = format!(
        "asked = {{ http = \"http://{0}/news\", permission = \"ALWAYS_ASK\" }}\n\
         by_target = \"http://{0}/news\"\ndenied = \"http://{0}/news\"\n\
         secret_one = {{ http = \"http://{0}/weather\", token_env = \"HOOK_TOKEN\" }}\n\
         [secrets.HOOK_TOKEN]\nfile = \"token\"\n\
         [policy.tools.denied]\ndefault = \"deny\"\n\
         [serve.permissions.backend]\n\"http.*\" = \"NONE\"\nby_target = \"ALWAYS_ASK\"",
        hook.address
    );
    let files = [SCHEMA, ("token", "t0ken-0123456789")];
    let site = Site::with_files(ECHO, &hook.config(&lines), &files, None).await;
    let mut client = Client::new(site.address).await;
    let results = asked_for(&mut client, &call("r1", "secret_one", json!({}))).await;
    assert_eq!(results[0]["status"], "SUCCESS", "{results:#}");
    let sent = hook.asked()[0].to_lowercase();
    assert!(sent.contains("authorization: bearer t0ken-0123456789"), "{sent}");
    for (id, name, code) in [
        ("r2", "asked", "PERMISSION_DENIED"),
        ("r3", "by_target", "PERMISSION_DENIED"),
        ("r4", "denied", "POLICY_DENIED"),
    ] {
        let results = asked_for(&mut client, &call(id, name, json!({}))).await;
        assert_eq!(results[0]["error"]["code"], code, "{name}: {results:#}");
    }
    assert_eq!(hook.asked().len(), 1);
    client.ask(&announce(&["confirm_action"])).await;
    client.send(&call("r5", "asked", json!({ "topic": "x" }))).await;
    let (questions, answer) = served(&mut client, "r5", |_| ok(json!({ "allowed": true }))).await;
    assert_eq!(questions[0]["parameters"]["action"], "asked");
    assert_eq!(answer["content"]["results"][0]["status"], "SUCCESS", "{answer:#}");
}

#[tokio::test]
async fn wa_5_name_may_mean_tool_of_client_or_built_in_action() {
    let config = "[serve.tools]\ntoast = \"frontend:show_toast\"\nsum = \"calculator\"\n";
    let site = Site::with(ECHO, config, None).await;
    let mut client = Client::new(site.address).await;
    client.ask(&announce(&["show_toast"])).await;
    client.send(&call("r1", "toast", json!({ "text": "hi" }))).await;
    let (asked, answer) = served(&mut client, "r1", |_| ok(json!({ "shown": true }))).await;
    assert_eq!(asked[0]["name"], "show_toast", "{answer:#}");
    assert_eq!(answer["content"]["results"][0]["result"], json!({ "shown": true }));
    let results = asked_for(&mut client, &call("r2", "sum", json!({ "expression": "1+2" }))).await;
    assert_eq!(results[0]["result"]["value"], 3);
    let wanted = message(
        "TOOL_CALL_REQUEST",
        "r3",
        Some("ctx_1"),
        json!({ "calls": [{ "callId": "c", "name": "smu", "parameters": {} }] }),
    );
    client.send(&wanted).await;
    let refused = of(&mut client, "ERROR_RESPONSE", "r3").await;
    assert!(refused.to_string().contains("did you mean `sum`?"), "{refused:#}");
}

#[tokio::test]
async fn wa_5_bad_settings_are_found_at_the_start() {
    for (line, message, help) in [
        ("a = \"agent:Notfy\"", "nothing that `agent:Notfy` names", "`agent:Notify`"),
        ("a = \"Notify\"", "nothing that `Notify` names", "`agent:Notify`"),
        ("a = \"calculater\"", "nothing that `calculater` names", "`calculator`"),
        ("a = \"mcp:mial/send\"", "no MCP server `mial`", "`mail`"),
        ("a = \"mcp:mail/send\"", "mail", "mcp"),
        ("a = \"RUN_INSTRUCTIONS\"", "nothing that `RUN_INSTRUCTIONS` names", ""),
        (
            "a = { action = \"clock\", schema = \"none.json\" }",
            "none.json",
            "path of a JSON Schema",
        ),
        ("a = { action = \"clock\", schema = \"bad.json\" }", "bad.json", "path of a JSON Schema"),
        ("a = { http = \"https://h.example\", token_env = \"NO_SUCH\" }", "`NO_SUCH`", "NO_SUCH"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let config = format!("[mcp.servers.mail]\ncommand = \"mail\"\n[serve.tools]\n{line}\n");
        std::fs::write(root.join("contexture.toml"), config).unwrap();
        std::fs::write(root.join("app.as"), AGENTS).unwrap();
        std::fs::write(root.join("bad.json"), r#"{ "type": "objekt" }"#).unwrap();
        let vars = [("HOME", root.join("home").display().to_string())];
        let project = Project::open(root, Environment::of(vars)).unwrap();
        let fault = Serve::open(Settings::new(project, vec![root.join("app.as")])).unwrap_err();
        assert!(fault.message.contains("`serve.tools.a`"), "{line}: {}", fault.message);
        assert!(fault.message.contains(message), "{line}: {}", fault.message);
        assert!(fault.help.as_deref().unwrap_or_default().contains(help), "{line}: {fault:?}");
    }
}
