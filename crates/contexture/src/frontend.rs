//! Tools of a front end: what a client on a user's device can do for a program (AS-25, CP-13,
//! CP-14).
//!
//! Decision: a run knows clients by this one small port. Who they are, whether the user allows a
//! call and over which connection it goes is the business of what stands behind it; a run only
//! knows what was announced, asks, and waits. Without anything behind it a call fails with
//! [`CLIENT_UNAVAILABLE`].
//!
//! ```
//! use contexture::frontend::{Frontend, FrontendCall, FrontendTool, Page};
//! use serde_json::json;
//!
//! let page = Page::new().with(
//!     FrontendTool::new("geolocation", json!({ "type": "object", "properties": {} })),
//!     |_| Ok(json!({ "latitude": 59.9, "longitude": 10.7 })),
//! );
//! assert_eq!(page.definitions()[0].tool_id, "geolocation");
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! let call = FrontendCall {
//!     call_id: "call_1".to_owned(),
//!     tool_id: "geolocation".to_owned(),
//!     parameters: serde_json::Map::new(),
//!     from_model: false,
//!     flow: None,
//! };
//! assert_eq!(page.call(call).await.unwrap()["latitude"], json!(59.9));
//! # });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod page;
mod port;
mod schema;

pub use page::Page;
pub use port::{
    CLIENT_UNAVAILABLE, FlowCall, Frontend, FrontendCall, FrontendFailure, FrontendTool,
    PERMISSION_DENIED, TIMEOUT,
};
pub use schema::check as faults;
pub(crate) use schema::check;
