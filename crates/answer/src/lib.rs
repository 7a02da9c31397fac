//! What a model answered, read as what the program asked for.
//!
//! A [`Shape`] says what an answer must look like. From it come the JSON Schema for providers that
//! take one ([`Shape::to_json_schema`]), the words for all others ([`contract`]), the check of what
//! came back ([`read`]) and the message for another try ([`repair_message`]).
//!
//! Models write JSON the way people do: in fences, after a paragraph of thinking, with the quotes
//! and commas of their language, and sometimes only half of it. [`read`] takes that as it is and
//! says what it mended; what has two readings it does not guess. The decision behind it: one
//! hand-written pass that builds the value directly, rather than a repaired text that is parsed
//! again, since only a parser that knows where it stands can tell a quote that ends a string from
//! one that belongs to it. Valid JSON takes the plain branches of the same pass and is as fast as a
//! strict parser. `bench/answer` compares speed and correctness with other repairers.
//!
//! ```
//! use contexture_answer::{Field, ReadOptions, Shape, read};
//! use serde_json::json;
//!
//! let shape = Shape::Object(vec![
//!     Field::new("ok", Shape::Boolean),
//!     Field::new("items", Shape::list(Shape::String)),
//! ]);
//! let raw = "Sure!\n```json\n{ok: True, 'items': [“a, b”, \"c\",]\n```";
//! let reading = read(raw, Some(&shape), &ReadOptions::lenient())?;
//! assert_eq!(reading.value, json!({"ok": true, "items": ["a, b", "c"]}));
//!
//! let error = read(r#"{"ok": "yes"}"#, Some(&shape), &ReadOptions::lenient()).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "ok: expected boolean, found string \"yes\"; \
//!      items: expected list[string], found nothing: the field is missing"
//! );
//! # Ok::<(), contexture_answer::AnswerError>(())
//! ```
//!
//! The crate is pure: it touches no file, clock, network or thread. Every reading is bounded by
//! [`Limits`], takes time in proportion to the text and never panics.

mod coerce;
mod contract;
mod error;
mod lenient;
mod options;
mod partial;
mod path;
mod read;
mod repair;
mod shape;
mod validate;

pub use coerce::{Coercion, coerce};
pub use contract::{contract, repair_message};
pub use error::{AnswerError, FieldError};
pub use options::{Limits, ReadOptions};
pub use partial::Partial;
pub use read::{Reading, read};
pub use repair::{Repair, RepairKind};
pub use shape::{Field, NotStrict, Shape, ShapeError};
pub use validate::{Extra, Faults, validate};
