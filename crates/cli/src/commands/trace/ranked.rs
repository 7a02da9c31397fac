//! The lines about what the question of a `use` selected, and what it left out (CA-16).

use crate::output::text::plural;
use crate::prelude::*;
use contexture::context::manifest::{RankedPassage, RankedRecord};

/// The passages that are named of each.
const NAMED: usize = 5;

/// Formats a selection: `for "Why?" of @!file://docs/*.md: 3 passages · 18 passages left out, all of 4 texts`,
/// then a line for each of the best passages, and for the best of those left out.
pub(super) fn of(record: &RankedRecord, paint: Paint) -> Vec<String> {
    let left = &record.left_out;
    let shown = plural(record.passages.len() as u64, "passage");
    let texts = match left.texts {
        0 => String::new(),
        texts => format!(", all of {}", plural(texts, "text")),
    };
    let out = format!("{} left out{texts}", plural(left.passages, "passage"));
    let question: String = record.question.chars().take(60).collect();
    let head = format!("for {question:?} of {}: {shown} · {out}", record.source);
    let mut lines = vec![paint.dim(&one_line(&head))];
    lines.extend(record.passages.iter().take(NAMED).map(|one| passage(one, "", paint)));
    lines.extend(left.best.iter().take(NAMED).map(|one| passage(one, " · left out", paint)));
    lines
}

/// Formats a passage: `  @file://docs/a.md:12 › Install · 58 tokens · score 3.2`.
fn passage(one: &RankedPassage, state: &str, paint: Paint) -> String {
    let heading = one.heading.iter().map(|heading| format!(" › {heading}")).collect::<String>();
    let place = one_line(&format!("{}:{}{heading}", one.text, one.first_line));
    let about = format!(" · {} · score {:.1}{state}", plural(one.tokens, "token"), one.score);
    format!("  {place}{}", paint.dim(&about))
}
