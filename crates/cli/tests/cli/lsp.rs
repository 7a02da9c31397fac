//! `contexture lsp` over its pipes (TY-10).

use crate::support::Sandbox;
use serde_json::{Value, json};

fn framed(messages: &[Value]) -> String {
    let framed = |message: &Value| {
        let body = message.to_string();
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    };
    messages.iter().map(framed).collect()
}

#[test]
fn ty_10_client_that_leaves_without_exit_gets_last_message_whole() {
    let sandbox = Sandbox::new();
    let uri = |path: &str| format!("file://{}", sandbox.path(path).display());
    let text = format!("main func(input) {{\n{}}}\n", "  a = missing\n".repeat(3_000));
    let document =
        json!({ "uri": uri("a.as"), "languageId": "agentscript", "version": 1, "text": text });
    let sent = framed(&[
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": { "capabilities": {}, "rootUri": uri("") } }),
        json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }),
        json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen",
            "params": { "textDocument": document } }),
    ]);
    for _ in 0..20 {
        let out = sandbox.run_with(["lsp"], &sent).exits(1).stdout;
        let (_, last) = out.rsplit_once("Content-Length: ").unwrap();
        let (length, body) = last.split_once("\r\n\r\n").unwrap();
        assert_eq!(body.len(), length.parse::<usize>().unwrap());
        assert!(body.contains("textDocument/publishDiagnostics"), "{body:.200}");
    }
}
