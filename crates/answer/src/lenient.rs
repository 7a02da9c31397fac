//! Raw text to JSON values, however broken (AS-21).
//!
//! One pass over the bytes builds the value directly. Valid JSON takes the plain branches of
//! [`container`] and nothing else; the first byte that JSON does not expect leads to [`recover`],
//! which decides what was meant. The hard question is where a string ends when quotes inside it are
//! not escaped: [`quoted`] answers it by the text after each quote, and only where the plain branch
//! met something odd. Every look ahead is bounded and the careful reading has a budget of bytes, so
//! the time is in proportion to the text.

mod bare;
mod chars;
mod container;
mod escape;
mod look;
mod number;
mod opening;
mod parser;
mod quoted;
mod recover;
mod scan;
mod string;
mod think;
mod word;

pub(crate) use chars::{closes, is_quote};
pub(crate) use escape::unescape_once;
pub(crate) use number::number_text;
pub(crate) use scan::{Event, Found, Scan, Source};
pub(crate) use think::body;
pub(crate) use word::single;
