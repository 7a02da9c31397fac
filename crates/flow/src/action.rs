//! The port to what is done: actions and tools by their names. It stands in [`contexture_core`].

pub use contexture_core::action::*;
