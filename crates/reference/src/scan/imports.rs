//! Imports in files for agents: `@docs/a.md` (MA-3).
//!
//! Decision: an import begins the text or follows white space, and ends at white space, without the
//! punctuation behind it. What has an ending, or begins as only a path does, is one for certain;
//! anything else, such as `@ann` or `@types/node`, may be a mention.

use super::{Scan, scan};
use memchr::memchr;

/// An import of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Import<'a> {
    /// The path as written.
    pub path: &'a str,
    /// Its start with the `@`, in bytes.
    pub start: usize,
    /// Its end, in bytes.
    pub end: usize,
    /// True if it can only be a path; otherwise it may be a mention.
    pub is_path: bool,
}

/// Finds the imports of a Markdown text, in order, none in code. References are none.
#[must_use]
pub fn imports(text: &str) -> Imports<'_> {
    Imports { scan: scan(text) }
}

/// The imports of a text; made by [`imports`].
#[derive(Debug, Clone)]
pub struct Imports<'a> {
    scan: Scan<'a>,
}

impl<'a> Iterator for Imports<'a> {
    type Item = Import<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.scan.text;
        loop {
            let at = self.scan.at;
            let start = at + memchr(b'@', text.as_bytes().get(at..)?)?;
            self.scan.at = start + 1;
            let before = text.get(..start).and_then(|before| before.chars().next_back());
            if before.is_some_and(|before| !before.is_whitespace()) {
                continue;
            }
            if let Some(end) = self.scan.code_end(start) {
                self.scan.at = end;
                continue;
            }
            let rest = text.get(start + 1..).unwrap_or_default();
            let Some(path) = path(rest) else { continue };
            let end = start + 1 + path.len();
            self.scan.at = end;
            return Some(Import { path, start, end, is_path: is_path(path) });
        }
    }
}

/// Returns the path that a text begins with.
fn path(rest: &str) -> Option<&str> {
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let path = rest.get(..end)?.trim_end_matches(|last: char| {
        matches!(last, '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '"' | '\'' | '*')
            || (!last.is_ascii() && !last.is_alphanumeric())
    });
    let first = path.chars().next()?;
    let begins = first.is_alphanumeric() || matches!(first, '.' | '_' | '~' | '/');
    (begins && !path.contains(':') && !path.contains(['?', '*'])).then_some(path)
}

fn is_path(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty() && !ending.is_empty() && ending.chars().all(char::is_alphanumeric)
    });
    has_ending || ["./", "../", "~/", "/"].iter().any(|start| path.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(&str, bool)> {
        imports(text).map(|import| (import.path, import.is_path)).collect()
    }

    #[test]
    fn ma_3_imports_are_found_outside_code() {
        let text =
            "@docs/a.md and `@docs/no.md`.\n\n```\n@docs/no.md\n```\n- See @./b.md, @~/c.md.\n";
        assert_eq!(found(text), [("docs/a.md", true), ("./b.md", true), ("~/c.md", true)]);
    }

    #[test]
    fn ma_3_mentions_are_told_from_paths() {
        let text = "Ask @ann, install @types/node, read @README and @docs/guide.";
        let names =
            [("ann", false), ("types/node", false), ("README", false), ("docs/guide", false)];
        assert_eq!(found(text), names);
    }

    #[test]
    fn ma_3_addresses_and_references_are_not_imports() {
        assert_eq!(found("ann@example.org @!file://a.md @file://a.md @ x @-y (@a.md)"), []);
    }
}
