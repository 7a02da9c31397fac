//! The label of a stored value, which stands beside it in a field of its own (GU-4).

use contexture_context::{Label, Trust};
use serde::Deserialize as _;
use serde_json::Value;

/// The field with the label of what a record or a message was made of. Neither programs nor clients
/// see it.
pub const LABEL: &str = "$label";

/// Reads a label. One that can't be read, of a newer version or written by hand, is the lowest.
#[must_use]
pub fn read_label(value: &Value) -> Label {
    let known = Label::deserialize(value);
    Label::default().join(&known.unwrap_or_else(|_| Label::from(Trust::Web)))
}
