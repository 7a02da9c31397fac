use super::*;
use crate::{Connection, ServerError, serve};
use lsp_server::{Message, Notification, Request};

fn request(id: i32, method: &str, params: Value) -> Message {
    Request::new(id.into(), method.to_owned(), params).into()
}

fn tell(method: &str, params: Value) -> Message {
    Notification::new(method.to_owned(), params).into()
}

fn opened(text: &str) -> Message {
    let document =
        json!({ "uri": uri("main.as"), "languageId": "agentscript", "version": 1, "text": text });
    tell("textDocument/didOpen", json!({ "textDocument": document }))
}

/// Sends all messages at once, and returns what the server says.
fn session(messages: Vec<Message>) -> (Vec<Value>, Result<(), ServerError>) {
    let (server, client) = Connection::memory();
    let hello = request(0, "initialize", json!({ "capabilities": {}, "rootUri": "file:///w" }));
    let begin = [hello, tell("initialized", json!({}))];
    for message in begin.into_iter().chain(messages) {
        client.sender.send(message).unwrap();
    }
    let end = serve(&server, &files(&[]));
    drop(server);
    let said = client.receiver.iter().map(|message| serde_json::to_value(message).unwrap());
    (said.collect(), end)
}

fn ending(mut messages: Vec<Message>) -> Vec<Message> {
    messages.extend([request(99, "shutdown", Value::Null), tell("exit", Value::Null)]);
    messages
}

#[test]
fn ty_10_session_begins_and_ends() {
    let (said, end) = session(ending(vec![]));
    assert!(end.is_ok());
    assert_eq!(said[0]["result"]["capabilities"]["renameProvider"]["prepareProvider"], true);
    assert_eq!((&said[1]["id"], &said[1]["result"]), (&json!(99), &Value::Null));
}

#[test]
fn ty_10_request_that_is_cancelled_is_not_worked_on() {
    let at = json!({ "textDocument": { "uri": uri("main.as") }, "position": { "line": 0, "character": 0 } });
    let (said, end) = session(ending(vec![
        opened("main func(q) { q }"),
        request(1, "textDocument/hover", at.clone()),
        tell("$/cancelRequest", json!({ "id": 1 })),
        request(2, "textDocument/hover", at),
    ]));
    assert!(end.is_ok());
    let answer = |id: i64| said.iter().find(|one| one["id"] == id).unwrap();
    assert_eq!(answer(1)["error"]["code"], -32800);
    assert_eq!(answer(2)["error"], Value::Null);
}

#[test]
fn ty_10_malformed_and_unknown_requests_are_refused() {
    let (said, end) = session(ending(vec![
        request(1, "textDocument/hover", json!({ "textDocument": 7 })),
        request(2, "textDocument/moniker", json!({})),
        request(3, "textDocument/hover", json!({ "textDocument": { "uri": "file:///w/none.as" } })),
        tell("textDocument/didChange", json!({ "textDocument": null })),
        tell("textDocument/didClose", json!({})),
        opened("main func("),
    ]));
    assert!(end.is_ok());
    let codes: Vec<&Value> = said[1..4].iter().map(|one| &one["error"]["code"]).collect();
    assert_eq!(codes, [&json!(-32602), &json!(-32601), &Value::Null]);
}

#[test]
fn ty_10_end_without_shutdown_is_an_error() {
    let (_, end) = session(vec![tell("exit", Value::Null)]);
    assert_eq!(end.unwrap_err().to_string(), "the editor broke off: `exit` without `shutdown`");
}
