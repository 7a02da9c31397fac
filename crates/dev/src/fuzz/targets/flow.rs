//! Conditions, and sets of instructions and calls.

use super::{Check, hold, inside};
use crate::fuzz::Outcome;
use crate::generated::root;
use contexture_flow::Set;
use contexture_flow::action::{ActionInfo, ActionKind, Registry};
use contexture_flow::check::{Earlier, Report, check};
use contexture_flow::condition::{Condition, MAX_BYTES};
use contexture_flow::picture::Picture;
use contexture_flow::reference::{Part, expand, parts};
use contexture_flow::run::{Options, Run};
use contexture_protocol::Limits;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

pub(super) const CONDITION_WORDS: &[&str] = &[
    "dependencies.inst_1.result.score",
    "== 'COMPLETED'",
    "AND",
    "OR",
    "NOT",
    "(",
    ")",
    "contains",
    "IN",
    "[",
    "]",
    "!=",
    ">=",
    "null",
    "true",
    "'",
    "\"",
    "${",
    "}",
    "results.a.result",
    ".length",
];
pub(super) const WORDS: &[&str] = &[
    "\"instructions\": [",
    "\"instructionId\": \"a\"",
    "\"dependencies\": [\"a\"]",
    "\"condition\":",
    "\"action\": \"echo\"",
    "\"parameters\": {",
    "\"${dependencies.a.result}\"",
    "\"calls\": [",
    "\"executionMode\": \"PARALLEL\"",
    "\"timeout\": 1",
    "\"recovery\": {\"strategy\": \"RETRY\"}",
    "\"type\": \"INSTRUCTION\"",
    "\"content\": {",
    "\"callId\": \"a\"",
    "\"name\": \"fail\"",
    "null",
];

/// The most bytes that an expansion may insert.
const INSERTED: usize = 64;
/// The time that a set may run for; a longer one is dropped under way.
const RUN: Duration = Duration::from_millis(30);

pub(super) fn condition() -> Outcome<Check> {
    let file = root().join("crates/flow/tests/condition/context.json");
    let text = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
    let values: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    Ok(Box::new(move |input| {
        let text = String::from_utf8_lossy(input);
        // A line of the specimens has what is expected before a bar.
        let text = text.split_once(" | ").map_or(text.as_ref(), |(_, condition)| condition);
        Ok(format!("{} {}", read_condition(text, &values)?, read_parts(text, &values)?))
    }))
}

fn read_condition(text: &str, values: &Value) -> Result<String, String> {
    match Condition::parse(text) {
        Ok(condition) => {
            for path in condition.paths() {
                inside(path.span(), text, "a path")?;
            }
            let is_true = condition.evaluate(values);
            own_form(&condition, is_true, values)?;
            Ok(format!("{is_true} {}", condition.paths().len().min(9)))
        }
        Err(error) => {
            inside(error.span, text, "a fault")?;
            let _ = error.render("input", text, false);
            Ok(error.message.chars().take(14).collect())
        }
    }
}

/// Checks that a condition is read back as it is printed, and that its negation is the other value.
fn own_form(condition: &Condition, is_true: bool, values: &Value) -> Result<(), String> {
    let printed = condition.to_string();
    if printed.len() > MAX_BYTES {
        return Ok(());
    }
    let again = Condition::parse(&printed)
        .map_err(|error| format!("own form is refused: {error}: {printed:?}"))?;
    hold(again.to_string() == printed && again.evaluate(values) == is_true, || {
        format!("own form is read back otherwise: {printed:?} as {:?}", again.to_string())
    })?;
    // It may be too deep or too long then.
    let negated = Condition::parse(&format!("NOT ({printed})"));
    hold(negated.map_or(true, |negated| negated.evaluate(values) != is_true), || {
        format!("a condition and its negation have one value: {printed:?}")
    })
}

fn read_parts(text: &str, values: &Value) -> Result<String, String> {
    match parts(text) {
        Ok(parts) => {
            let mut value = Value::from(text);
            let is_expanded = expand(&mut value, values, INSERTED).is_ok();
            let literal: Option<String> = parts.iter().map(literal).collect();
            let is_same = literal.is_none_or(|literal| is_expanded && value == literal.as_str());
            hold(is_same, || format!("a text without references changes: {text:?}: {value}"))?;
            let size = value.as_str().map_or_else(|| value.to_string().len(), str::len);
            hold(!is_expanded || size <= text.len() + INSERTED, || {
                format!("{size} bytes are made of {}", text.len())
            })?;
            Ok(format!("{is_expanded} {}", parts.len().min(5)))
        }
        Err(error) => {
            inside(error.span, text, "a fault")?;
            Ok("refused".to_owned())
        }
    }
}

fn literal<'t>(part: &Part<'t>) -> Option<&'t str> {
    match part {
        Part::Text(text) => Some(text),
        Part::Path(_) => None,
    }
}

pub(super) fn flow() -> Outcome<Check> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let mut actions = Registry::default();
    for name in ["echo", "detect", "notify", "calculator", "file.read"] {
        actions.add(name, ActionInfo::of(ActionKind::Operation), |call| async move {
            Ok(json!({ "said": call.parameters, "score": 0.5, "items": [1, "a"] }))
        });
    }
    let actions = Arc::new(actions);
    Ok(Box::new(move |input| {
        let set = match Set::read(input, &Limits::FILE) {
            Ok(set) => set,
            Err(report) => return refused(&report, input).map(|codes| format!("unread {codes}")),
        };
        let picture = Picture::plan(&set);
        let _ = (picture.text(), picture.dot(), picture.mermaid());
        if let Ok(svg) = picture.svg() {
            let is_whole = svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>");
            hold(is_whole, || "a picture is not whole".to_owned())?;
            hold(!svg.contains("<script"), || "a picture has a script".to_owned())?;
        }
        let count = set.steps.len();
        let plan = match check(set, &*actions, &Earlier::default()) {
            Ok(plan) => plan,
            Err(report) => return refused(&report, input).map(|codes| format!("refused {codes}")),
        };
        let run = Run::new(plan, Arc::clone(&actions) as _, Options::default());
        let Ok(report) = runtime.block_on(async { tokio::time::timeout(RUN, run.run()).await })
        else {
            return Ok("slow".to_owned());
        };
        let outcomes: Vec<_> = report.outcomes().collect();
        hold(outcomes.len() == count, || format!("{} of {count} have ended", outcomes.len()))?;
        let ends: BTreeSet<_> = outcomes.iter().map(|one| format!("{:?}", one.status)).collect();
        Ok(format!("ran {ends:?}"))
    }))
}

fn refused(report: &Report, input: &[u8]) -> Result<String, String> {
    hold(!report.diagnostics.is_empty(), || "a refusal has no reason".to_owned())?;
    for fault in &report.diagnostics {
        if let Some((text, span)) = &fault.source {
            inside(*span, text, fault.rule)?;
        }
        let offset = fault.offset.unwrap_or_default() as usize;
        hold(offset <= input.len(), || format!("a place is outside the text: {offset}"))?;
    }
    let _ = report.to_string();
    let codes: BTreeSet<_> = report.diagnostics.iter().map(|fault| fault.rule).collect();
    Ok(codes.into_iter().collect::<Vec<_>>().join(" "))
}
