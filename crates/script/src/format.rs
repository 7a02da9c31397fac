//! The formatter: one layout for every program (AS-31).
//!
//! Two spaces of indent, one statement per line, a blank line around agents and functions,
//! operators and labels spaced once. An object, list or shape stays broken over lines where it was
//! broken, and is broken where its line would pass 100 columns; there is no comma after the last
//! item, and fields of a broken shape are separated by line breaks alone. A function, `try` or
//! `parallel for` whose body is one short expression may stay on one line.
//!
//! Decision: the tree decides the layout, the tokens are the text. Every token and comment of the
//! source except commas is printed unchanged, so nothing can be lost or change its meaning.
//!
//! ```
//! use contexture_context::Limits;
//! use contexture_diagnostic::SourceFile;
//! use contexture_script::format::format;
//!
//! let source = SourceFile::new("a.as", "main func(input){x=1 // one\nx+2}");
//! let text = format(&source, &Limits::default()).unwrap();
//! assert_eq!(text, "main func(input) {\n  x = 1 // one\n  x + 2\n}\n");
//! ```

mod build;
mod expressions;
mod items;
mod print;
mod statements;

#[cfg(test)]
mod tests;

use crate::syntax::parse;
use build::Builder;
use contexture_context::Limits;
use contexture_diagnostic::{Diagnostic, Severity, SourceFile};

/// Formats a program.
///
/// # Errors
/// The syntax errors; code that can't be parsed can't be formatted. Old syntax is such an error:
/// [`crate::migrate`] fixes it.
pub fn format(source: &SourceFile, limits: &Limits) -> Result<String, Vec<Diagnostic>> {
    let parsed = parse(source, limits);
    let errors: Vec<Diagnostic> =
        parsed.diagnostics.into_iter().filter(|fault| fault.severity == Severity::Error).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut builder = Builder::new(source.text(), &parsed.tokens);
    builder.file(&parsed.file);
    Ok(print::print(source.text(), &parsed.tokens, &builder.finish()))
}
