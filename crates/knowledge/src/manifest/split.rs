//! Frontmatter and body.

use crate::codes::{self, Code};
use crate::finding::Finding;
use std::path::Path;

/// The largest frontmatter that is read, in bytes.
pub const MAX_FRONTMATTER_BYTES: usize = 64 << 10;

/// The two parts of a `KNOWLEDGE.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts<'t> {
    /// The frontmatter with its opening line, without the closing one.
    pub frontmatter: &'t str,
    /// The text after the closing line.
    pub body: &'t str,
    /// The line that the body begins in, counted from 1.
    pub body_line: u32,
}

/// The reason why a text has no frontmatter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitProblem {
    /// The first line is not `---`.
    NoOpening,
    /// There is no closing line.
    Unclosed,
    /// There is none within the first [`MAX_FRONTMATTER_BYTES`].
    TooLarge,
    /// It is not UTF-8.
    NotText,
}

impl SplitProblem {
    fn code(self) -> Code {
        match self {
            Self::NoOpening => codes::NO_FRONTMATTER,
            Self::Unclosed => codes::UNCLOSED_FRONTMATTER,
            Self::TooLarge => codes::LARGE_FRONTMATTER,
            Self::NotText => codes::GUIDE_NOT_TEXT,
        }
    }

    /// Returns the expected and the found text.
    #[must_use]
    pub fn message(self) -> String {
        match self {
            Self::NoOpening => {
                "KNOWLEDGE.md does not begin with frontmatter: expected `---` as its \
                                first line"
                    .to_owned()
            }
            Self::Unclosed => {
                "the frontmatter of KNOWLEDGE.md is not closed: expected a line `---`, \
                               found the end of the file"
                    .to_owned()
            }
            Self::TooLarge => format!(
                "the frontmatter of KNOWLEDGE.md is too large or not closed: no line `---` in its \
                 first {MAX_FRONTMATTER_BYTES} bytes"
            ),
            Self::NotText => "the frontmatter of KNOWLEDGE.md is not UTF-8 text".to_owned(),
        }
    }

    pub(crate) fn finding(self, location: &Path) -> Finding {
        let code = self.code();
        Finding::explained(code, location, self.message())
    }
}

/// Parts a text at the closing line of its frontmatter. A BOM, CRLF and blanks behind the dashes
/// do not matter.
///
/// # Errors
/// `SplitProblem` when there is no frontmatter, or it is not closed or too large.
pub fn split(text: &str) -> Result<Parts<'_>, SplitProblem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (end, body) = closing(text.as_bytes(), true)?;
    let frontmatter = text.get(..end).unwrap_or_default();
    let lines = frontmatter.matches('\n').count();
    Ok(Parts {
        frontmatter,
        body: text.get(body..).unwrap_or_default(),
        body_line: u32::try_from(lines).unwrap_or(u32::MAX).saturating_add(2),
    })
}

/// Returns the frontmatter at the beginning of a file, with its opening line; `is_whole` when
/// nothing of the file is missing.
pub(crate) fn frontmatter(bytes: &[u8], is_whole: bool) -> Result<&[u8], SplitProblem> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let (end, _) = closing(bytes, is_whole)?;
    bytes.get(..end).ok_or(SplitProblem::Unclosed)
}

/// Returns where the closing line begins, and where the line after it does.
fn closing(bytes: &[u8], is_whole: bool) -> Result<(usize, usize), SplitProblem> {
    let mut at = 0;
    for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if number == 0 && !is_fence(line) {
            return Err(SplitProblem::NoOpening);
        }
        let next = at + line.len();
        let is_complete = is_whole || line.ends_with(b"\n");
        if number > 0 && is_complete && is_fence(line) {
            return if at <= MAX_FRONTMATTER_BYTES {
                Ok((at, next))
            } else {
                Err(SplitProblem::TooLarge)
            };
        }
        if next > MAX_FRONTMATTER_BYTES {
            return Err(SplitProblem::TooLarge);
        }
        at = next;
    }
    Err(if at == 0 { SplitProblem::NoOpening } else { SplitProblem::Unclosed })
}

fn is_fence(line: &[u8]) -> bool {
    line.trim_ascii_end() == b"---"
}
