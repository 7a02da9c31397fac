//! `contexture knowledge to-catalog`: what a model is told of the packs there are (KN-6).

use super::place::{self, Place, shown};
use super::{findings, table};
use crate::columns::counted;
use crate::commands::Outcome;
use crate::complaint::Exit;
use crate::terminal::Terminal;
use clap::ValueEnum;
use contexture::knowledge::{Found, catalog};
use serde_json::Value;

const EXAMPLES: &str = "\
Examples:
  contexture knowledge to-catalog --root examples/knowledge --format xml
  contexture knowledge to-catalog --root examples/knowledge --format xml --instruction
  contexture knowledge to-catalog --root examples/knowledge --format table

Without a pack nothing is printed: a model is shown no empty catalog.";

/// Prints the catalog of packs: what a model is shown at the start, and nothing of their content.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    place: Place,
    /// The form.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Print the instruction that goes with the catalog, too: below it, or in its JSON.
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

impl Args {
    /// Whether JSON was asked for.
    pub(super) fn is_json(&self) -> bool {
        self.format == Format::Json
    }
}

/// Runs `contexture knowledge to-catalog`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let project = args.place.project()?;
    let packs = place::open(&project, args.place.options()?, terminal);
    let found = packs.discovery();
    findings::say(&found.findings, "contexture knowledge list", terminal);
    if found.packs.is_empty() {
        return Ok(Exit::Done);
    }
    match args.format {
        Format::Xml => {
            let xml = catalog::xml(&found.packs);
            terminal.print_line(&shown(&xml))?;
            let tokens = counted(packs.tokens(&xml), "token");
            terminal.note(&format!("the catalog takes {tokens}"));
        }
        Format::Json => terminal.print_json(&json(&found.packs, args.instruction))?,
        Format::Table => {
            let shown: Vec<&Found> = found.packs.iter().collect();
            terminal.print(&table::packs(&shown, &project.root, terminal.out))?;
        }
    }
    if args.instruction && !args.is_json() {
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
