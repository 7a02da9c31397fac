//! The program that is optimized: its files, its sites, and what tells its versions apart.

use super::Live;
use crate::run::load;
use contexture_context::Digest;
use contexture_core::policy::paths::Access;
use contexture_core::tool::ToolFailure;
use contexture_diagnostic::render;
use contexture_script::program::{Program, ProgramFile};
use contexture_script::sites::{Site, SiteCandidate, sites};
use contexture_tools::FileError;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// A choice of candidates by the ids of their sites.
pub(super) type Selection = BTreeMap<String, String>;

/// A checked program with its sites.
pub(super) struct Target {
    /// Its path in the workspace.
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) program: Program,
    /// The sites of all its files, each with its file and id.
    pub(super) sites: Vec<Placed>,
    pub(super) snapshot: String,
}

/// A site of a file of the program.
pub(super) struct Placed {
    pub(super) id: String,
    pub(super) file: String,
    pub(super) site: Site,
}

/// A refusal that the calling program sees as a value, and may go on from.
pub(super) fn refused(code: &str, message: &str, more: Value) -> Value {
    let mut value = json!({ "ok": false, "code": code, "message": message });
    if let (Value::Object(value), Value::Object(more)) = (&mut value, more) {
        value.extend(more);
    }
    value
}

/// Returns the failure of a file that can't be read or written.
pub(super) fn of_file(error: &FileError) -> ToolFailure {
    ToolFailure::new(error.code(), error.to_string()).with_help(error.help())
}

impl Target {
    /// Reads a program of the workspace; the inner error is the refusal of one that is not correct.
    pub(super) fn read(live: &Live, target: &str) -> Result<Result<Self, Value>, ToolFailure> {
        let place = live.workspace.resolve(target).map_err(|error| of_file(&error))?;
        let path = live.workspace.locate(&place, Access::Read).map_err(|error| of_file(&error))?;
        let (program, checked) = load(&live.project, &path).map_err(|error| ToolFailure {
            help: error.help.clone(),
            ..ToolFailure::new(error.code, error.message)
        })?;
        if checked.has_errors() {
            let files = &checked.files;
            let of = |name: &str| files.iter().find(|file| file.name() == name).or(files.first());
            let faults = checked.diagnostics.iter();
            let faults = faults.filter_map(|fault| Some(render::json(fault, of(&fault.file)?)));
            let more = json!({ "diagnostics": faults.collect::<Value>() });
            return Ok(Err(refused("semantic_error", &checked.to_string(), more)));
        }
        let name = place.as_str().to_owned();
        let (sites, snapshot) = (placed(&program.files), snapshot(&program.files));
        Ok(Ok(Self { name, path, program, sites, snapshot }))
    }

    /// Returns the refusal of a selection that names what is not there.
    pub(super) fn check(&self, selection: &Selection) -> Result<(), Value> {
        for (id, candidate) in selection {
            let Some(placed) = self.sites.iter().find(|placed| placed.id == *id) else {
                let known: Vec<&str> = self.sites.iter().map(|placed| placed.id.as_str()).collect();
                let message = format!("no choice has the id `{id}`");
                let more = json!({ "site_id": id, "known": known });
                return Err(refused("unknown_selection_key", &message, more));
            };
            let candidates = &placed.site.candidates;
            if !candidates.iter().any(|one| one.name == *candidate) {
                let known: Vec<&str> = candidates.iter().map(|one| one.name.as_str()).collect();
                let message = format!("`{id}` has no candidate `{candidate}`");
                let more = json!({ "site_id": id, "known": known });
                return Err(refused("unknown_variant", &message, more));
            }
        }
        Ok(())
    }
}

/// Returns the sites of all files; a label that occurs again in its scope gets its number.
fn placed(files: &[ProgramFile]) -> Vec<Placed> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut all = Vec::new();
    for file in files {
        let name = file.source.name();
        for site in sites(&file.source, &file.parsed.file) {
            let mut id = site.id(name);
            let times = seen.entry(id.clone()).or_default();
            *times += 1;
            if *times > 1 {
                id = format!("{}#{times}]", id.trim_end_matches(']'));
            }
            all.push(Placed { id, file: name.to_owned(), site });
        }
    }
    all
}

/// Returns a digest of the names and texts of all files.
fn snapshot(files: &[ProgramFile]) -> String {
    let mut all: Vec<(&str, &str)> =
        files.iter().map(|file| (file.source.name(), file.source.text())).collect();
    all.sort_unstable();
    Digest::of_json(&json!(all)).to_string()
}

/// Lists the sites of a program.
pub(super) fn inspect(live: &Live, target: &str) -> Result<Value, ToolFailure> {
    let target = match Target::read(live, target)? {
        Ok(target) => target,
        Err(refusal) => return Ok(refusal),
    };
    let chosen = |placed: &Placed| {
        let chosen = placed.site.candidates.iter().find(|one| one.selected)?;
        Some((placed.id.clone(), Value::String(chosen.name.clone())))
    };
    let baseline: Map<String, Value> = target.sites.iter().filter_map(chosen).collect();
    let files: Vec<&str> = target.program.files.iter().map(|file| file.source.name()).collect();
    let none = json!({ "code": "no_variant_sites", "message": "the program has no choice" });
    let warnings: Vec<Value> = target.sites.is_empty().then_some(none).into_iter().collect();
    Ok(json!({
        "ok": true,
        "target": target.name,
        "snapshot_id": target.snapshot,
        "files": files,
        "variant_sites": target.sites.iter().map(described).collect::<Vec<_>>(),
        "baseline_selection": baseline,
        "warnings": warnings,
    }))
}

fn described(Placed { id, site, .. }: &Placed) -> Value {
    let candidate = |one: &SiteCandidate| json!({ "name": one.name, "empty": one.is_empty, "budget": one.budget });
    let chosen = site.candidates.iter().find(|one| one.selected).map(|one| one.name.as_str());
    let is_first = site.candidates.first().is_some_and(|one| one.selected);
    let is_marked = site.candidates.iter().any(|one| one.mark.is_some());
    json!({
        "site_id": id,
        "label": site.label,
        "line": site.line,
        "scope": {
            "kind": if site.function.is_some() { "function" } else { "agent" },
            "agent": site.agent,
            "func": site.function,
        },
        "selected": chosen,
        "default_reason": match is_marked {
            true => "selected",
            false if is_first => "first",
            false => "greatest",
        },
        "candidates": site.candidates.iter().map(candidate).collect::<Vec<_>>(),
    })
}
