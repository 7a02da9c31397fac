//! `contexture knowledge add`: the packs of an archive become packs of the project or the user
//! (KN-16).

use super::place::Home;
use super::target;
use crate::commands::Outcome;
use crate::complaint::{Complaint, Exit, Stop};
use crate::paint::{harmless, one_line};
use crate::terminal::Terminal;
use contexture::knowledge::maintenance::read_properties;
use contexture::knowledge::organization::{Added, ArchiveLimits, OrganizationError, add};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  tar czf acme.tar.gz -C examples/knowledge/.agents/knowledge acme-product-brief
  tar czf b.tgz -C examples/knowledge/.agents/knowledge . && contexture knowledge add b.tgz
  tar czf c.tgz -C examples/knowledge/.agents/knowledge . && \\
    contexture knowledge add c.tgz --scope user --json

What was added is a pack like any other: nothing of it is run, and programs ask before they read it.";

/// Unpacks the packs of an archive (.tar.gz, .tgz, .zip): all of them, or none when one is unsafe.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The archive.
    #[arg(value_name = "ARCHIVE", value_hint = clap::ValueHint::FilePath)]
    archive: PathBuf,
    #[command(flatten)]
    home: Home,
    /// Let it take the place of packs that have the same name.
    #[arg(long)]
    replace: bool,
    /// Print one JSON object: packs, each with name, path and replaced; and digest.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture knowledge add`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let (into, project) = args.home.folder()?;
    std::fs::metadata(&args.archive).map_err(|error| Stop::read(&args.archive, error))?;
    let types = &project.config.knowledge.types;
    let added = add(&args.archive, &into, args.replace, types, &ArchiveLimits::default());
    let added = added.map_err(|error| refuse(&error, &args.archive))?;
    if args.json {
        let packs: Vec<Value> = added.packs.iter().map(|pack| to_json(pack, &added)).collect();
        terminal.print_json(&json!({ "packs": packs, "digest": added.digest.to_string() }))?;
        return Ok(Exit::Done);
    }
    for pack in &added.packs {
        terminal.print_line(&one_line(&pack.display().to_string()))?;
        if added.replaced.contains(pack) {
            terminal.note(&format!("it took the place of another `{}`", name_of(pack)));
        }
        // A pack that is there and can't be read is told of where packs are listed.
        if let Ok(item) = read_properties(pack, &target::options(&project)) {
            terminal
                .note(&one_line(&format!("{}, {}: {}", item.name, item.status, item.description)));
        }
    }
    Ok(Exit::Done)
}

fn name_of(pack: &Path) -> String {
    one_line(&pack.file_name().unwrap_or_default().to_string_lossy())
}

fn to_json(pack: &Path, added: &Added) -> Value {
    let name = pack.file_name().unwrap_or_default().to_string_lossy();
    json!({ "name": name, "path": pack, "replaced": added.replaced.iter().any(|old| old == pack) })
}

fn refuse(error: &OrganizationError, archive: &Path) -> Stop {
    let code = error.code();
    // What the archive holds is wrong input; what the system can't do is a failure.
    let complaint = if code.name == "organization-files" {
        Complaint::failed(code.code, harmless(&error.to_string()))
    } else {
        Complaint::refused(code.code, harmless(&error.to_string()))
    };
    let help = if code.name == "pack-exists" {
        "nothing was changed; with --replace it takes the place of the one that is there"
    } else {
        error.help()
    };
    complaint.file(archive).help(help).into()
}
