//! `generate`: a model generation whose answer has a shape.
//!
//! Decision: it is run as the program that a person would write for it, so that what the model saw
//! is laid out, fenced, budgeted and recorded as in every run, and `inspect` shows it. Texts come
//! in as the program's input, never as its source; only the shape, labels and numbers, each of them
//! checked, are written into it.

use super::kit::Kit;
use super::origins::{fields, items};
use super::own::{GENERATE, LABEL_CHARS};
use super::program::Work;
use super::shape;
use crate::run::RunRequest;
use contexture_context::{Limits, Trust};
use contexture_flow::action::ActionFailure;
use contexture_script::runtime::Given;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Returns the run of the program for a generation.
pub(super) fn work(
    kit: &Kit,
    (flow, step, attempt): (String, String, u32),
    given: Vec<(String, Given)>,
) -> Result<Work, ActionFailure> {
    let asked = Asked::of(given)?;
    let text = asked.program(&kit.project.config.limits)?;
    let request = RunRequest {
        program: "generate.as".into(),
        text: Some(text),
        model: asked.model.or_else(|| kit.request.run.model.clone()),
        ..kit.run_request(&flow, &step)
    };
    let values = asked.uses.into_iter().map(|used| used.value).collect();
    let input = vec![("prompt".to_owned(), asked.prompt), ("uses".to_owned(), Given::List(values))];
    Ok(Work { flow, step, attempt, request, input: Given::Object(input) })
}

/// The request to the model.
struct Asked {
    prompt: Given,
    uses: Vec<Used>,
    shape: Option<Value>,
    model: Option<String>,
    /// Options of `generate`, with their values as they are written.
    options: Vec<(&'static str, String)>,
}

/// An item that the model is shown.
struct Used {
    label: Option<String>,
    max: Option<u64>,
    value: Given,
}

impl Asked {
    fn of(given: Vec<(String, Given)>) -> Result<Self, ActionFailure> {
        let mut asked = Self {
            prompt: Given::Value(Value::Null, Trust::User.into()),
            uses: Vec::new(),
            shape: None,
            model: None,
            options: Vec::new(),
        };
        for (name, value) in given {
            match name.as_str() {
                "prompt" => asked.prompt = value,
                "uses" => asked.uses = uses(value)?,
                "shape" => asked.shape = Some(value.to_json()),
                "model" => asked.model = value.to_json().as_str().map(str::to_owned),
                "temperature" => asked.options.push(("temperature", value.to_json().to_string())),
                "maxOutput" => asked.options.push(("max_output", value.to_json().to_string())),
                "attempts" => asked.options.push(("attempts", value.to_json().to_string())),
                _ => {}
            }
        }
        Ok(asked)
    }

    fn program(&self, limits: &Limits) -> Result<String, ActionFailure> {
        let mut text = "main func(input) {\n".to_owned();
        for (number, Used { label, max, .. }) in self.uses.iter().enumerate() {
            let _ = write!(text, "  use input.uses[{number}]");
            if let Some(max) = max {
                let _ = write!(text, " max {max}");
            }
            if let Some(label) = label {
                let _ = write!(text, " as \"{label}\"");
            }
            text.push('\n');
        }
        text.push_str("  generate({ input: input.prompt");
        for (name, value) in &self.options {
            let _ = write!(text, ", {name}: {value}");
        }
        let (shape, is_strict) = match &self.shape {
            Some(shape) => {
                shape::read(shape, limits).map_err(|message| misfit("shape", message))?
            }
            None => (None, false),
        };
        if is_strict {
            text.push_str(", strict: true");
        }
        text.push_str(" })");
        if let Some(shape) = shape {
            let _ = write!(text, " -> {shape}");
        }
        text.push_str("\n}\n");
        Ok(text)
    }
}

fn uses(given: Given) -> Result<Vec<Used>, ActionFailure> {
    let used = if matches!(&given, Given::List(_) | Given::Value(Value::Array(_), _)) {
        items(given).unwrap_or_default().into_iter().map(one).collect()
    } else {
        let named = fields(given).unwrap_or_default().into_iter();
        named
            .map(|(label, value)| Used { label: Some(label), max: None, value })
            .collect::<Vec<_>>()
    };
    match used.iter().filter_map(|used| used.label.as_ref()).find(|label| !is_label(label)) {
        Some(label) => {
            let message = format!(
                "{label:?} is not a label: use letters, digits, blanks, `_`, `-` and `.`, at most {LABEL_CHARS}"
            );
            Err(misfit("uses", message))
        }
        None => Ok(used),
    }
}

fn one(item: Given) -> Used {
    let mut used =
        Used { label: None, max: None, value: Given::Value(Value::Null, Trust::User.into()) };
    for (name, value) in fields(item).unwrap_or_default() {
        match name.as_str() {
            "label" => used.label = value.to_json().as_str().map(str::to_owned),
            "max" => used.max = value.to_json().as_u64(),
            "value" => used.value = value,
            _ => {}
        }
    }
    used
}

fn is_label(label: &str) -> bool {
    let is_plain = |sign: char| sign.is_alphanumeric() || " _-.".contains(sign);
    !label.trim().is_empty() && label.chars().count() <= LABEL_CHARS && label.chars().all(is_plain)
}

fn misfit(parameter: &str, message: String) -> ActionFailure {
    let pointer = format!("/{parameter}");
    ActionFailure {
        details: Some(json!({ "violations": [{ "pointer": pointer, "message": message }] })),
        ..ActionFailure::new(
            "VALIDATION_FAILED",
            format!("`{parameter}` of `{GENERATE}`: {message}"),
        )
    }
}
