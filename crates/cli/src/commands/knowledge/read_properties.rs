//! `contexture knowledge read-properties`: the properties of a pack (KN-4, KN-17).

use super::pack_scope::PackScope;
use super::pack_target;
use crate::prelude::*;
use contexture::knowledge::maintenance::read_properties;

const EXAMPLES: &str = "\
Examples:
  contexture knowledge read-properties acme-product-brief --root examples/knowledge
  contexture knowledge read-properties examples/knowledge/.agents/knowledge/acme-product-brief";

/// Prints the properties of a pack as JSON: those of its frontmatter, with the defaults.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The pack, by its folder or its name.
    #[arg(value_name = "PATH|NAME", value_hint = clap::ValueHint::DirPath)]
    pack: String,
    #[command(flatten)]
    source: PackScope,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let (folder, project) = pack_target::folder(Some(&args.pack), &args.source, terminal)?;
    let read = read_properties(&folder, &pack_target::options(&project));
    terminal.print_tree(&read?)?;
    Ok(Exit::Done)
}
