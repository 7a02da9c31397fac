//! What providers can keep of each prompt: its parts by how often they change, and what kept runs show
//! (EV-13).

use super::prompts::Prompt;
use crate::output::text::{grouped, sanitized};
use crate::prelude::*;
use contexture::Project;
use contexture::inspect::{MOST_PREFIX_RUNS, PrefixHits, prefix_hits};
use contexture::script::analysis::{
    FixedText, Moved, PromptItem, fixed_head, moved, prompts, volatility,
};
use contexture::script::program::Program;
use std::fs;

/// A model call, with what is known of the beginning of its prompt.
pub(super) struct CachedPrompt {
    prompt: Prompt,
    moved: Vec<Moved>,
    /// The bytes of the items at its head that are the same in every run.
    predicted: u64,
    /// True if these are all: no text is cut, and each is known.
    is_exact: bool,
    /// What kept runs have in common.
    measured: Option<PrefixHits>,
}

impl CachedPrompt {
    /// Looks at the model calls of a program, and at its newest runs.
    pub(super) fn of(project: &Project, program: &Program) -> Result<Vec<Self>, Abort> {
        let name = program.files.first().map(|file| file.source.name()).unwrap_or_default();
        let mut hits = prefix_hits(&*contexture::runs(project), name).map_err(|error| {
            Abort::from(CommandError::refused(error.code(), error.to_string()).help(error.help()))
        })?;
        let all = prompts(program).into_iter().zip(Prompt::of(program)).map(|(facts, prompt)| {
            let head = facts.items.get(..fixed_head(&facts)).unwrap_or_default();
            let (predicted, is_exact) = predicted_bytes(project, &facts.file, head);
            let site = format!("{}:{}:{}", facts.file, prompt.at("line"), prompt.at("column"));
            let (moved, measured) = (moved(&facts), hits.remove(&site));
            Self { prompt, moved, predicted, is_exact, measured }
        });
        Ok(all.collect())
    }
}

/// Returns the bytes of items that are the same in every run, and whether these are all. Of a
/// `use one of` they are those of the shortest candidate.
fn predicted_bytes(project: &Project, file: &str, head: &[PromptItem]) -> (u64, bool) {
    let (mut sum, mut is_exact) = (0, true);
    for place in head.chunk_by(|one, other| one.used_at == other.used_at) {
        let sizes: Option<Vec<u64>> = place.iter().map(|item| bytes(project, file, item)).collect();
        let Some(least) = sizes.and_then(|sizes| sizes.into_iter().min()) else {
            return (sum, false);
        };
        sum += least;
        is_exact &= place.len() == 1;
    }
    (sum, is_exact)
}

/// Returns the bytes of a text that is the same in every run; none when it is not known, or may be cut.
fn bytes(project: &Project, file: &str, item: &PromptItem) -> Option<u64> {
    let size = match item.fixed.as_ref()? {
        FixedText::Written(bytes) => *bytes as u64,
        FixedText::File(path) => {
            let folder = project.root.join(file);
            fs::metadata(folder.parent()?.join(path)).ok()?.len()
        }
    };
    // A text has at most as many tokens, and characters, as bytes.
    item.limit.is_none_or(|limit| size <= limit).then_some(size)
}

/// Describes an item and why it changes.
fn why(item: &PromptItem) -> (&'static str, &'static str) {
    volatility(item).map_or(("unknown", "given by a caller"), |(often, why)| (often.as_str(), why))
}

pub(super) fn json(one: &CachedPrompt) -> Value {
    let items = &one.prompt.facts.items;
    let part = |item: &PromptItem| {
        let (changes, why) = why(item);
        json!({ "label": item.label, "candidate": item.candidate, "source": item.source, "changes": changes, "why": why })
    };
    let moves =
        one.moved.iter().map(|Moved { item, before }| json!({ "item": item, "before": before }));
    let measured = one.measured.as_ref().map(|hits| {
        let mut hits_json = json!(hits);
        if let Value::Object(fields) = &mut hits_json {
            fields.insert("share".to_owned(), json!(hits.share()));
        }
        hits_json
    });
    json!({
        "file": one.prompt.facts.file,
        "line": one.prompt.at("line"),
        "span": one.prompt.span,
        "items": items.iter().map(part).collect::<Vec<_>>(),
        "moves": moves.collect::<Vec<_>>(),
        "predicted": { "bytes": one.predicted, "exact": one.is_exact },
        "measured": measured,
    })
}

/// Renders for each model call its parts in their order, what stands in the way, and figures.
pub(super) fn text(all: &[CachedPrompt], paint: Paint) -> String {
    let mut text = String::new();
    for one in all {
        let (facts, prompt) = (&one.prompt.facts, &one.prompt);
        let file = sanitized(&facts.file);
        let place = format!("{file}:{}:{}", prompt.at("line"), prompt.at("column"));
        // Writing to a string can't fail.
        let _ = writeln!(text, "{}", paint.bold(&place));
        for (index, item) in facts.items.iter().enumerate() {
            let (changes, why) = why(item);
            let _ = writeln!(text, "  {changes:7}  {}: {why}", name(item));
            let later = one.moved.iter().find(|moved| moved.item == index);
            if let Some(later) = later.and_then(|moved| facts.items.get(moved.before)) {
                let told = format!("stands before {}, which changes less often", name(later));
                let _ = writeln!(text, "           {} {told}", paint.yellow("moves the rest:"));
            }
        }
        let _ = writeln!(text, "  predicted: {}", predicted(one));
        let _ = writeln!(text, "  measured:  {}", measured(one.measured.as_ref()));
    }
    if all.is_empty() {
        text.push_str("no model calls\n");
    }
    text
}

fn name(item: &PromptItem) -> String {
    let name = item.label.as_deref().unwrap_or(&item.source);
    match &item.candidate {
        Some(candidate) => format!("{} ({})", one_line(name), one_line(candidate)),
        None => one_line(name),
    }
}

fn predicted(one: &CachedPrompt) -> String {
    let least = if one.is_exact { "" } else { "at least " };
    format!("{least}{} bytes of items stay at its head", grouped(one.predicted))
}

fn measured(hits: Option<&PrefixHits>) -> String {
    let Some(hits) = hits else { return "no kept run has come here".to_owned() };
    let mut text = match hits.share() {
        Some(share) => format!(
            "{:.1} % of the bytes stay from one prompt to the next, in {} of the last {MOST_PREFIX_RUNS} runs",
            share * 100.0,
            counted(hits.pairs, "pair")
        ),
        None => format!("{} in kept runs, none after another", counted(hits.calls, "prompt")),
    };
    if let Some(cached) = hits.cached_tokens {
        let (cached, all) = (grouped(cached), grouped(hits.prompt_tokens));
        let _ = write!(text, "; providers had {cached} of {all} tokens in their caches");
    }
    text
}
