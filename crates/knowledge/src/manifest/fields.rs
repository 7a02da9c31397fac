//! The fields of the frontmatter as they are written, before they are checked.

use super::quick;
use super::tree::{self, Node};
use crate::codes;
use crate::finding::Finding;
use serde::Deserialize;
use std::path::Path;

/// The deepest nesting, the most values and the most work of aliases: frontmatter is small, and
/// what is beyond this is an attack.
const MAX_DEPTH: usize = 32;
const MAX_NODES: usize = 10_000;
const MAX_REPLAYED: usize = 10_000;

/// The fields of the frontmatter; unknown ones are free.
#[derive(Debug, Default, PartialEq, Deserialize)]
pub(super) struct Fields {
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) status: Option<String>,
    pub(super) trust: Option<String>,
    pub(super) profile: Option<String>,
    pub(super) runtime: Option<RuntimeFields>,
    pub(super) metadata: Option<MetadataFields>,
    pub(super) version: Option<String>,
    pub(super) language: Option<String>,
    pub(super) grounding: Option<String>,
    pub(super) license: Option<String>,
    pub(super) maintainers: Option<Vec<String>>,
    pub(super) scope: Option<String>,
    pub(super) updated: Option<String>,
    pub(super) compatibility: Option<String>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
pub(super) struct RuntimeFields {
    pub(super) mode: Option<String>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MetadataFields {
    pub(super) primary_document: Option<String>,
    pub(super) produced_by: Option<ProducedByFields>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
pub(super) struct ProducedByFields {
    pub(super) kind: Option<String>,
    pub(super) name: Option<String>,
    pub(super) version: Option<String>,
    pub(super) digest: Option<String>,
}

/// Reads the frontmatter, and says which fields were ignored because they are of the wrong kind.
///
/// # Errors
/// The finding for what is not YAML, or gives a field that a pack needs a wrong kind.
pub(super) fn read(yaml: &str, location: &Path) -> Result<(Fields, Vec<Finding>), Finding> {
    if let Some(node) = quick::read(yaml) {
        return tree::fields(node, yaml, location);
    }
    parse(yaml, location)
}

/// Returns the same by the parser alone.
pub(super) fn parse(yaml: &str, location: &Path) -> Result<(Fields, Vec<Finding>), Finding> {
    if let Ok(fields) = serde_saphyr::from_str_with_options::<Fields>(yaml, options()) {
        return Ok((fields, Vec::new()));
    }
    let node: Node = serde_saphyr::from_str_with_options(yaml, options())
        .map_err(|error| bad_yaml(&error, location))?;
    tree::fields(node, yaml, location)
}

fn options() -> serde_saphyr::Options {
    let mut options = serde_saphyr::Options::default();
    options.with_snippet = false;
    options.alias_limits.max_total_replayed_events = MAX_REPLAYED;
    if let Some(budget) = &mut options.budget {
        budget.max_depth = MAX_DEPTH;
        budget.max_nodes = MAX_NODES;
    }
    options
}

fn bad_yaml(error: &serde_saphyr::Error, location: &Path) -> Finding {
    let told = error.without_snippet().to_string();
    let told = told.strip_prefix("error: ").unwrap_or(&told);
    let told = in_our_words(told.lines().next().unwrap_or_default());
    let finding = Finding::new(
        codes::BAD_YAML,
        location,
        format!("the frontmatter is not valid YAML: {told}"),
    )
    .with_help(codes::BAD_YAML.explanation);
    let line = error.location().and_then(|at| u32::try_from(at.line()).ok());
    match line.filter(|line| *line > 0) {
        Some(line) => finding.at_line(line),
        None => finding,
    }
}

/// Returns what the parser says of its own settings is of no use to whoever writes a pack.
fn in_our_words(told: &str) -> String {
    told.replace(", set DuplicateKeyPolicy in Options if acceptable", "")
        .replace("recursive references require weak recursion types", "an alias repeats itself")
}
