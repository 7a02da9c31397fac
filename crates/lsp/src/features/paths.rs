//! What can stand in a string: the sources of imports, and the paths of references.

use crate::features::complete::{item, shape_of_path};
use crate::features::spots::Spot;
use crate::protocol;
use crate::state::View;
use crate::unsaved::joined;
use contexture_diagnostic::Span;
use contexture_script::syntax::ast::ShapeKind;
use contexture_script::syntax::token::{Token, TokenKind};
use serde_json::Value;

const VALUE: u8 = 12;
const FILE: u8 = 17;
const REFERENCE: u8 = 18;
const FOLDER: u8 = 19;

/// The beginnings of the sources of each kind of import.
const SOURCES: &[(&str, &[&str])] = &[
    ("llm", &["openai://", "anthropic://", "ollama://", "builtin://extractive"]),
    (
        "tool",
        &[
            "file://workspace",
            "sh://find",
            "sh://grep",
            "sh://sed",
            "env://process",
            "https://",
            "mcp://",
            "frontend://",
            "rust://",
        ],
    ),
    ("memory", &["sqlite://"]),
    ("knowledge", &["knowledge://"]),
    ("resource", &["@!file://", "@file://"]),
];

/// The kinds of import whose source is a path.
const PATHS: &[&str] = &["file", "agent", "shape", "func", "template"];

/// Completes the text of a string up to the place.
pub(crate) fn complete(view: View<'_>, spot: &Spot<'_>, text: Token) -> Vec<Value> {
    let start = text.span.start.saturating_add(1).min(spot.offset);
    let span = Span::new(start, spot.offset);
    let written = view.source().slice(span);
    if let Some(words) = choices(view, spot) {
        return words.iter().map(|word| replacing(view, span, word, VALUE)).collect();
    }
    match spot.line_words().as_slice() {
        ["import", kind, _, "from"] if PATHS.contains(kind) => {
            let wanted = if matches!(*kind, "file" | "template") { "" } else { ".as" };
            names(view, spot, written, wanted)
        }
        ["import", "resource", _, "from"] if written.starts_with('@') => {
            Begun::of(written).map(|begun| of_reference(view, spot, begun)).unwrap_or_default()
        }
        ["import", "knowledge", _, "from"] if written.starts_with("knowledge://") => {
            let path = written.trim_start_matches("knowledge://");
            of_reference(view, spot, Begun::Path { protocol: "knowledge", path })
        }
        ["import", kind, _, "from"] if !written.contains("://") => {
            let known = SOURCES.iter().find(|(own, _)| own == kind);
            let known = known.into_iter().flat_map(|(_, known)| known.iter());
            known.map(|uri| replacing(view, span, uri, REFERENCE)).collect()
        }
        _ => match Begun::of(written) {
            Some(begun) => of_reference(view, spot, begun),
            None => Vec::new(),
        },
    }
}

/// A reference that is being written.
enum Begun<'t> {
    /// Up to its protocol: the part that is there already.
    Protocol(&'t str),
    /// Up to its path.
    Path { protocol: &'t str, path: &'t str },
}

impl<'t> Begun<'t> {
    /// Returns the one that ends a text.
    fn of(text: &'t str) -> Option<Self> {
        let (before, last) = text.rsplit_once('@')?;
        // An address, `ann@example.org`.
        if before.ends_with(|sign: char| sign.is_ascii_alphanumeric())
            || last.contains(char::is_whitespace)
        {
            return None;
        }
        let body = last.trim_start_matches(['!', '?']);
        if let Some((levels, path)) = body.split_once("://") {
            let protocol = levels.rsplit_once(':').map_or(levels, |(_, name)| name);
            return Some(Self::Path { protocol, path });
        }
        let name = body.rsplit_once(':').map_or(body, |(_, name)| name);
        let is_name = |sign: char| sign.is_ascii_alphanumeric() || "+-._".contains(sign);
        name.chars().all(is_name).then_some(Self::Protocol(name))
    }
}

/// Returns what a reference can go on with: protocols, paths of files, the names of packs and ids.
fn of_reference(view: View<'_>, spot: &Spot<'_>, begun: Begun<'_>) -> Vec<Value> {
    let (known, written) = match begun {
        Begun::Path { protocol: "file", path } => return names(view, spot, path, ""),
        Begun::Path { protocol, path } => (view.files.ids(protocol), path),
        Begun::Protocol(name) => (view.files.protocols(), name),
    };
    let length = u32::try_from(written.len()).unwrap_or_default();
    let span = Span::new(spot.offset.saturating_sub(length), spot.offset);
    let shown = known.iter().map(|(text, about)| {
        let mut found = replacing(view, span, text, REFERENCE);
        if let Some(found) = found.as_object_mut().filter(|_| !about.is_empty()) {
            found.insert("detail".to_owned(), about.as_str().into());
        }
        found
    });
    shown.collect()
}

/// Returns the words that a string can have where it is compared with a choice, or is the value of an
/// option with words of its own.
fn choices<'s>(view: View<'s>, spot: &Spot<'s>) -> Option<Vec<&'s str>> {
    let mut back = spot.back();
    let before = back.next()?;
    match before.kind {
        TokenKind::Equal | TokenKind::NotEqual => {
            let path = spot.names(back)?;
            let shape = shape_of_path(view, &path, spot.offset)?;
            let ShapeKind::Enum(words) = &view.symbols().resolved(shape).kind else { return None };
            Some(words.iter().map(|word| word.value.as_str()).collect())
        }
        TokenKind::Colon => match spot.text(back.next()?) {
            "think" => Some(vec!["auto", "low", "medium", "high"]),
            "on_cut" => Some(vec!["fail", "keep"]),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the files and folders that a path can go on with.
fn names(view: View<'_>, spot: &Spot<'_>, path: &str, wanted: &str) -> Vec<Value> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let begun = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let within = joined(&view.document.name, folder);
    let within = if within.is_empty() { within } else { within + "/" };
    let length = u32::try_from(begun.len()).unwrap_or_default();
    let span = Span::new(spot.offset.saturating_sub(length), spot.offset);
    let fits = |name: &&String| name.ends_with('/') || name.ends_with(wanted);
    let names = view.files.names(&within);
    let shown = names
        .iter()
        .filter(fits)
        .map(|name| replacing(view, span, name, if name.ends_with('/') { FOLDER } else { FILE }));
    shown.collect()
}

fn replacing(view: View<'_>, span: Span, text: &str, kind: u8) -> Value {
    let mut found = item(text, kind, "", "");
    if let Some(found) = found.as_object_mut() {
        found.insert("textEdit".to_owned(), protocol::edit(view.source(), span, text));
    }
    found
}
