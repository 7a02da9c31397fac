//! Migration of programs from version 0.1.3 to 0.1.5 (AS-31): `<` as a limit becomes `max`, `limit`
//! inside `generate` becomes `max_output`, commas are added, and a function whose last statement is
//! an `if` with an `else` returns from its blocks; and from the first versions, in which the shape of
//! an answer was written `generate({ … }) { return { … } }` (TY-8).
//!
//! Decision: the text is edited, not reprinted, so that comments, layout and everything that is not
//! old stay byte for byte. The edits are the fixes of the parser's own diagnostics, so what `check`
//! reports and what this fixes can't differ.
//!
//! ```
//! use contexture_context::Limits;
//! use contexture_diagnostic::SourceFile;
//! use contexture_script::migrate::migrate;
//!
//! let old = "func f(input) {\n  use input < 4k -- all of it\n}\n";
//! let new = migrate(&SourceFile::new("a.as", old), &Limits::default());
//! assert_eq!(new.text, "func f(input) {\n  use input max 4k -- all of it\n}\n");
//! assert_eq!(new.changes, 1);
//! ```

#[cfg(test)]
mod tests;

use crate::syntax::parse;
use contexture_context::Limits;
use contexture_diagnostic::{Diagnostic, SourceFile, apply};

/// A migrated text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migrated {
    /// The text in the new syntax.
    pub text: String,
    /// The number of fixed places.
    pub changes: usize,
    /// The remaining syntax errors of the new text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Rewrites old syntax. A text without any is returned unchanged. In a text with other errors, as
/// much is fixed as can be parsed.
#[must_use]
pub fn migrate(source: &SourceFile, limits: &Limits) -> Migrated {
    let mut text = source.text().to_owned();
    let mut diagnostics = parse(source, limits).diagnostics;
    let mut changes = 0;
    loop {
        let fixes: Vec<&Diagnostic> = diagnostics.iter().filter(|fault| is_old(fault)).collect();
        if fixes.is_empty() {
            return Migrated { text, changes, diagnostics };
        }
        let before = fixes.len();
        let (edited, applied) = apply(&text, fixes);
        let after = SourceFile::new(source.name(), edited.as_str());
        let left = parse(&after, limits).diagnostics;
        // Among other errors a fix may not be parsed as intended; then it is not made.
        if left.iter().filter(|fault| is_old(fault)).count() >= before {
            return Migrated { text, changes, diagnostics };
        }
        (text, diagnostics) = (edited, left);
        changes += applied;
    }
}

/// Reports whether a diagnostic is about old syntax and has a fix.
fn is_old(fault: &Diagnostic) -> bool {
    fault.code.starts_with("AS7") && !fault.fix.is_empty()
}
