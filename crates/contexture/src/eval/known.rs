//! Held-out cases whose answers a program shows (EV-9, EV-10).
//!
//! Decision: a gain is told of cases that nothing has seen. Examples made of runs (`eval record --examples`)
//! hold inputs with their outputs, so a case with such an input would measure what the model is shown.

use super::cell::Cell;
use super::fault::EvalError;
use super::run::Runner;
use crate::format;
use crate::reading;
use crate::run::SetupError;
use contexture_script::program::ProgramFile;
use contexture_script::syntax::ast::{Import, ImportKind};
use serde_json::Value;
use std::path::Path;

/// Refuses a trial whose held-out cases stand among the examples that its program imports.
///
/// # Errors
/// [`EvalError::Setup`] naming the file and the first case.
pub(super) fn refuse_known<'c>(
    runner: &Runner<'_>,
    held_out: impl Iterator<Item = &'c Cell<'c>>,
) -> Result<(), EvalError> {
    let all = examples(runner);
    if all.is_empty() {
        return Ok(());
    }
    for cell in held_out {
        let Ok(input) = runner.input(cell.case) else { continue };
        let Some((file, _)) = all.iter().find(|(_, known)| *known == input) else { continue };
        let name = cell.case.name.as_deref().unwrap_or_default();
        let message =
            format!("`{file}` holds the input of the held-out case `{name}` with an output");
        let help = "a gain on it would be that of knowing the answer: leave the case out, or make the examples of other runs";
        let error = SetupError::new("known_case", message, Some(help.to_owned()));
        return Err(EvalError::Setup(error));
    }
    Ok(())
}

/// Returns the inputs of the examples that a program imports, each with its file.
fn examples(runner: &Runner<'_>) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for file in &runner.program.program.files {
        let is_file = |import: &&Import| import.kind == ImportKind::File;
        for import in file.imports().filter(is_file) {
            let name = import.from.value.as_str();
            let inputs = inputs(runner.runtime.project().root.as_path(), file, name);
            found.extend(inputs.into_iter().map(|input| (name.to_owned(), input)));
        }
    }
    found
}

/// Returns the inputs of a list of inputs with outputs; none of any other file.
fn inputs(root: &Path, file: &ProgramFile, name: &str) -> Vec<Value> {
    let folder = Path::new(file.source.name()).parent().unwrap_or(Path::new(""));
    let Ok(text) = reading::argument(&root.join(folder).join(name)) else { return Vec::new() };
    let Ok(Value::Array(items)) = format::value_of(name, &text) else { return Vec::new() };
    let input = |item: Value| match item {
        Value::Object(mut fields) if fields.contains_key("output") => fields.remove("input"),
        _ => None,
    };
    items.into_iter().filter_map(input).collect()
}
