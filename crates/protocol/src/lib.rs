//! The messages of the context protocol (MCP-CP 1.0.0): types, checks, schemas, paths and errors.
//!
//! Decision: a text is taken apart once, and what was found is moved into the type. So every fault
//! of a message is found in one pass and named by its JSON pointer,
//! unknown fields and types survive, and a number that can't be kept as it is is refused. The crate is pure: ids,
//! clocks and connections belong to its callers.
//!
//! ```
//! use contexture_protocol::{Body, ErrorCode, Limits, Message};
//!
//! let text = r#"{"messageId": "msg_001", "contextId": "ctx_weather",
//!     "timestamp": "2025-12-01T10:00:00Z", "type": "USER_INPUT",
//!     "sender": {"id": "user_123", "type": "USER"},
//!     "content": {"text": "What is the weather like?"}}"#;
//! let message = Message::parse(text.as_bytes(), &Limits::WIRE)?;
//! assert!(matches!(message.body, Body::UserInput(_)));
//!
//! let forged = text.replace("\"USER\"", "\"ROBOT\"").replace("\"text\"", "\"txt\"");
//! let refusal = Message::parse(forged.as_bytes(), &Limits::WIRE).unwrap_err();
//! assert_eq!(refusal.code, ErrorCode::ValidationFailed);
//! assert_eq!(
//!     refusal.violations.iter().map(ToString::to_string).collect::<Vec<_>>(),
//!     [
//!         "/sender/type: expected one of \"USER\", \"MODEL\", \"SYSTEM\", \"TOOL\", found the string \"ROBOT\"",
//!         "/content/text: expected a string, found nothing",
//!     ]
//! );
//! # Ok::<_, Box<contexture_protocol::Refusal>>(())
//! ```

mod batch;
mod body;
mod canonical;
pub mod content;
mod error;
mod exact;
pub mod extension;
mod json;
mod limits;
mod message;
mod node;
mod number;
mod path;
mod read;
mod record;
pub mod reference;
mod refusal;
mod report;
pub mod schema;
mod shape;
mod time;
mod version;

pub use batch::Batch;
pub use body::{Body, KINDS, Kind};
pub use canonical::canonical;
pub use error::ErrorCode;
pub use json::parse_value;
pub use limits::Limits;
pub use message::{Draft, Message, Sender, SenderType};
pub use number::{Count, Factor, Millis, Seconds};
pub use path::{BadPath, PathError, Segment, StatePath};
pub use refusal::Refusal;
pub use report::Violation;
pub use time::{
    BadTimestamp, CALENDAR_UNITS, CalendarParts, CalendarUnit, Moment, OutOfCalendar, Timestamp,
};
pub use version::{SUBPROTOCOL, VERSION, VERSION_HEADER, Version};
