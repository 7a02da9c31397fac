//! `contexture ref list`: the protocols (REF-19, REF-20).

use super::options::{self, ReferenceOptions};
use crate::output::diagnostics;
use crate::output::text::{padded, width};
use crate::prelude::*;
use contexture::diagnostic::SourceFile;
use contexture::reference::definition::Definition;
use contexture::reference::{Parameter, ParameterKind, Protocol, Role};
use contexture::references::{References, Skill};
use std::collections::BTreeMap;

const EXAMPLES: &str = "\
Examples:
  contexture ref list
  contexture ref list --workspace examples/references --json";

/// Lists the protocols: built-in ones, processors, those of definition files, and what registry files, globs and skills add.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    options: ReferenceOptions,
    /// Print one JSON object: protocols, each with name, kind, parameters, layer, file, line and
    /// ids; rows of registry files; globs; skills; and diagnostics.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let references = args.options.open(None)?;
    if args.json {
        let diagnostics = options::diagnostics(&references, []);
        terminal.print_json(&json!({
            "protocols": protocols(&references),
            "rows": rows(&references),
            "globs": globs(&references),
            "skills": skills(&references),
            "diagnostics": diagnostics,
        }))?;
        return Ok(Exit::Done);
    }
    terminal.print(&text(&references, terminal.out))?;
    let files: Vec<&SourceFile> = references.sources().iter().collect();
    let found = diagnostics::text(references.diagnostics(), &files, terminal.err);
    if !found.is_empty() {
        terminal.say(found.trim_end());
    }
    Ok(Exit::Done)
}

fn protocols(references: &References) -> Vec<Value> {
    let loader = references.loader();
    let built_in = loader.protocols().map(|protocol| {
        json!({
            "name": protocol.name(),
            "kind": kind(protocol.as_ref()),
            "parameters": parameters(protocol.parameters()),
            "layer": "built-in",
            "file": null,
            "line": null,
            "description": null,
            "location": null,
            "ids": [],
        })
    });
    built_in.chain(loader.definitions().iter().map(|definition| defined(definition))).collect()
}

fn rows(references: &References) -> Vec<Value> {
    let rows = references.loader().definitions().rows();
    rows.map(|(protocol, id, row)| {
        let reference = row.reference.as_ref().map(|one| one.as_ref().public());
        let (file, line) = (&row.origin.file, row.line);
        json!({ "protocol": protocol, "id": id, "reference": reference, "file": file, "line": line })
    })
    .collect()
}

fn globs(references: &References) -> Value {
    let globs = references.loader().definitions().globs();
    globs.map(|(protocol, glob)| (protocol.to_owned(), json!(glob.as_str()))).collect()
}

fn skills(references: &References) -> Vec<Value> {
    let one = |skill: Skill| {
        let Skill { name, description, folder } = skill;
        json!({ "name": name, "description": description, "folder": folder })
    };
    references.skills().into_iter().map(one).collect()
}

fn kind(protocol: &dyn Protocol) -> &'static str {
    match protocol.role() {
        Role::Source => "source",
        Role::Processor => "processor",
    }
}

fn defined(definition: &Definition) -> Value {
    let entries = definition.registry().into_iter().flat_map(|registry| registry.entries());
    let ids: Vec<Value> = entries
        .map(|(id, entry)| {
            let reference = entry.reference.as_ref().map(|one| one.as_ref().public());
            json!({ "id": id, "reference": reference, "line": entry.line })
        })
        .collect();
    json!({
        "name": definition.name(),
        "kind": "defined",
        "parameters": parameters(definition.parameters()),
        "layer": definition.origin().layer.to_string(),
        "file": definition.origin().file,
        "line": definition.line(),
        "description": definition.description(),
        "location": definition.location().is_some(),
        "ids": ids,
    })
}

fn parameters(declared: &[Parameter]) -> Vec<Value> {
    let one = |parameter: &Parameter| {
        json!({
            "name": parameter.name,
            "type": type_name(&parameter.kind),
            "description": parameter.description,
            "default": parameter.default,
            "required": parameter.required,
        })
    };
    declared.iter().map(one).collect()
}

