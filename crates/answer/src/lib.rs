//! Parsing of a model's answer into the shape that the program expects.
//!
//! A [`Shape`] describes the expected answer. It gives the JSON Schema for providers that take one
//! ([`Shape::to_json_schema`]), the instructions for all others ([`contract`]), the check of the
//! answer ([`read`]) and the message for another attempt ([`repair_message`]).
//!
//! Models write JSON the way people do: in fences, after a paragraph of thinking, with the quotes
//! and commas of their language, and sometimes only half of it. [`read`] accepts that and reports
//! its repairs; it does not guess where two readings are possible. The decision behind it: one
//! hand-written pass that builds the value directly, rather than a repaired text that is parsed
//! again, since only a parser that knows its position can distinguish a quote that ends a string
//! from one that belongs to it. Valid JSON takes the plain branches of the same pass and is as fast
//! as a strict parser. `bench/answer` compares speed and correctness with other repairers.
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
pub use shape::{Bounds, Defined, Field, NotStrict, Pattern, Shape, ShapeError, View};
pub use validate::{Extra, Faults, validate};
