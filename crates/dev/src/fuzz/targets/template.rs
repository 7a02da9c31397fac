//! Templates.

use super::{hold, lines, shown};
use contexture_diagnostic::SourceFile;
use contexture_prompt::{PromptTemplate, RenderLimits, TemplateContext, check};
use serde_json::json;

pub(super) const WORDS: &[&str] = &[
    "{{a}}",
    "{{#if a}}",
    "{{/if}}",
    "{{#each items}}",
    "{{/each}}",
    "{{#unless a}}",
    "{{/unless}}",
    "{{else}}",
    "{{else if b}}",
    "{{> part}}",
    "{{!-- x --}}",
    "{{@index}}",
    "{{this}}",
    "{{../a}}",
    "{{{a}}}",
    "{{json a}}",
    "{{~a~}}",
    "\\{{",
    "{{> @file://a.md}}",
    "{{a.b.[0]}}",
    "@last",
];

const LIMITS: RenderLimits = RenderLimits { output_bytes: 1 << 20, steps: 50_000 };

pub(super) fn template(input: &[u8]) -> Result<String, String> {
    let text = String::from_utf8_lossy(input);
    let report = check(&text);
    let seen = shown(&report.diagnostics, &SourceFile::new("input.md", text.as_ref()))?;
    let compiled = match PromptTemplate::compile(&text) {
        Ok(compiled) => compiled.with_limits(LIMITS),
        Err(error) => {
            hold(report.has_errors(), || format!("a template that passed is refused: {error}"))?;
            if let Some((line, _)) = error.position() {
                hold(line <= lines(&text), || format!("a place is outside the text: line {line}"))?;
            }
            return Ok(format!("refused {seen}"));
        }
    };
    hold(compiled.source() == text, || "a template forgets its source".to_owned())?;
    let value = json!({
        "a": "x", "b": false, "n": 1.5, "items": [{ "k": 1 }, { "k": 2 }], "title": "T",
        "role": "user", "question": "why?", "context": { "a": { "b": [1] } }, "none": null,
    });
    let context = TemplateContext::from_json(&value).map_err(|error| error.to_string())?;
    let once = || compiled.render(&context).map_err(|error| error.to_string());
    let rendered = once();
    hold(rendered == once(), || "a text differs from the next one".to_owned())?;
    if let Ok(text) = &rendered {
        hold(text.len() <= LIMITS.output_bytes, || format!("too long: {}", text.len()))?;
    }
    let kind: String = rendered.err().unwrap_or_default().chars().take(12).collect();
    Ok(format!("{} {kind} {seen}", report.requirements.len().min(9)))
}
