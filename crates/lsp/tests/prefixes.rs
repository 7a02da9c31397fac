//! No text that is being written ends the server: each specimen, begun, with every request at its end.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    reason = "a test reads the specimens, and one that can't go on has failed"
)]

use contexture_lsp::{Connection, MemoryWorkspace, serve};
use lsp_server::{Message, Notification, Request};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const REQUESTS: &[&str] = &[
    "hover",
    "completion",
    "signatureHelp",
    "definition",
    "references",
    "documentHighlight",
    "documentSymbol",
    "codeAction",
    "codeLens",
    "formatting",
    "rangeFormatting",
    "prepareRename",
    "rename",
    "foldingRange",
    "inlayHint",
    "semanticTokens/full",
];

/// The number of beginnings of each text.
const BEGINNINGS: usize = 12;

fn specimens(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            specimens(&path, found);
        } else if path.extension().is_some_and(|end| end == "as" || end == "txt") {
            found.push(path);
        }
    }
}

fn asked(text: &str, id: &mut i32) -> Vec<Message> {
    let uri = "file:///w/main.as";
    let document = json!({ "uri": uri, "languageId": "agentscript", "version": 1, "text": text });
    let opened = json!({ "textDocument": document });
    let mut messages: Vec<Message> =
        vec![Notification::new("textDocument/didOpen".to_owned(), opened).into()];
    let line = text.matches('\n').count();
    let column = text.rsplit('\n').next().unwrap().encode_utf16().count();
    let end = json!({ "line": line, "character": column });
    let params = json!({
        "textDocument": { "uri": uri },
        "position": end,
        "range": { "start": { "line": 0, "character": 0 }, "end": end },
        "newName": "renamed",
    });
    for request in REQUESTS {
        *id += 1;
        let method = format!("textDocument/{request}");
        messages.push(Request::new((*id).into(), method, params.clone()).into());
    }
    messages
}

#[test]
fn ty_10_every_beginning_of_every_specimen_is_answered() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../script/tests/specimens");
    let mut found = Vec::new();
    specimens(&root, &mut found);
    assert!(found.len() > 100);
    let (mut id, mut messages) = (0, Vec::new());
    for path in found {
        let Ok(text) = fs::read_to_string(path) else { continue };
        let step = (text.len() / BEGINNINGS).max(1);
        let ends = (0..=text.len()).step_by(step).filter(|end| text.is_char_boundary(*end));
        ends.for_each(|end| messages.extend(asked(&text[..end], &mut id)));
    }
    let (server, client) = Connection::memory();
    let hello = json!({ "capabilities": {}, "rootUri": "file:///w" });
    let send = |message: Message| client.sender.send(message).unwrap();
    send(Request::new(0.into(), "initialize".to_owned(), hello).into());
    send(Notification::new("initialized".to_owned(), json!({})).into());
    messages.into_iter().for_each(send);
    send(Request::new(i32::MAX.into(), "shutdown".to_owned(), Value::Null).into());
    send(Notification::new("exit".to_owned(), Value::Null).into());
    serve(&server, &|_| Ok(Box::new(MemoryWorkspace::new("/w")))).unwrap();
    drop(server);
    let answers = client.receiver.iter().filter(|said| matches!(said, Message::Response(_)));
    // Those of `initialize` and `shutdown`, too.
    assert_eq!(answers.count(), usize::try_from(id).unwrap() + 2);
}
