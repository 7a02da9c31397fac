//! The reference of the protocol, generated from the types themselves: each with its meaning, its
//! fields and an example. `cargo dev generate` writes `docs/protocol.md` from it.

use crate::body::{KINDS, Kind};
use crate::content::context::Context;
use crate::error::ErrorCode;
use crate::message::sender::Sender;
use crate::shape::{Field, Page, Pages, Shape as _};
use serde_json::Value;
use std::fmt::Write as _;

const HEAD: &str = include_str!("reference/head.md");
const EXAMPLES: &str = include_str!("reference/examples.json");

/// Returns the text of `docs/protocol.md`.
#[must_use]
pub fn document() -> String {
    let mut out = HEAD.to_owned();
    let mut pages = Pages::default();
    out.push_str("\n## Messages\n");
    for kind in KINDS {
        let (known, shared) = (pages.list.len(), &mut pages);
        (kind.enter)(shared);
        let content = shared.list.get(known).filter(|page| page.name == kind.content_name);
        message(kind, content, &mut out);
    }
    Sender::enter(&mut pages);
    Context::enter(&mut pages);
    out.push_str("\n## Types\n\nThe parts of messages.\n");
    let is_content = |page: &Page| KINDS.iter().any(|kind| kind.content_name == page.name);
    for page in pages.list.iter().filter(|page| !is_content(page)) {
        let _ = write!(out, "\n### Type {}\n\n{}\n", page.name, page.meaning);
        fields(&page.fields, &mut out);
        words(page, &mut out);
    }
    codes(&mut out);
    out
}

fn message(kind: &Kind, content: Option<&Page>, out: &mut String) {
    let context = if kind.needs_context { " Its `contextId` is required." } else { "" };
    let _ = write!(out, "\n### {}\n\n{}{context}\n", kind.name, kind.meaning);
    if let Some(page) = content {
        // The first sentence of a content describes its message.
        if let Some((_, more)) = page.meaning.split_once(". ") {
            let _ = write!(out, "\n{more}\n");
        }
        fields(&page.fields, out);
    }
    if let Some(example) = example(kind.name) {
        let _ = write!(out, "\n```json\n{}\n```\n", example.trim_end());
    }
}

fn fields(fields: &[Field], out: &mut String) {
    if fields.is_empty() {
        return;
    }
    out.push_str("\n| Field | Type | Meaning |\n|---|---|---|\n");
    for field in fields {
        let optional = if field.is_required { "" } else { "?" };
        let _ = writeln!(
            out,
            "| `{}`{optional} | {} | {} |",
            field.name,
            field.shape,
            cell(&field.meaning)
        );
    }
}

fn words(page: &Page, out: &mut String) {
    if page.words.is_empty() {
        return;
    }
    out.push_str("\n| Word | Meaning |\n|---|---|\n");
    for (word, meaning) in &page.words {
        let _ = writeln!(out, "| `{word}` | {} |", cell(meaning));
    }
}

fn codes(out: &mut String) {
    out.push_str("\n## Error codes\n\n| Code | HTTP | Source | Recoverable | Meaning | Remedy |\n|---|---|---|---|---|---|\n");
    for code in ErrorCode::ALL {
        let recoverable = if code.is_recoverable() { "yes" } else { "no" };
        let _ = writeln!(
            out,
            "| `{code}` | {} | {} | {recoverable} | {} | {} |",
            code.http_status(),
            code.source(),
            cell(code.meaning()),
            cell(code.remedy()),
        );
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Returns a whole message of this type, as text.
#[must_use]
pub fn example(kind: &str) -> Option<String> {
    let all: Value = serde_json::from_str(EXAMPLES).ok()?;
    serde_json::to_string_pretty(all.get(kind)?).ok()
}
