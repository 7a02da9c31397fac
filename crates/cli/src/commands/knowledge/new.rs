//! `contexture knowledge new`: creates a pack (KN-17).

use super::pack_scope::InstallScope;
use crate::prelude::*;
use clap::ValueEnum;
use contexture::knowledge::Profile;
use contexture::knowledge::maintenance::{NewPack, new};

const EXAMPLES: &str = "\
Examples:
  contexture knowledge new our-handbook
  contexture knowledge new acme-widget --profile document-first --type brand-product \\
    --description 'Facts, prices and wording of the Acme Widget.'
  contexture knowledge new my-notes --scope user --json";

/// Creates a pack to fill in: manifest, folders, and a sample text in each.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The name: lower-case letters, digits and hyphens.
    #[arg(value_name = "NAME")]
    name: String,
    /// The place of the answers.
    #[arg(long, value_enum, default_value_t)]
    profile: Kind,
    /// The topic and purpose of the pack.
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// The type of the pack, such as brand-product or custom:recipes [default: domain-reference].
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    #[command(flatten)]
    install: InstallScope,
    /// Print one JSON object: name, root and files.
    #[arg(long)]
    json: bool,
}

/// The value of `--profile`.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Kind {
    /// The sections of a document
    DocumentFirst,
    /// Short texts that link to pages
    #[default]
    WikiFirst,
    /// Both
    Hybrid,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let profile = match args.profile {
        Kind::DocumentFirst => Profile::DocumentFirst,
        Kind::WikiFirst => Profile::WikiFirst,
        Kind::Hybrid => Profile::Hybrid,
    };
    let (into, project) = args.install.folder()?;
    let (description, kind) = (args.description.as_deref(), args.kind.as_deref());
    let types = project.config.knowledge.types.as_slice();
    let pack = NewPack { name: &args.name, profile, description, kind, types };
    let files = new(&pack, &into)?;
    let root = into.join(&args.name);
    if args.json {
        terminal.print_json(&json!({ "name": args.name, "root": root, "files": files }))?;
        return Ok(Exit::Done);
    }
    for file in &files {
        terminal.print_line(&one_line(&file.display().to_string()))?;
    }
    terminal.note(&format!(
        "fill it in, check it with `contexture knowledge validate {}`, and set its status to ready",
        args.name
    ));
    Ok(Exit::Done)
}
