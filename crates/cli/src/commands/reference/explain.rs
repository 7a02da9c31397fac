//! `contexture ref explain`: the rules, registries and files that determine a reference.

use super::options::{self, ReferenceOptions, RelativeTo};
use crate::prelude::*;
use contexture::reference::definition::Hop;
use contexture::reference::{Route, Step};
use contexture::references::{Look, References, Target, kind_of};

const EXAMPLES: &str = "\
Examples:
  contexture ref explain '@markdown:file://README.md?section=Contexture'
  contexture ref explain '@style://tone' --workspace examples/references --json";

/// Explains how a reference is loaded, without loading it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The reference.
    #[arg(value_name = "REF")]
    reference: String,
    #[command(flatten)]
    from: RelativeTo,
    #[command(flatten)]
    options: ReferenceOptions,
    /// Print one JSON object: reference, resolved, semantics, trail, levels, parameters, place, file
    /// and fallback.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let reference = options::reference(&args.reference, terminal.err)?;
    let references = args.options.open(None)?;
    let place = args.from.place(&references)?;
    let route = references.loader().route(&reference, &place);
    let route = route.map_err(|error| -> Abort { options::failed(&error, terminal.err).into() })?;
    if args.json {
        let file = references.target(&route);
        terminal.print_json(&to_json(&route, &file, &references))?;
    } else {
        let paint = terminal.out;
        let look = Look {
            plain: &one_line,
            heading: &|text| paint.bold(text),
            aside: &|text| paint.dim(text),
            fault: &|text| paint.red(text),
        };
        terminal.print(&references.explanation(&route, look))?;
    }
    Ok(Exit::Done)
}

fn to_json(route: &Route, file: &Target, references: &References) -> Value {
    let trail: Vec<Value> = route.trail.iter().map(hop_json).collect();
    let levels: Vec<Value> = route.steps.iter().rev().map(level_json).collect();
    let file = file.as_ref().map(|file| match file {
        Ok(found) => json!({
            "root": found.root,
            "path": found.path,
            "workspace_root_taken": found.fell_back,
        }),
        Err(reason) => json!({ "error": reason }),
    });
    json!({
        "reference": route.reference,
        "resolved": route.resolved,
        "semantics": route.semantics.as_str(),
        "trail": trail,
        "levels": levels,
        "parameters": route.common.taken,
        "place": { "root": references.root(route.place.root), "folder": route.place.folder },
        "file": file,
        "fallback": route.fallback.as_ref().map(|other| &other.resolved),
    })
}

fn hop_json(hop: &Hop) -> Value {
    json!({
        "protocol": hop.protocol,
        "id": hop.id,
        "from": hop.from,
        "to": hop.to,
        "layer": hop.layer.to_string(),
        "file": hop.file,
        "line": (hop.line > 0).then_some(hop.line),
        "rule_line": hop.rule_line,
    })
}

fn level_json(step: &Step) -> Value {
    let (kind, definition) = kind_of(step);
    json!({
        "protocol": step.name,
        "kind": kind,
        "semantics": step.semantics.as_str(),
        "reference": step.reference,
        "parameters": step.parameters.taken,
        "passed_on": step.parameters.passed_on,
        "definition": definition.map(|(file, line)| json!({ "file": file, "line": line })),
    })
}
