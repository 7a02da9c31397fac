//! Shapes and the lenient reading of model answers.
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
