//! The files and sections that a model call read from knowledge packs, with reasons and warnings (KN-9).

use super::data::Data;
use crate::output::text::plural;
use crate::prelude::*;
use contexture::context::manifest::{ItemRecord, Manifest, PackRecord};

/// The packs of a model call that are not printed yet.
pub(super) struct Packs<'m> {
    /// Each pack with its selection in the trace; `None` for files that a reference named.
    left: Vec<(&'m PackRecord, Option<&'m Value>)>,
}

impl<'m> Packs<'m> {
    pub(super) fn of(manifest: &'m Manifest, data: Data<'m>) -> Self {
        let selections = data.0.get("knowledge").and_then(Value::as_array);
        let selections = selections.map_or(&[][..], Vec::as_slice);
        // The packs of `use` statements come first, in the order of their selections.
        let selection = |at: usize| selections.get(at);
        let all = manifest.packs.iter().enumerate();
        Self { left: all.map(|(at, record)| (record, selection(at))).collect() }
    }

    pub(super) fn below(&mut self, item: &ItemRecord, paint: Paint) -> Vec<String> {
        let is_in = |record: &PackRecord| {
            let place = format!("knowledge://{}", record.name);
            let source = item.source.split_once(&place).map(|(_, rest)| rest);
            item.position.as_ref() == Some(&record.position)
                && source.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
        };
        let (here, left) =
            std::mem::take(&mut self.left).into_iter().partition(|(record, _)| is_in(record));
        self.left = left;
        lines(&here, paint)
    }

    /// Returns the lines of packs in no item, as nothing of them was selected.
    pub(super) fn rest(self, paint: Paint) -> Vec<String> {
        lines(&self.left, paint)
    }
}

fn lines(packs: &[(&PackRecord, Option<&Value>)], paint: Paint) -> Vec<String> {
    packs.iter().flat_map(|(record, selection)| of(record, *selection, paint)).collect()
}

/// Formats a pack: `  acme 1.2.0 · ready · 58 of 600 tokens · sha256:0123456789ab`, then a line for
/// each section or file, and for each warning.
fn of(record: &PackRecord, selection: Option<&Value>, paint: Paint) -> Vec<String> {
    let version = record.version.iter().map(|version| format!("{version} · ")).collect::<String>();
    let taken = format!("{} of {}", record.tokens, plural(record.budget, "token"));
    let digest: String = record.digest.hex().chars().take(12).collect();
    let about = format!("{version}{} · {taken} · sha256:{digest}", record.status);
    let mut out = vec![format!("  {} {}", one_line(&record.name), paint.dim(&one_line(&about)))];
    let sections = selection.and_then(|found| found.get("sections")).and_then(Value::as_array);
    let sections = sections.map_or(&[][..], Vec::as_slice);
    if record.files.is_empty() {
        out.push(paint.dim("    nothing selected"));
    } else if sections.is_empty() {
        out.extend(record.files.iter().map(|file| format!("    {}", one_line(&file.path))));
    } else {
        out.extend(sections.iter().map(|one| section(Data(one), paint)));
    }
    let missing = record.missing.iter().map(|fact| format!("missing: {fact}"));
    let warnings = record.warnings.iter().map(|told| format!("warning: {told}"));
    let told = missing.chain(warnings);
    out.extend(told.map(|told| format!("    {}", paint.yellow(&one_line(&told)))));
    out
}

/// Formats a section: `    compiled/facts.md › Price · 58 tokens · score 3.2 · why`.
fn section(section: Data<'_>, paint: Paint) -> String {
    let heading = match section.word("heading") {
        heading if heading.is_empty() => heading,
        heading => format!(" › {heading}"),
    };
    let number = |name: &str| section.0.get("cut").and_then(|cut| Data(cut).number(name));
    let tokens = match number("whole_tokens") {
        Some(whole) => {
            let kept = number("kept_tokens").unwrap_or_default();
            format!("{kept} of {}", plural(whole, "token"))
        }
        None => plural(section.number("tokens").unwrap_or_default(), "token"),
    };
    let score = section.0.get("score").and_then(Value::as_f64).unwrap_or_default();
    let about = format!(" · {tokens} · score {score:.1} · {}", section.word("reason"));
    format!("    {}{heading}{}", section.word("path"), paint.dim(&about))
}
