//! `contexture knowledge to-catalog`: the catalog of packs for a model (KN-6).

use super::pack_scope::{PackScope, printable};
use super::{findings, table};
use crate::prelude::*;
use clap::ValueEnum;
use contexture::knowledge::{Found, catalog};
use contexture::packs::Packs;

const EXAMPLES: &str = "\
Examples:
  contexture knowledge to-catalog --root examples/knowledge --format xml
  contexture knowledge to-catalog --root examples/knowledge --format xml --instruction
  contexture knowledge to-catalog --root examples/knowledge --format table
  contexture knowledge to-catalog examples/knowledge/.agents/knowledge/acme-product-brief \\
    --format json

Without packs nothing is printed: a model never sees an empty catalog.";

/// Prints the catalog of packs that a model sees at the start, without their content.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// A pack, by its folder or its name [default: all packs].
    #[arg(value_name = "PATH|NAME", value_hint = clap::ValueHint::DirPath)]
    pack: Option<String>,
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
    let named = args.source.named(args.pack.as_slice(), terminal)?;
    let packs = args.source.open_named(&named, args.source.options()?, false, terminal)?;
    let listed = match named.names.first() {
        Some(name) => vec![one_of(name, &packs)?],
        None => {
            findings::say(&packs.discovery().findings, "contexture knowledge list", terminal);
            packs.discovery().packs.clone()
        }
    };
    if listed.is_empty() {
        return Ok(Exit::Done);
    }
    match args.format {
        Format::Xml => {
            let xml = catalog::xml(&listed);
            terminal.print_line(&printable(&xml))?;
            let tokens = counted(packs.tokens(&xml), "token");
            terminal.note(&format!("the catalog has {tokens}"));
        }
        Format::Json => terminal.print_json(&json(&listed, args.instruction))?,
        Format::Table => {
            let shown: Vec<&Found> = listed.iter().collect();
            terminal.print(&table::packs(&shown, &project.root, terminal.out))?;
        }
    }
    if args.instruction && args.format != Format::Json {
        terminal.print_line(catalog::INSTRUCTION)?;
    }
    Ok(Exit::Done)
}

/// Returns the pack that was named.
pub(super) fn one_of(name: &str, packs: &Packs) -> Result<Found, Abort> {
    let found = packs.discovery().packs.iter().find(|found| found.item.name == name);
    match (found, packs.question(name)) {
        (Some(found), _) => Ok(found.clone()),
        (None, Err(error)) => Err(error.into()),
        (None, Ok(_)) => {
            Err(CommandError::refused("KN1201", format!("unknown pack `{name}`")).into())
        }
    }
}

fn json(packs: &[Found], instruction: bool) -> Value {
    let mut value = catalog::json(packs);
    if let (true, Some(object)) = (instruction, value.as_object_mut()) {
        object.insert("instruction".to_owned(), Value::from(catalog::INSTRUCTION));
    }
    value
}
