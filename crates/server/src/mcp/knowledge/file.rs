//! A file of a pack, fenced and limited.

use super::served::Knowledge;
use crate::fault::Fault;
use crate::mcp::codes;
use contexture::context::build::build_item;
use contexture::context::{Budget, DeclaredItem, Digest, Keep, Trust};
use contexture::knowledge::fence::{self, Suspicion, suspicious};
use contexture::knowledge::resolve::{PackUse, Resolution, standing};
use contexture::reference::text::LineRange;

/// The largest file that is read, in bytes.
const FILE_BYTES: u64 = 8 << 20;
/// The most tokens of an answer.
const ANSWER_TOKENS: u64 = 8_000;
/// The most warnings about a file.
const TOLD: usize = 5;

pub(super) struct Shown {
    /// The fenced text.
    pub(super) text: String,
    pub(super) tokens: u64,
    /// True if the end was cut.
    pub(super) clipped: bool,
    /// The number of lines of the whole file.
    pub(super) lines: usize,
    /// The warnings about the pack, its status and review, and about the content of the file.
    pub(super) warnings: Vec<String>,
    /// The reason why the use was not logged.
    pub(super) unlogged: Option<String>,
}

impl Knowledge {
    /// Reads a file of a pack, or some of its lines, fenced as data.
    ///
    /// # Errors
    /// A [`Fault`] when the pack is not allowed, or the file can't be read or is an index.
    pub(super) fn file(
        &self,
        name: &str,
        path: &str,
        lines: Option<&LineRange>,
    ) -> Result<Shown, Fault> {
        let view = self.view();
        let item = &view.served(name)?.item;
        let within = path.strip_prefix("./").unwrap_or(path);
        if within.split('/').next() == Some("indexes") {
            let message = format!("`{path}` is an index: it finds files and says nothing itself");
            return Err(Fault::of(codes::NOT_FOR_READING, message)
                .with_help("read a file that it points to, or ask `resolve_knowledge`"));
        }
        let whole = view.packs.read(name, within, FILE_BYTES)?;
        let text = match lines {
            Some(lines) => lines.of(&whole).0,
            None => &whole,
        };
        let declared = DeclaredItem {
            label: None,
            source: crate::mcp::uri::of_file(name, within),
            position: None,
            value: text.into(),
            budget: Some(Budget::tokens(ANSWER_TOKENS)),
            keep: Keep::Head,
            priority: 0,
            question: None,
            origin: Trust::Pack.into(),
            fence: Some(fence::knowledge(item, item.grounding, self.is_english)),
        };
        let shown = build_item(0, &declared, self.counter)
            .map_err(|error| Fault::of(codes::BROKEN_OFF, error.to_string()))?;
        let count = whole.lines().count();
        let mut warnings = standing(item);
        let first = lines.map_or(1, |lines| lines.first);
        if first > count as u64 && lines.is_some() {
            warnings.push(format!("`{name}`: `{within}` has no line {first}: it has {count}"));
        }
        for found in suspicious(text).into_iter().take(TOLD) {
            let line = u64::from(found.line) + first.saturating_sub(1);
            let found = Suspicion { line: u32::try_from(line).unwrap_or(u32::MAX), ..found };
            warnings.push(format!("`{name}`: `{within}`: {found}"));
        }
        let used = PackUse {
            item: item.clone(),
            files: vec![(within.to_owned(), Digest::of_text(&whole))],
            selected_files: vec![within.to_owned()],
            grounding: item.grounding,
            citation_gaps: Vec::new(),
            warnings: warnings.clone(),
            tokens: shown.tokens,
        };
        let resolution = Resolution { uses: vec![used], ..Resolution::default() };
        let unlogged = view.packs.log(&resolution).err().map(|error| error.to_string());
        Ok(Shown {
            tokens: shown.tokens,
            clipped: shown.clipped,
            text: shown.text,
            lines: count,
            warnings,
            unlogged,
        })
    }
}
