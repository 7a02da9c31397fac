//! `contexture knowledge to-catalog`: the catalog of packs for a model (KN-6).

use super::pack_scope::{self, PackScope, printable};
use super::{findings, table};
use crate::prelude::*;
use clap::ValueEnum;
use contexture::knowledge::{Found, catalog};

const EXAMPLES: &str = "\
Examples:
  contexture knowledge to-catalog --root examples/knowledge --format xml
  contexture knowledge to-catalog --root examples/knowledge --format xml --instruction
  contexture knowledge to-catalog --root examples/knowledge --format table

Without packs nothing is printed: a model never sees an empty catalog.";

/// Prints the catalog of packs that a model sees at the start, without their content.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    source: PackScope,
    /// The format.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Also print the instruction for the catalog: below it, or as a field of its JSON.
    #[arg(long)]
    instruction: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    /// For a prompt
    #[default]
    Xml,
    /// For programs
    Json,
    /// For people
    Table,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let project = args.source.project()?;
    let packs = pack_scope::open(&project, args.source.options()?, terminal);
    let found = packs.discovery();
    findings::say(&found.findings, "contexture knowledge list", terminal);
    if found.packs.is_empty() {
        return Ok(Exit::Done);
    }
    match args.format {
        Format::Xml => {
            let xml = catalog::xml(&found.packs);
            terminal.print_line(&printable(&xml))?;
            let tokens = counted(packs.tokens(&xml), "token");
            terminal.note(&format!("the catalog has {tokens}"));
        }
        Format::Json => terminal.print_json(&json(&found.packs, args.instruction))?,
        Format::Table => {
            let shown: Vec<&Found> = found.packs.iter().collect();
            terminal.print(&table::packs(&shown, &project.root, terminal.out))?;
        }
    }
    if args.instruction && args.format != Format::Json {
        terminal.print_line(catalog::INSTRUCTION)?;
    }
    Ok(Exit::Done)
}

fn json(packs: &[Found], instruction: bool) -> Value {
    let mut value = catalog::json(packs);
    if let (true, Some(object)) = (instruction, value.as_object_mut()) {
        object.insert("instruction".to_owned(), Value::from(catalog::INSTRUCTION));
    }
    value
}
