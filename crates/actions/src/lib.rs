//! The built-in actions of flows (FL-3); they are tools too.
//!
//! | action | parameters | result | kind |
//! |---|---|---|---|
//! | `echo` | any | its parameters | QUERY |
//! | `fail` | code?, message?, details?, partial? | fails so | QUERY |
//! | `sleep` | ms | `{ms}` | QUERY |
//! | `clock` | | `{value, timestamp, epochMs}` | QUERY |
//! | `calculator` | expression | `{value}` | QUERY |
//! | `file_read` | path | `{value, source}` | QUERY |
//! | `file_list` | path? | `{value, source, notes?}` | QUERY |
//! | `file_write` | path, content | `{ok, path}` | OPERATION |
//! | `text_search` | pattern, path?, include?, max?, literal?, ignore_case? | `{value, count, truncated, notes?}` | QUERY |
//! | `http_get` | url, headers?, timeout? (ms) | `{value, ok, status, headers, source, notes?}` | QUERY |
//! | `http_send` | url, method?, headers?, body?, timeout? (ms) | the same | OPERATION |
//! | `database_query` | query, limit?, offset?, database?, values?, timeout? (s) | `{value, columns, count, source, timestamp, more?}` | QUERY |
//! | `database_create` | database, script or file, timeout? (s) | `{database, created}` | OPERATION, idempotent |
//! | `QUERY_DATA` | query, limit?, offset?, database?, values?, timeout? (s) | `{data, count, more?}` | QUERY |
//!
//! A QUERY is idempotent: after a crash in the middle of one it is repeated. Those that take no
//! free set of parameters also take `idempotencyKey` (FL-11). Files, HTTP and SQL need
//! [`Settings::workspace`].
//!
//! Decision: each action stands in one place with its kind, its JSON Schema and its work; the
//! schema carries the descriptions, so that a model can be offered the action as a tool. Blocking
//! work runs on threads for that; dropped work stops.
//!
//! ```
//! use contexture_actions::{Settings, builtin};
//! use contexture_flow::Set;
//! use contexture_flow::check::{Earlier, check};
//! use contexture_flow::run::{Options, Run};
//! use contexture_protocol::Limits;
//! use serde_json::json;
//! use std::sync::Arc;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), contexture_flow::check::Report> {
//! let actions = builtin(&Settings::default());
//! let set = Set::parse(
//!     br#"{"calls": [{"callId": "sum", "name": "calculator", "parameters": {"expression": "2*(3+4)"}}]}"#,
//!     &Limits::FILE,
//! )?;
//! let plan = check(set, &actions, &Earlier::default())?;
//! let report = Run::new(plan, Arc::new(actions), Options::default()).run().await;
//! assert_eq!(report.outcome(0).unwrap().result, Some(json!({"value": 14})));
//! # Ok(())
//! # }
//! ```

mod basics;
mod calculator;
mod failure;
mod files;
mod http;
mod result;
mod settings;
mod shape;
mod sql;

pub use http::Endpoint;
pub use settings::{Clock, Limits, Settings, SystemClock};

use contexture_flow::action::Registry;
use contexture_tools::Tools;
use std::sync::Arc;

/// Returns the actions, to be called inside a tokio runtime with time.
#[must_use]
pub fn builtin(settings: &Settings) -> Registry {
    let mut registry = Registry::default();
    basics::register(&mut registry, &settings.clock);
    calculator::register(&mut registry);
    if let Some(workspace) = &settings.workspace {
        let tools = Arc::new(Tools::new(Arc::clone(workspace), settings.tools.clone()));
        files::register(&mut registry, &tools);
        http::register(&mut registry, &tools, &settings.tools.allow_private);
        sql::register(&mut registry, settings, workspace);
    }
    registry
}
