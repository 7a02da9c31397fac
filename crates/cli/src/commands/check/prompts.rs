//! What each `generate` can see, for people and for programs (TY-4).

use crate::output::text::sanitized;
use crate::prelude::*;
use contexture::diagnostic::render;
use contexture::script::analysis::{PromptFacts, PromptItem, prompts};
use contexture::script::program::Program;

/// A model call with its place.
pub(super) struct Prompt {
    pub(super) facts: PromptFacts,
    pub(super) span: Value,
}

impl Prompt {
    pub(super) fn of(program: &Program) -> Vec<Self> {
        let all = prompts(program).into_iter().map(|facts| {
            let source = program.source(&facts.file);
            let span = source.map(|source| render::span_json(facts.span, source));
            Self { span: span.unwrap_or_default(), facts }
        });
        all.collect()
    }

    pub(super) fn at(&self, key: &str) -> u64 {
        self.span.get(key).and_then(Value::as_u64).unwrap_or_default()
    }
}

pub(super) fn json(prompt: &Prompt) -> Value {
    let item = |item: &PromptItem| {
        json!({
            "label": item.label,
            "candidate": item.candidate,
            "source": item.source,
            "budget": item.budget,
            "trust": item.trust.map(|trust| trust.as_str()),
            "condition": item.condition,
        })
    };
    json!({
        "file": prompt.facts.file,
        "line": prompt.at("line"),
        "span": prompt.span,
        "items": prompt.facts.items.iter().map(item).collect::<Vec<_>>(),
        "tools": prompt.facts.tools,
        "shape": prompt.facts.shape,
    })
}

/// Renders a line for each model call and one for each item.
pub(super) fn text(prompts: &[Prompt], paint: Paint) -> String {
    let mut text = String::new();
    for prompt in prompts {
        let file = sanitized(&prompt.facts.file);
        let place = format!("{file}:{}:{}", prompt.at("line"), prompt.at("column"));
        let count = counted(prompt.facts.items.len() as u64, "item");
        // Writing to a string can't fail.
        let _ = writeln!(text, "{}: {count}", paint.bold(&place));
        for item in &prompt.facts.items {
            let _ = writeln!(text, "  {}", line(item));
        }
        if !prompt.facts.tools.is_empty() {
            let _ = writeln!(text, "  tools: {}", one_line(&prompt.facts.tools.join(", ")));
        }
        if let Some(shape) = &prompt.facts.shape {
            let _ = writeln!(text, "  answer: {}", one_line(&without_comments(shape)));
        }
    }
    if prompts.is_empty() {
        text.push_str("no model calls\n");
    }
    text
}

/// Returns the lines of a shape that are not comments.
fn without_comments(shape: &str) -> String {
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    shape.lines().filter(|line| !is_comment(line)).collect::<Vec<_>>().join("\n")
}

/// Returns `document as report, max 2k, trust tool, if input.ready`.
fn line(item: &PromptItem) -> String {
    let mut text = one_line(&item.source);
    if let Some(name) = &item.candidate {
        text = format!("{}: {text}", sanitized(name));
    }
    let label = item.label.as_ref().map(|label| format!(" as {}", sanitized(label)));
    text.push_str(&label.unwrap_or_default());
    text.push_str(&match &item.budget {
        Some(budget) => format!(", max {}", one_line(budget)),
        None => ", no budget".to_owned(),
    });
    if let Some(trust) = item.trust {
        text.push_str(&format!(", trust {}", trust.as_str()));
    }
    let condition = item.condition.as_ref().map(|text| format!(", if {}", one_line(text)));
    text + &condition.unwrap_or_default()
}
