//! `contexture ref explain`: the rules, registries and files that determine a reference.

use super::options::{self, ReferenceOptions, RelativeTo};
use crate::prelude::*;
use contexture::reference::definition::Hop;
use contexture::reference::{Route, Step, StepKind};
use contexture::references::{References, Whereabouts};

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
    let file = whereabouts(&route, &references);
    if args.json {
        terminal.print_json(&to_json(&route, &file, &references))?;
    } else {
        terminal.print(&text(&route, &file, &references, terminal.out))?;
    }
    Ok(Exit::Done)
}

/// The file of a reference, or the reason why there is none.
type Target = Option<Result<Whereabouts, String>>;

fn whereabouts(route: &Route, references: &References) -> Target {
    let step = route.steps.first().filter(|step| step.name == "file")?;
    let StepKind::Source { path } = &step.kind else { return None };
    references.whereabouts(path, &route.place).map_err(|error| error.to_string()).transpose()
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
    let (kind, definition) = kind(step);
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

/// Returns the kind of a level, and the file and line that define it.
fn kind(step: &Step) -> (&'static str, Option<(&str, u32)>) {
    match &step.kind {
        StepKind::Source { .. } => ("source", None),
        StepKind::Processor => ("processor", None),
        StepKind::Wrapper(definition) => {
            ("wrapper", Some((definition.origin().file.as_str(), definition.line())))
        }
    }
}

fn text(route: &Route, file: &Target, references: &References, paint: Paint) -> String {
    let mut text = format!("{}\n", paint.bold(&one_line(&route.reference)));
    // Writing to a string can't fail.
    for hop in &route.trail {
        let file = one_line(&hop.file);
        let _ = writeln!(text, "→ {}", one_line(&hop.to));
        let _ = match hop.line {
            0 => writeln!(text, "    {} {file}", paint.dim("named by")),
            line => {
                let (said, layer) = (paint.dim("registered in"), hop.layer);
                writeln!(text, "    {said} {file}:{line} ({layer})")
            }
        };
        if let Some(line) = hop.rule_line {
            let _ =
                writeln!(text, "    {} {}:{line}", paint.dim("path follows"), one_line(&hop.file));
        }
    }
    let when = match route.semantics.as_str() {
        "hot" => "hot: loaded at once; a failure stops the prompt",
        "lazy" => "lazy: loaded on request",
        _ => "default: loaded when the policy decides",
    };
    let _ = writeln!(text, "{}  {when}", paint.dim("when"));
    for (at, step) in route.steps.iter().enumerate() {
        let _ =
            writeln!(text, "{}  {}", paint.dim(if at == 0 { "read" } else { "then" }), level(step));
    }
    for (name, value) in &route.common.taken {
        let _ = writeln!(text, "{}  {name}={}", paint.dim("take"), one_line(value));
    }
    let folder = if route.place.folder.is_empty() { "." } else { &route.place.folder };
    let root = references.root(route.place.root).display().to_string();
    if route.steps.first().is_some_and(|step| step.name == "file") {
        let _ = writeln!(
            text,
            "{}  {} {}",
            paint.dim("from"),
            one_line(folder),
            paint.dim(&format!("of {}", one_line(&root)))
        );
    }
    match file {
        Some(Ok(found)) => {
            let how = if found.fell_back {
                "  (not in the folder of the document: found in the workspace root)"
            } else {
                ""
            };
            let _ = writeln!(text, "{}  {}{how}", paint.dim("file"), one_line(&found.path));
        }
        Some(Err(reason)) => {
            let _ = writeln!(text, "{}  {}", paint.dim("file"), paint.red(&one_line(reason)));
        }
        None => {}
    }
    if let Some(other) = &route.fallback {
        let said = "if nothing is there";
        let _ = writeln!(
            text,
            "{}  {} {}",
            paint.dim("else"),
            one_line(&other.resolved),
            paint.dim(said)
        );
    }
    for note in &route.notes {
        let _ = writeln!(text, "{}  {}", paint.dim("note"), one_line(&note.message));
    }
    text
}

/// Formats a level: `markdown (processor)  section=Use`.
fn level(step: &Step) -> String {
    let (kind, definition) = kind(step);
    let place =
        definition.map_or(String::new(), |(file, line)| format!(", {}:{line}", one_line(file)));
    let mut text = format!("{} ({kind}{place})", step.name);
    for (name, value) in &step.parameters.taken {
        let _ = write!(text, "  {name}={}", one_line(value));
    }
    if step.parameters.passed_on.is_some() {
        text.push_str("  the rest of the query goes to the server");
    }
    text
}
