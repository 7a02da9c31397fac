//! The contract of connections, run over the one in memory and the real one.

use crate::definition::{Definition, Offer};
use crate::error::McpError;
use crate::port::{BoxFuture, Connection, Content, Reply};
use serde_json::{Map, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// The record of a server on how it was treated.
pub(crate) trait ServerLog {
    /// Offers other tools from now on, and sends a notification.
    fn change(&self, tools: Vec<Definition>) -> BoxFuture<'_, ()>;
    /// Returns the tools whose calls were abandoned.
    fn abandoned(&self) -> Vec<String>;
}

/// Returns the tools of the server that the suite talks to: `echo` gives its `text`, `structured` a
/// value, `fail` reports that it failed, `wait` never answers.
pub(crate) fn tools() -> Vec<Definition> {
    let text = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    let mut tools = vec![Definition::new("wait", json!({"type": "object"}))];
    tools.push(Definition::new("echo", text).described("Gives back a text."));
    tools.push(Definition::new("structured", json!({"type": "object"})));
    tools.push(Definition::new("fail", json!({"type": "object"})));
    tools
}

/// Waits for something that a server does in its own time.
async fn eventually(mut happened: impl FnMut() -> bool) -> bool {
    let wait = async {
        while !happened() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(5), wait).await.is_ok()
}

/// Checks the contract of a connection.
pub(crate) async fn suite(connection: Arc<dyn Connection>, log: &dyn ServerLog) {
    let names = |all: &[Definition]| -> Vec<String> {
        all.iter().map(|definition| definition.name.clone()).collect()
    };
    let none = Map::new;
    let Offer { tools: offered, left_out } = connection.offer().await.unwrap();
    assert!(left_out.is_empty(), "{left_out:?}");
    assert_eq!(names(&offered), ["echo", "fail", "structured", "wait"]);
    assert_eq!(offered[0].description.as_deref(), Some("Gives back a text."));
    assert_eq!(offered[0].digest(), tools()[1].digest(), "a definition comes through unchanged");

    let text = Map::from_iter([("text".to_owned(), json!("a\nb — ü"))]);
    assert_eq!(connection.call("echo", text, None).await, Ok(Reply::from("a\nb — ü".to_owned())));
    let structured = connection.call("structured", none(), None).await.unwrap();
    assert_eq!(structured.structured, Some(json!({"n": 1})));
    let failed = connection.call("fail", none(), None).await.unwrap();
    assert!(failed.is_error);
    assert_eq!(failed.content, [Content::Text("no luck".to_owned())]);
    let unknown = connection.call("nothing", none(), None).await.unwrap_err();
    assert!(matches!(unknown, McpError::Refused { code: -32602, .. }), "{unknown:?}");

    let late = timeout(Duration::from_millis(50), connection.call("wait", none(), None)).await;
    assert!(late.is_err(), "it never answers");
    assert!(eventually(|| log.abandoned() == ["wait"]).await, "{:?}", log.abandoned());

    let before = connection.revision();
    log.change(vec![Definition::new("echo", json!({"type": "object"}))]).await;
    assert!(eventually(|| connection.revision() > before).await, "the change is told");
    assert_eq!(names(&connection.offer().await.unwrap().tools), ["echo"]);

    assert!(!connection.is_closed());
    connection.close().await;
    assert!(connection.is_closed());
    let closed = connection.call("echo", none(), None).await.unwrap_err();
    assert!(matches!(closed, McpError::Unreachable { .. }), "{closed:?}");
}
