//! Tags: the text between `{{` and `}}`.

use super::fault::Problem;
use super::key::NameTag;
use super::ops::{Name, Path, Root};
use crate::codes;
use contexture_diagnostic::{Span, nearest};

pub(super) enum Tag {
    Value(Path),
    Open(Block, Path),
    OpenRaw,
    Else,
    ElseIf(Path),
    Close(Block),
    CloseRaw,
    Include(Span),
    Reference(Span),
}

/// The blocks that contain further tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    If,
    Unless,
    Each,
}

impl Block {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::If => "if",
            Self::Unless => "unless",
            Self::Each => "each",
        }
    }

    fn of(word: &str) -> Option<Self> {
        match word {
            "if" => Some(Self::If),
            "unless" => Some(Self::Unless),
            "each" => Some(Self::Each),
            _ => None,
        }
    }
}

const WORDS: [&str; 4] = ["if", "unless", "each", "raw"];

/// Parses one tag; names after the first of a dotted path are added to `segments`.
pub(super) fn parse(text: &str, inner: Span, segments: &mut Vec<Name>) -> Result<Tag, Problem> {
    let inner = trim(text, inner);
    let at = |span: Span| text.get(span.range()).unwrap_or_default();
    let body = Span::new(inner.start.saturating_add(1), inner.end);
    match at(inner).as_bytes().first() {
        None => Err(Problem::new(codes::EMPTY_TAG, inner, "missing name in `{{ }}`".into()).help(
            "write a variable's name between the braces, or `\\{{` for the braces themselves",
        )),
        Some(b'#') => open(text, trim(text, body), segments),
        Some(b'/') => close(at(trim(text, body)), inner),
        Some(b'>') => include(text, trim(text, body)),
        Some(b'!') => {
            let message = "invalid comment: comments are `{{!-- … --}}`".into();
            Err(Problem::new(codes::BAD_NAME, inner, message)
                .help("add the two dashes on both sides"))
        }
        Some(_) => plain(text, inner, segments),
    }
}

/// Returns the block that a tag opens by its word, even if the rest of the tag is invalid.
pub(super) fn block_of(text: &str, inner: Span) -> Option<Block> {
    let inner = text.get(inner.range())?.trim();
    Block::of(inner.strip_prefix('#')?.split_whitespace().next()?)
}

fn plain(text: &str, inner: Span, segments: &mut Vec<Name>) -> Result<Tag, Problem> {
    let (word, rest) = split_word(text, inner);
    if text.get(word.range()) != Some("else") {
        return path(text, inner, segments).map(Tag::Value);
    }
    if rest.is_empty() {
        return Ok(Tag::Else);
    }
    let (condition, rest) = split_word(text, rest);
    if text.get(condition.range()) != Some("if") {
        let message = format!(
            "`{{{{else}}}}` takes `if` or nothing, not `{}`",
            shown(text, rest_of(condition, inner))
        );
        return Err(Problem::new(codes::BAD_NAME, inner, message).help("write `{{else if name}}`"));
    }
    needs_name(rest, inner, "else if")?;
    path(text, rest, segments).map(Tag::ElseIf)
}

fn open(text: &str, body: Span, segments: &mut Vec<Name>) -> Result<Tag, Problem> {
    let (word, rest) = split_word(text, body);
    let name = text.get(word.range()).unwrap_or_default();
    if name == "raw" {
        if rest.is_empty() {
            return Ok(Tag::OpenRaw);
        }
        return Err(Problem::new(codes::BAD_NAME, rest, "`{{#raw}}` takes no name".into())
            .help("write `{{#raw}}…{{/raw}}`"));
    }
    let Some(block) = Block::of(name) else {
        return Err(unknown_block(text, word, '#'));
    };
    needs_name(rest, body, block.word())?;
    path(text, rest, segments).map(|path| Tag::Open(block, path))
}

fn close(word: &str, inner: Span) -> Result<Tag, Problem> {
    match Block::of(word) {
        Some(block) => Ok(Tag::Close(block)),
        None if word == "raw" => Ok(Tag::CloseRaw),
        None => Err(unknown_word(word, inner, '/')),
    }
}

fn unknown_block(text: &str, word: Span, sign: char) -> Problem {
    unknown_word(text.get(word.range()).unwrap_or_default(), word, sign)
}

fn unknown_word(word: &str, span: Span, sign: char) -> Problem {
    let message = format!("unknown block `{{{{{sign}{}}}}}`", excerpt(word));
    let help = match nearest(word, WORDS) {
        Some(meant) => format!("did you mean `{sign}{meant}`?"),
        None => "blocks are `if`, `unless`, `each` and `raw`".to_owned(),
    };
    Problem::new(codes::UNKNOWN_BLOCK, span, message).help(help)
}

fn needs_name(rest: Span, tag: Span, word: &str) -> Result<(), Problem> {
    if !rest.is_empty() {
        return Ok(());
    }
    let sign = if word == "else if" { "" } else { "#" };
    let message = format!("`{{{{{sign}{word}}}}}` needs the name of a variable");
    let help = format!("write `{{{{{sign}{word} name}}}}`");
    Err(Problem::new(codes::EMPTY_TAG, tag, message).help(help))
}

fn include(text: &str, name: Span) -> Result<Tag, Problem> {
    let word = text.get(name.range()).unwrap_or_default();
    if word.is_empty() {
        let message = "missing partial in `{{> }}`".into();
        return Err(Problem::new(codes::EMPTY_TAG, name, message).help("write `{{> name}}`"));
    }
    if word.starts_with('@') {
        return reference(word, name);
    }
    match word.char_indices().find(|(_, c)| !(is_name_char(*c) || matches!(c, '.' | '/'))) {
        None => Ok(Tag::Include(name)),
        Some((at, c)) => {
            let message = format!("`{}` is not a name of a partial", excerpt(word));
            Err(Problem::new(codes::BAD_NAME, char_span(name, at, c), message).help(
                "a partial's name is one word of letters, digits, `_`, `-`, `.` and `/`, and takes no arguments",
            ))
        }
    }
}

