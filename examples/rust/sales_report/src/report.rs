//! `GENERATE_REPORT`: what was found, in words.

mod advice;
mod figures;
mod page;
mod render;
mod sections;

use crate::parameters::{text, words};
use contexture::flow::action::{ActionCall, ActionFailure};
use figures::Figures;
use serde_json::{Value, json};

const MARKDOWN: &str = "markdown";
const HTML: &str = "html";
const TEXT: &str = "text";
const JSON: &str = "json";

/// The first is the usual one.
pub(crate) const FORMATS: &[&str] = &[MARKDOWN, HTML, TEXT, JSON];

/// In their usual order.
pub(crate) const SECTIONS: &[&str] = &["summary", "trends", "recommendations"];

pub(crate) fn action(call: &ActionCall) -> Result<Value, ActionFailure> {
    let format = text(call, "format").unwrap_or(MARKDOWN);
    let wanted = words(call, "sections").unwrap_or_else(|| SECTIONS.to_vec());
    let figures = Figures::of(call)?;
    let page = sections::page(&figures, &wanted);
    let report = match format {
        HTML => render::html(&page).into(),
        TEXT => render::text(&page).into(),
        JSON => render::json(&page, &figures.analysis),
        _ => render::markdown(&page).into(),
    };
    Ok(json!({ "report": report }))
}
