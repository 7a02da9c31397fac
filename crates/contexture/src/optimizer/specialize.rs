//! The target with other candidates marked.

use super::Live;
use super::target::{Placed, Selection, Target, refused};
use crate::diff::unified;
use contexture_core::tool::ToolFailure;
use contexture_script::program::ProgramFile;
use contexture_script::sites;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// What is to be marked.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Specialize {
    /// The program, by its path in the workspace.
    target: String,
    /// The candidates, by the ids of their sites; the others stay.
    selection: Selection,
    /// The `snapshot_id` of `inspect`: a program that has changed since is refused.
    snapshot_id: Option<String>,
    /// What is written.
    #[serde(default)]
    write: Write,
    /// The file of the copy, or its folder for a program of several files; `NAME.optimized.as` or
    /// `NAME.optimized` by default.
    output: Option<String>,
}

/// What is written.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Write {
    /// A copy of the program.
    #[default]
    Copy,
    /// The changed files themselves.
    InPlace,
    /// Nothing.
    Preview,
}

/// A file with other marks.
struct Marked<'f> {
    file: &'f ProgramFile,
    text: String,
}

/// Marks other candidates.
pub(super) async fn specialize(live: &Live, wish: Specialize) -> Result<Value, ToolFailure> {
    let target = match Target::read(live, &wish.target)? {
        Ok(target) => target,
        Err(refusal) => return Ok(refusal),
    };
    if let Some(expected) = wish.snapshot_id.as_ref().filter(|known| **known != target.snapshot) {
        let more = json!({ "expected": expected, "actual": target.snapshot });
        let message = "the program has changed since it was inspected";
        return Ok(refused("snapshot_mismatch", message, more));
    }
    if let Err(refusal) = target.check(&wish.selection) {
        return Ok(refusal);
    }
    let marked = target.program.files.iter().map(|file| marked(&target, file, &wish.selection));
    let marked = marked.collect::<Result<Vec<Marked<'_>>, ToolFailure>>()?;
    let output = output(&wish, &target.name, marked.len());
    let places = places(wish.write, &output, &marked);
    if wish.write != Write::Preview {
        for (path, text) in &places {
            let arguments = json!({ "path": path, "content": text });
            let written = live.tools.call("file://workspace", "write", arguments).await;
            written.map_err(|error| ToolFailure {
                help: error.help,
                ..ToolFailure::new(error.code, error.message)
            })?;
        }
    }
    let edits: Vec<Value> =
        target.sites.iter().filter_map(|it| edit(it, &wish.selection)).collect();
    let outputs: Vec<&String> = places.iter().map(|(path, _)| path).collect();
    Ok(json!({
        "ok": true,
        "changed": !edits.is_empty(),
        "output": output,
        "outputs": outputs,
        "diff": marked.iter().map(difference).collect::<String>(),
        "edits": edits,
        "snapshot_id": target.snapshot,
    }))
}

/// Returns a file of the target with other marks.
fn marked<'f>(
    target: &Target,
    file: &'f ProgramFile,
    selection: &Selection,
) -> Result<Marked<'f>, ToolFailure> {
    let here = target.sites.iter().filter(|placed| placed.file == file.source.name());
    let chosen =
        here.filter_map(|placed| Some((placed.site.place(), selection.get(&placed.id)?.clone())));
    let chosen: Vec<(String, String)> = chosen.collect();
    let text = sites::specialize(&file.source, &file.parsed.file, &chosen);
    let text = text.map_err(|error| ToolFailure::new("unknown_selection", error.message))?;
    Ok(Marked { file, text })
}

/// Returns where the program is written: a file, or a folder for several.
fn output(wish: &Specialize, name: &str, files: usize) -> String {
    let stem = name.strip_suffix(".as").unwrap_or(name);
    match (wish.write, &wish.output) {
        (Write::InPlace, _) => name.to_owned(),
        (_, Some(output)) => output.clone(),
        _ if files > 1 => format!("{stem}.optimized"),
        _ => format!("{stem}.optimized.as"),
    }
}

/// Returns the files to write: the changed ones in place, or all of a copy.
fn places<'m>(write: Write, output: &str, marked: &'m [Marked<'_>]) -> Vec<(String, &'m str)> {
    let is_changed = |one: &&Marked<'_>| one.text != one.file.source.text();
    let named = |one: &'m Marked<'_>| (one.file.source.name().to_owned(), one.text.as_str());
    match (write, marked) {
        (Write::InPlace, _) => marked.iter().filter(is_changed).map(named).collect(),
        (_, [only]) => vec![(output.to_owned(), only.text.as_str())],
        _ => {
            let copy = |(name, text): (String, &'m str)| (format!("{output}/{name}"), text);
            marked.iter().map(named).map(copy).collect()
        }
    }
}

/// Returns the change of a site; `None` for one that stays.
fn edit(placed: &Placed, selection: &Selection) -> Option<Value> {
    let chosen = selection.get(&placed.id)?;
    let before = placed.site.candidates.iter().find(|one| one.selected)?;
    (before.name != *chosen).then(|| {
        let Placed { id, file, site } = placed;
        let (from, label) = (&before.name, &site.label);
        json!({ "site_id": id, "file": file, "label": label, "from": from, "to": chosen })
    })
}

fn difference(one: &Marked<'_>) -> String {
    let (name, before) = (one.file.source.name(), one.file.source.text());
    unified((name, name), before, &one.text)
}
