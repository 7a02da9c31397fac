//! `contexture knowledge read-properties`: what a pack says of itself (KN-4, KN-17).

use super::place::Place;
use super::target;
use crate::commands::Outcome;
use crate::complaint::Exit;
use crate::terminal::Terminal;
use contexture::knowledge::maintenance::read_properties;

const EXAMPLES: &str = "\
Examples:
  contexture knowledge read-properties acme-product-brief --root examples/knowledge
  contexture knowledge read-properties examples/knowledge/.agents/knowledge/acme-product-brief";

/// Prints the properties of a pack as JSON: those of its frontmatter, with what holds when one is
/// absent.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The pack, by the path of its folder or by its name.
    #[arg(value_name = "PATH|NAME", value_hint = clap::ValueHint::DirPath)]
    pack: String,
    #[command(flatten)]
    place: Place,
}

/// Runs `contexture knowledge read-properties`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let (folder, project) = target::folder(Some(&args.pack), &args.place, terminal)?;
    let read = read_properties(&folder, &target::options(&project));
    terminal.print_tree(&read.map_err(|error| target::refuse(&error))?)?;
    Ok(Exit::Done)
}
