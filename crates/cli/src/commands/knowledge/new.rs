//! `contexture knowledge new`: the beginning of a pack (KN-17).

use super::place::Home;
use super::target;
use crate::commands::Outcome;
use crate::complaint::Exit;
use crate::paint::one_line;
use crate::terminal::Terminal;
use clap::ValueEnum;
use contexture::knowledge::Profile;
use contexture::knowledge::maintenance::{NewPack, new};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  contexture knowledge new our-handbook
  contexture knowledge new acme-widget --profile document-first --type brand-product \\
    --description 'Facts, prices and wording of the Acme Widget.'
  contexture knowledge new my-notes --scope user --json";

/// Makes a pack to fill: manifest, folders, and a first text in each.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The name: lower-case letters, digits and hyphens.
    #[arg(value_name = "NAME")]
    name: String,
    /// Where it keeps what answers.
    #[arg(long, value_enum, default_value_t)]
    profile: Kind,
    /// What it is about and for.
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Its type, such as brand-product or custom:recipes [default: domain-reference].
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    #[command(flatten)]
    home: Home,
    /// Print one JSON object: name, root and files.
    #[arg(long)]
    pub(super) json: bool,
}

/// A profile as an argument.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Kind {
    /// In the sections of a document
    DocumentFirst,
    /// In short texts, with pages behind them
    #[default]
    WikiFirst,
    /// In both
    Hybrid,
}

/// Runs `contexture knowledge new`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let profile = match args.profile {
        Kind::DocumentFirst => Profile::DocumentFirst,
        Kind::WikiFirst => Profile::WikiFirst,
        Kind::Hybrid => Profile::Hybrid,
    };
    let (into, project) = args.home.folder()?;
    let (description, kind) = (args.description.as_deref(), args.kind.as_deref());
    let types = project.config.knowledge.types.as_slice();
    let pack = NewPack { name: &args.name, profile, description, kind, types };
    let files = new(&pack, &into).map_err(|error| target::refuse(&error))?;
    let root = into.join(&args.name);
    if args.json {
        terminal.print_json(&json!({ "name": args.name, "root": root, "files": files }))?;
        return Ok(Exit::Done);
    }
    for file in &files {
        terminal.print_line(&one_line(&file.display().to_string()))?;
    }
    terminal.note(&format!(
        "fill it, check it with `contexture knowledge validate {}`, and give it the status ready",
        args.name
    ));
    Ok(Exit::Done)
}
