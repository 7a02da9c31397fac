//! The outline of a marked-up text: its headings, and the blocks between them.

use super::code::{self, Language};
use super::{asciidoc, extension, markdown, rst};
use std::ops::Range;

/// A part of a text, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// A heading: its level, where 1 is the outermost, its words and where it begins.
    Heading(usize, String, usize),
    /// Ranges of what may stand alone: a block, or the items of a list.
    Blocks(Vec<Range<usize>>),
    /// What only directs the tool that makes a site of the text, and is not shown.
    Noise,
    /// The end of the headings of that level and deeper.
    End(usize),
}

impl Part {
    /// Returns the part of one block.
    pub(super) fn block(range: Range<usize>) -> Self {
        Self::Blocks(vec![range])
    }
}

/// The languages whose headings part a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Markup {
    Markdown,
    ReStructuredText,
    AsciiDoc,
    Code(Language),
}

impl Markup {
    /// Returns the language that the name of a file says; `None` for plain texts.
    pub(super) fn of(path: &str) -> Option<Self> {
        match extension(path).as_str() {
            "md" | "markdown" | "mdown" | "mdx" => Some(Self::Markdown),
            "rst" => Some(Self::ReStructuredText),
            "adoc" | "asciidoc" => Some(Self::AsciiDoc),
            other => Language::of(other).map(Self::Code),
        }
    }

    /// Walks the outermost blocks of a text. What is longer than `long` bytes is divided where it
    /// can be: a list into its items.
    pub(super) fn parts(self, text: &str, long: usize) -> Vec<Part> {
        match self {
            Self::Markdown => markdown::parts(text, long),
            Self::ReStructuredText => rst::parts(text, long),
            Self::AsciiDoc => asciidoc::parts(text),
            Self::Code(language) => code::parts(text, language),
        }
    }

    /// Returns the words about a page that its text declares, besides front matter.
    pub(super) fn about(self, text: &str) -> String {
        match self {
            Self::Markdown | Self::Code(_) => String::new(),
            Self::ReStructuredText => rst::about(text),
            Self::AsciiDoc => asciidoc::about(text),
        }
    }

    pub(super) fn headings(self, text: &str) -> Vec<String> {
        let words = |part| match part {
            Part::Heading(_, words, _) => Some(words),
            Part::Blocks(_) | Part::Noise | Part::End(_) => None,
        };
        self.parts(text, usize::MAX).into_iter().filter_map(words).collect()
    }

    /// Returns where the outermost blocks end; when there is one block and nothing else, where its
    /// parts end.
    pub(super) fn paragraph_ends(self, text: &str, long: usize) -> Vec<usize> {
        let ends = ends_of(text, self.parts(text, long));
        if ends.len() > 1 { ends } else { ends_of(text, self.parts(text, 0)) }
    }
}

fn ends_of(text: &str, parts: Vec<Part>) -> Vec<usize> {
    let mut ends = Vec::new();
    for part in parts {
        match part {
            Part::Heading(_, _, start) => ends.push(start),
            Part::Blocks(ranges) => ends.extend(ranges.into_iter().map(|range| range.end)),
            Part::Noise | Part::End(_) => {}
        }
    }
    let trimmed = |end: usize| text.get(..end).unwrap_or_default().trim_end().len();
    ends.iter_mut().for_each(|end| *end = trimmed(*end));
    ends.dedup();
    ends
}

/// A line of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'t> {
    /// Its words without the blanks at its end.
    pub(super) words: &'t str,
    /// Where it begins.
    pub(super) start: usize,
    /// Where the next one begins.
    pub(super) next: usize,
}

impl<'t> Line<'t> {
    /// Returns the line that begins at a byte; `None` at the end of the text.
    pub(super) fn at(text: &'t str, start: usize) -> Option<Self> {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let whole = rest.split_inclusive('\n').next()?;
        Some(Self { words: whole.trim_end(), start, next: start + whole.len() })
    }

    /// Returns the line after it.
    pub(super) fn following(self, text: &'t str) -> Option<Self> {
        Self::at(text, self.next)
    }

    pub(super) fn is_blank(self) -> bool {
        self.words.is_empty()
    }

    /// Returns where its words end.
    pub(super) fn end(self) -> usize {
        self.start + self.words.len()
    }

    /// Returns the bytes that it is indented by.
    pub(super) fn indent(self) -> usize {
        self.words.len() - self.words.trim_start().len()
    }

    /// Returns the character of a line that is made of one sign, repeated.
    pub(super) fn adornment(self) -> Option<char> {
        let sign = self.words.chars().next().filter(char::is_ascii_punctuation)?;
        self.words.chars().all(|c| c == sign).then_some(sign)
    }
}

/// Returns words with single blanks between them.
pub(super) fn plain(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}
