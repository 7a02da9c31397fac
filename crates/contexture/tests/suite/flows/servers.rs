//! Tools of MCP servers as actions. The server is this test's own binary, run once more.

use crate::common::Place;
use crate::flows::support::{error, instructions, prepare, result, run};
use contexture::flows::{FlowError, FlowRequest};
use contexture::mcp::{Classes, Definition};
use contexture::ports::policy::Class;
use contexture::servers::{self, Consent};
use serde_json::{Value, json};
use std::io::BufRead as _;

const SCHEMA: &str =
    r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}"#;

/// The server: answers what it is asked over stdin.
#[test]
#[ignore = "it is the server that the other tests start"]
fn server() {
    // What the test harness prints stands on a line of its own.
    println!();
    for line in std::io::stdin().lock().lines() {
        let asked: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let id = &asked["id"];
        let params = &asked["params"];
        let result = match asked["method"].as_str() {
            Some("initialize") => json!({ "protocolVersion": "2025-06-18",
                "capabilities": { "tools": {} }, "serverInfo": { "name": "test", "version": "1" } }),
            Some("tools/list") => json!({ "tools": [
                { "name": "shout", "inputSchema": serde_json::from_str::<Value>(SCHEMA).unwrap() },
                { "name": "fails", "inputSchema": { "type": "object" } },
            ] }),
            Some("tools/call") if params["name"] == "fails" => {
                json!({ "content": [{ "type": "text", "text": "no luck" }], "isError": true })
            }
            Some("tools/call") => {
                let text = params["arguments"]["text"].as_str().unwrap().to_uppercase();
                json!({ "content": [{ "type": "text", "text": text }] })
            }
            Some(_) if !id.is_null() => {
                let error = json!({ "code": -32601, "message": "no" });
                println!("{}", json!({ "jsonrpc": "2.0", "id": id, "error": error }));
                continue;
            }
            _ => continue,
        };
        println!("{}", json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }
}

fn place(servers: &[&str]) -> Place {
    let place = Place::new(&[]);
    let program = std::env::current_exe().unwrap();
    let sections = servers.iter().map(|name| {
        format!(
            "[mcp.servers.{name}]\ncommand = {:?}\nargs = [\"flows::servers::server\", \"--exact\", \"--ignored\", \"--nocapture\", \"--test-threads=2\"]\n",
            program.display().to_string()
        )
    });
    place.write("contexture.toml", &sections.collect::<String>());
    place
}

fn accept(place: &Place, server: &str) {
    let shout = Definition::new("shout", serde_json::from_str::<Value>(SCHEMA).unwrap());
    let fails = Definition::new("fails", json!({ "type": "object" }));
    let classes = Classes::from(["shout", "fails"].map(|name| (name.to_owned(), Class::Read)));
    servers::accept(&place.project(), server, vec![fails, shout], &classes).unwrap();
}

fn trusted(mut request: FlowRequest) -> FlowRequest {
    request.run.servers = Consent { approve_project: true, ..Consent::default() };
    request
}

fn shout(action: &str) -> FlowRequest {
    trusted(instructions(&json!([
        { "instructionId": "first", "action": action, "parameters": { "text": "hey" } },
        { "instructionId": "again", "action": action, "dependencies": ["first"],
          "parameters": { "text": "${dependencies.first.result} you" } }
    ])))
}

#[test]
fn fl_3_accepted_tools_of_servers_are_actions() {
    let place = place(&["words"]);
    accept(&place, "words");
    for action in ["mcp:words/shout", "shout"] {
        let report = run(&place, shout(action));
        assert_eq!(result(&report, "again"), json!("HEY you".to_uppercase()), "{action}");
    }
    let report = run(
        &place,
        trusted(instructions(&json!([
            { "instructionId": "wrong", "action": "shout", "parameters": { "txt": "hey" } },
            { "instructionId": "fails", "action": "mcp:words/fails" }
        ]))),
    );
    assert_eq!(error(&report, "wrong").0, "VALIDATION_FAILED");
    let (code, message) = error(&report, "fails");
    assert!(message.contains("no luck"), "{code}: {message}");
}

#[test]
fn fl_6_tool_name_of_several_servers_is_unknown_without_server() {
    let place = place(&["words", "others"]);
    accept(&place, "words");
    accept(&place, "others");
    let Err(FlowError::Refused(report)) = prepare(&place, shout("shout")) else {
        panic!("nobody knows which one is meant")
    };
    assert_eq!(report.diagnostics[0].code, "UNKNOWN_ACTION");
    assert_eq!(result(&run(&place, shout("mcp:others/shout")), "first"), json!("HEY"));
}

#[test]
fn fl_6_server_or_tool_not_accepted_refuses_set_with_reason() {
    let place = place(&["words"]);
    let error = prepare(&place, shout("mcp:words/shout")).err().unwrap();
    assert!(matches!(error, FlowError::Setup(_)), "{error:?}");
    assert!(error.help().unwrap().contains("mcp-servers accept words"), "{error:?}");

    accept(&place, "words");
    let error = prepare(&place, shout("mcp:words/shuot")).err().unwrap();
    let FlowError::Refused(report) = error else { panic!("{error:?}") };
    let help = report.diagnostics[0].help.clone().unwrap();
    assert!(help.contains("mcp:words/shout"), "{help}");
    assert_eq!(prepare(&place, shout("mcp:nobody/x")).err().unwrap().code(), "UNKNOWN_ACTION");

    // Accepted is not allowed: nobody here said that the server may be started.
    let mut request = shout("mcp:words/shout");
    request.run.servers = Consent::default();
    let report = run(&place, request);
    let (code, message) = error_of(&report);
    assert!(message.contains("nobody here has allowed"), "{code}: {message}");
}

fn error_of(report: &contexture::flow::run::Report) -> (String, String) {
    error(report, "first")
}
