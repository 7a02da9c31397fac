//! Imports in files for agents: `@docs/a.md` (MA-3).
//!
//! Decision: an import begins the text or follows white space, `(`, `|`, or letters and punctuation
//! of Chinese, Japanese or Korean, emphasis left aside; it ends as a reference does, and `\ ` is a
//! space in it. What has an ending, or begins as only a path does, is one for certain; anything
//! else, such as `@ann` or `@types/node`, may be a mention.

use super::end::{self, Effect};
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
            if !text.get(..start).is_some_and(may_precede) {
                continue;
            }
            if let Some(end) = self.scan.code_end(start) {
                self.scan.at = end;
                continue;
            }
            let in_table = self.scan.block.is_some_and(|block| block.is_table_row);
            let end = end(text, start, in_table);
            let Some(path) = text.get(start + 1..end).and_then(path) else { continue };
            let end = start + 1 + path.len();
            self.scan.at = end;
            return Some(Import { path, start, end, is_path: is_path(path) });
        }
    }
}

/// Reports whether an import may follow a text.
fn may_precede(before: &str) -> bool {
    let last = before.trim_end_matches(['*', '_', '~']).chars().next_back();
    last.is_none_or(|last| {
        let is_cjk = !last.is_ascii() && matches!(end::effect(last), Effect::Ends | Effect::Cjk);
        last.is_whitespace() || matches!(last, '(' | '|') || is_cjk
    })
}

/// Returns where the import ends whose `@` stands at `start`.
fn end(text: &str, start: usize, in_table: bool) -> usize {
    let mut end = end::of_reference(text, start, start + 1, in_table);
    while text.get(..end).is_some_and(|text| text.ends_with('\\'))
        && text.get(end..).is_some_and(|rest| rest.starts_with(' '))
    {
        end = end::of_reference(text, start, end + 1, in_table);
    }
    end
}

/// Returns the path that an import is, without the end of emphasis that began before it.
fn path(written: &str) -> Option<&str> {
    let path = match written.trim_end_matches('*') {
        path if path.len() < written.len() => path.trim_end_matches(['.', ',', ';', '!']),
        path => path,
    };
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
    fn ma_3_imports_end_as_references_do_and_follow_cjk_brackets_and_emphasis() {
        for text in [
            "- @docs/规则.md，后",
            "（@docs/规则.md）",
            "(see (@docs/规则.md).)",
            "**@docs/规则.md**",
            "*@docs/规则.md.* x",
            "**see @docs/规则.md.**",
            "看@docs/规则.md。",
            "看：“@docs/规则.md”",
            "@docs/规则.md,然后",
            "|@docs/规则.md|\n|--|\n",
        ] {
            assert_eq!(found(text), [("docs/规则.md", true)], "{text}");
        }
        assert_eq!(found(r"@docs/with\ space.md, x"), [(r"docs/with\ space.md", true)]);
        assert_eq!(found("@docs/a(1).md"), [("docs/a(1).md", true)]);
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
        assert_eq!(found("ann@example.org @!file://a.md @file://a.md @ x @-y \\@a.md x_@a.md"), []);
    }
}