/// Parses a reference, which is opaque text; only one that can't be a reference at all is refused
/// here.
fn reference(word: &str, span: Span) -> Result<Tag, Problem> {
    let name = word.trim_start_matches(['@', '!', '?']);
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.contains(':') {
        return Ok(Tag::Reference(span));
    }
    let message = format!("`{}` is not a reference: expected `@protocol://path`", excerpt(word));
    Err(Problem::new(codes::BAD_REFERENCE, span, message)
        .help("write it like `{{> @file://parts/tone.md }}`, or a partial's name without the `@`"))
}

/// Reports whether a character is a letter, a digit, `_` or `-`.
fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-') || !c.is_ascii() && c.is_alphanumeric()
}

fn path(text: &str, span: Span, segments: &mut Vec<Name>) -> Result<Path, Problem> {
    let word = text.get(span.range()).unwrap_or_default();
    if let Some(name) = word.strip_prefix('@') {
        return counter(name, span);
    }
    let rest_start = segments.len();
    let mut start = 0;
    for (at, c) in word.char_indices() {
        if c == '.' {
            push_segment(word, span, start..at, segments)?;
            start = at + 1;
        } else if !is_name_char(c) {
            return Err(bad_char(word, span, at, c));
        }
    }
    push_segment(word, span, start..word.len(), segments)?;
    // The first name has a place of its own.
    let head = segments.remove(rest_start);
    let root = match text.get(head.span.range()) {
        Some("item" | "this") => Root::Item,
        _ => Root::Name,
    };
    let Ok(rest_len) = u16::try_from(segments.len() - rest_start) else {
        let message = format!("a path has more than {} names", u16::MAX);
        return Err(Problem::new(codes::BAD_NAME, span, message)
            .help("name a value that is nested less deeply"));
    };
    let rest_start = u32::try_from(rest_start).unwrap_or(u32::MAX);
    Ok(Path { span, head, root, rest_len, rest_start })
}

fn push_segment(
    word: &str,
    span: Span,
    range: std::ops::Range<usize>,
    segments: &mut Vec<Name>,
) -> Result<(), Problem> {
    if range.is_empty() {
        let message = format!("`{}` has a dot without a name", excerpt(word));
        let help = if word.starts_with("..") || word.starts_with("./") {
            "outer names are visible as they are, without `../`"
        } else {
            "write a name or a number on both sides of each dot"
        };
        return Err(Problem::new(codes::BAD_NAME, span, message).help(help));
    }
    let tag = NameTag::of(word.get(range.clone()).unwrap_or_default());
    segments.push(Name { span: offset(span, range), tag });
    Ok(())
}

fn counter(name: &str, span: Span) -> Result<Path, Problem> {
    let root = match name {
        "index" => Root::Index,
        "first" => Root::First,
        "last" => Root::Last,
        _ => {
            let message = format!("unknown name `@{}`", excerpt(name));
            let help = "`@index`, `@first` and `@last` are defined inside `{{#each}}`";
            return Err(Problem::new(codes::BAD_NAME, span, message).help(help));
        }
    };
    let head = Name { span, tag: NameTag::of(name) };
    Ok(Path { span, head, root, rest_len: 0, rest_start: 0 })
}

fn bad_char(word: &str, span: Span, at: usize, c: char) -> Problem {
    let message = format!("`{}` is not a name of a variable: it contains {c:?}", excerpt(word));
    let help = match c {
        _ if c.is_whitespace() => "a tag takes one name; there are no helpers and arguments",
        '{' if at == 0 => {
            "write two braces, since nothing is escaped; for a brace before a tag write `{{#raw}}{{{/raw}}`"
        }
        '{' => "close the tag before it with `}}`",
        '"' | '\'' | ':' => {
            "for literal braces, as in JSON, write `\\{{` or use `{{#raw}}…{{/raw}}`"
        }
        '[' | '(' => "write the path with dots: `list.0.name`",
        '/' => "outer names are visible as they are, without `../`",
        _ => {
            "names are made of letters, digits, `_` and `-`, joined by dots; `\\{{` is a literal `{{`"
        }
    };
    Problem::new(codes::BAD_NAME, char_span(span, at, c), message).help(help)
}

fn offset(base: Span, range: std::ops::Range<usize>) -> Span {
    let at = |by: usize| base.start.saturating_add(u32::try_from(by).unwrap_or(u32::MAX));
    Span::new(at(range.start), at(range.end))
}

fn char_span(base: Span, at: usize, c: char) -> Span {
    offset(base, at..at + c.len_utf8())
}

fn rest_of(from: Span, whole: Span) -> Span {
    Span::new(from.start, whole.end)
}

fn split_word(text: &str, span: Span) -> (Span, Span) {
    let all = text.get(span.range()).unwrap_or_default();
    let end = all.find(char::is_whitespace).unwrap_or(all.len());
    (offset(span, 0..end), trim(text, offset(span, end..all.len())))
}

fn trim(text: &str, span: Span) -> Span {
    let all = text.get(span.range()).unwrap_or_default();
    let kept = all.trim_start();
    let start = all.len() - kept.len();
    offset(span, start..start + kept.trim_end().len())
}

fn shown(text: &str, span: Span) -> String {
    excerpt(text.get(span.range()).unwrap_or_default())
}

/// Returns at most 40 characters of a text, on one line.
pub(super) fn excerpt(text: &str) -> String {
    let mut short: String =
        text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(40).is_some() {
        short.push('…');
    }
    short
}
