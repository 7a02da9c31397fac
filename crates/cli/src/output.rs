//! The output of commands: errors, diagnostics, tables and progress.

pub(crate) mod canvas;
pub(crate) mod diagnostics;
pub(crate) mod error;
pub(crate) mod paint;
pub(crate) mod progress;
mod spinner;
mod stream;
pub(crate) mod terminal;
pub(crate) mod text;