fn type_name(kind: &ParameterKind) -> String {
    match kind {
        ParameterKind::String => "string".to_owned(),
        ParameterKind::Number => "number".to_owned(),
        ParameterKind::Integer => "integer".to_owned(),
        ParameterKind::Boolean => "boolean".to_owned(),
        ParameterKind::Range => "range".to_owned(),
        ParameterKind::OneOf(words) => words.join("|"),
    }
}

fn text(references: &References, paint: Paint) -> String {
    let loader = references.loader();
    let names = loader.protocols().map(|protocol| protocol.name());
    let wide = width(names.chain(loader.definitions().names()), 24);
    let mut text = String::new();
    for (title, role) in [("Protocols", Role::Source), ("Processors", Role::Processor)] {
        // Writing to a string can't fail.
        let _ = writeln!(text, "{}", paint.bold(title));
        for protocol in loader.protocols().filter(|protocol| protocol.role() == role) {
            let takes = taken(protocol.parameters(), protocol.takes_any_parameter());
            let name = paint.cyan(&padded(protocol.name(), wide));
            let _ = writeln!(text, "{}", format!("  {name}  {}", paint.dim(&takes)).trim_end());
        }
        text.push('\n');
    }
    let _ = writeln!(text, "{}", paint.bold("Defined"));
    for definition in loader.definitions().iter() {
        definition_text(definition, wide, paint, &mut text);
    }
    registered_text(references, wide, paint, &mut text);
    text
}

/// Adds the registry files, the globs and the skills, each part if there is any.
fn registered_text(references: &References, wide: usize, paint: Paint, text: &mut String) {
    let definitions = references.loader().definitions();
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (protocol, _, row) in definitions.rows() {
        *counts.entry((protocol, &row.origin.file)).or_default() += 1;
    }
    let rows = counts.into_iter().map(|((protocol, file), count)| {
        let rows = if count == 1 { "row" } else { "rows" };
        (protocol.to_owned(), format!("{count} {rows} of {file}"))
    });
    let globs = definitions.globs();
    let globs = globs.map(|(protocol, glob)| (protocol.to_owned(), glob.as_str().to_owned()));
    let skills = references.skills().into_iter().map(|skill| (skill.name, skill.description));
    let parts: [(&str, Vec<(String, String)>); 3] =
        [("Registered", rows.collect()), ("Globs", globs.collect()), ("Skills", skills.collect())];
    for (title, lines) in parts.into_iter().filter(|(_, lines)| !lines.is_empty()) {
        // Writing to a string can't fail.
        let _ = writeln!(text, "\n{}", paint.bold(title));
        for (name, what) in lines {
            let name = paint.cyan(&padded(&one_line(&name), wide));
            let _ = writeln!(text, "  {name}  {}", paint.dim(&one_line(&what)));
        }
    }
}

fn definition_text(definition: &Definition, wide: usize, paint: Paint, text: &mut String) {
    let origin = definition.origin();
    let place = format!("{} · {}:{}", origin.layer, one_line(&origin.file), definition.line());
    let takes = taken(definition.parameters(), false);
    let name = paint.cyan(&padded(definition.name(), wide));
    let line = format!("  {name}  {}  {}", paint.dim(&place), paint.dim(&takes));
    let _ = writeln!(text, "{}", line.trim_end());
    let entries: Vec<_> =
        definition.registry().into_iter().flat_map(|registry| registry.entries()).collect();
    let ids = width(entries.iter().map(|(id, _)| *id), 32);
    for (id, entry) in entries {
        let to = match &entry.reference {
            Some(reference) => one_line(&reference.as_ref().public()),
            None => paint.red("error in this row"),
        };
        let _ = writeln!(text, "    {} → {to}", padded(id, ids));
    }
}

/// Formats parameters: `?section= ?line=`.
fn taken(parameters: &[Parameter], open: bool) -> String {
    let mut names: Vec<String> =
        parameters.iter().map(|parameter| format!("?{}=", parameter.name)).collect();
    if open {
        names.push("?NAME=".to_owned());
    }
    names.join(" ")
}
