//! `undo`: reverses effects, the newest first.
//!
//! Decision: all of them are checked before the first is reversed, so that a change made since is
//! refused and nothing is half undone. What undo did is an effect again and can itself be undone.

use super::effect::{self, Changes};
use crate::arguments::type_of;
use crate::error::{ToolError, shown};
use crate::output::{EffectKind, FileEffect, FileState, ToolOutput};
use crate::settings::Shared;
use crate::workspace::{FileError, WorkspacePath};
use contexture_context::Digest;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Takes the forms in which a program hands effects back: the list, the result of a write, or a
/// single effect.
pub(crate) fn argument(argument: Value) -> Value {
    let effects = match argument {
        Value::Object(mut fields) => match fields.remove("effects") {
            Some(effects) => effects,
            None if fields.contains_key("kind") => Value::Array(vec![Value::Object(fields)]),
            None => return Value::Object(fields),
        },
        Value::Array(effects) => Value::Array(effects),
        other => return other,
    };
    Value::Object(Map::from_iter([("effects".to_owned(), effects)]))
}

pub(super) fn undo(shared: &Shared, effects: &Value) -> Result<ToolOutput, ToolError> {
    let effects = read(effects)?;
    let mut steps = Vec::with_capacity(effects.len());
    for effect in effects.iter().rev() {
        let path = shared.workspace.resolve(&effect.path)?;
        steps.push((path, effect));
    }
    check(shared, &steps)?;
    let mut changes = Changes::default();
    for (done, (path, effect)) in steps.iter().enumerate() {
        let reversed = reverse(shared, path, effect).map_err(|error| {
            let total = steps.len();
            let message =
                format!("{} ({done} of {total} effects were undone before)", error.message);
            ToolError { message, ..error }
        })?;
        changes.append(reversed);
    }
    Ok(changes.into_output())
}

fn read(effects: &Value) -> Result<Vec<FileEffect>, ToolError> {
    let invalid = |message| {
        ToolError::new("effect_invalid", message)
            .with_help("pass the `effects` that write, patch or undo returned")
    };
    let Value::Array(effects) = effects else {
        return Err(invalid(format!("undo expects a list of effects, found {}", type_of(effects))));
    };
    let read = |(index, effect): (usize, &Value)| {
        serde_json::from_value(effect.clone()).map_err(|error| {
            invalid(format!("effect {index} is not an effect: {}", shown(&error.to_string())))
        })
    };
    effects.iter().enumerate().map(read).collect()
}

/// The state of a place, as far as undo depends on it.
#[derive(Clone, PartialEq)]
enum Here {
    Nothing,
    Folder,
    File(Digest),
}

/// Walks through all steps on paper.
fn check(shared: &Shared, steps: &[(WorkspacePath, &FileEffect)]) -> Result<(), ToolError> {
    let mut known: HashMap<&WorkspacePath, Here> = HashMap::new();
    for (path, effect) in steps {
        let here = match known.get(path) {
            Some(here) => here.clone(),
            None => look(shared, path)?,
        };
        if here != expected(effect) {
            return Err(changed(effect, &here));
        }
        known.insert(path, former(effect)?);
    }
    Ok(())
}

fn look(shared: &Shared, path: &WorkspacePath) -> Result<Here, FileError> {
    match effect::current(shared, path) {
        Ok(None) => Ok(Here::Nothing),
        Ok(Some(bytes)) => Ok(Here::File(Digest::of_bytes(&bytes))),
        Err(FileError::IsFolder(_)) => Ok(Here::Folder),
        // A folder on the way is gone or is a file now: the file is not there.
        Err(FileError::NotFolder(_)) => Ok(Here::Nothing),
        Err(error) => Err(error),
    }
}

/// Returns what the effect left.
fn expected(effect: &FileEffect) -> Here {
    match (effect.kind, &effect.after) {
        (EffectKind::CreateFolder, _) => Here::Folder,
        (EffectKind::Create | EffectKind::Change, Some(after)) => Here::File(after.digest.clone()),
        _ => Here::Nothing,
    }
}

/// Returns what the effect found, which is what undoing it leaves.
fn former(effect: &FileEffect) -> Result<Here, ToolError> {
    match (effect.kind, &effect.before) {
        (EffectKind::RemoveFolder, _) => Ok(Here::Folder),
        (EffectKind::Change | EffectKind::Delete, before) => {
            content(effect, before.as_ref())?;
            Ok(before.as_ref().map_or(Here::Nothing, |before| Here::File(before.digest.clone())))
        }
        (EffectKind::Create | EffectKind::CreateFolder, _) => Ok(Here::Nothing),
    }
}

/// Returns the content that a change or a deletion replaced.
fn content(effect: &FileEffect, before: Option<&FileState>) -> Result<Vec<u8>, ToolError> {
    let path = shown(&effect.path);
    let invalid = |message: String| {
        ToolError::new("effect_invalid", message)
            .with_help("pass the effects as they were returned, unchanged")
    };
    let Some(before) = before else {
        return Err(invalid(format!("the effect on `{path}` does not say what was there before")));
    };
    match before.content() {
        Ok(Some(content)) => Ok(content),
        Ok(None) => {
            let bytes = before.bytes;
            let message = format!("the former content of `{path}` ({bytes} bytes) was not kept");
            let help = "restore it from version control; undo the other effects without this one";
            Err(ToolError::new("undo_not_kept", message).with_help(help))
        }
        Err(effect::Tampered) => {
            Err(invalid(format!("the former content of `{path}` does not fit its digest")))
        }
    }
}

fn changed(effect: &FileEffect, here: &Here) -> ToolError {
    let path = shown(&effect.path);
    let found = match (here, effect.kind) {
        (Here::Nothing, _) => "it is gone",
        (_, EffectKind::Delete | EffectKind::RemoveFolder) => "something is there again",
        (Here::Folder, _) => "it is a folder now",
        (Here::File(_), EffectKind::CreateFolder) => "it is a file now",
        (Here::File(_), _) => "its content is another",
    };
    let message = format!("`{path}` was changed since: {found}");
    let help = "nothing was undone; undo newer effects first, or write the content you want";
    ToolError::new("undo_changed", message).with_help(help)
}

fn reverse(
    shared: &Shared,
    path: &WorkspacePath,
    effect: &FileEffect,
) -> Result<Changes, ToolError> {
    let mut changes = Changes::default();
    match effect.kind {
        EffectKind::Create => {
            let before = effect::current(shared, path)?.unwrap_or_default();
            return effect::delete(shared, path, before);
        }
        EffectKind::Change | EffectKind::Delete => {
            return effect::write(shared, path, &content(effect, effect.before.as_ref())?);
        }
        EffectKind::CreateFolder => {
            if shared.workspace.remove_folder(path)? {
                changes.folder(EffectKind::RemoveFolder, path);
            } else {
                changes.notes.push(format!("the folder {path} stays: there is something in it"));
            }
        }
        EffectKind::RemoveFolder => {
            if shared.workspace.create_folder(path)? {
                changes.folder(EffectKind::CreateFolder, path);
            }
        }
    }
    Ok(changes)
}
