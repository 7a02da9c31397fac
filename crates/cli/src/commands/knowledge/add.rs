//! `contexture knowledge add`: the packs of an archive become packs of the project or the user
//! (KN-16).

use super::place::Home;
use super::target;
use crate::commands::Outcome;
use crate::commands::run::Screen;
use crate::complaint::{Complaint, Exit, Stop};
use crate::paint::{harmless, one_line};
use crate::terminal::Terminal;
use contexture::knowledge::codes::BAD_ARCHIVE;
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

/// Unpacks the packs of an archive (.tar.gz, .tgz, .tar, .zip): all, or none when one is unsafe.
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
    /// Print one JSON object: packs, each with name, path and replaced; digest; and left_out.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture knowledge add`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let (into, project) = args.home.folder()?;
    is_readable(&args.archive)?;
    let types = &project.config.knowledge.types;
    let unpack = || add(&args.archive, &into, args.replace, types, &ArchiveLimits::default());
    let added = Screen::waiting(terminal, "unpacking the archive", unpack);
    let added = added.map_err(|error| refuse(&error, &args.archive))?;
    if args.json {
        let packs: Vec<Value> = added.packs.iter().map(|pack| to_json(pack, &added)).collect();
        let digest = added.digest.to_string();
        terminal
            .print_json(&json!({ "packs": packs, "digest": digest, "left_out": added.left_out }))?;
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
    if !added.left_out.is_empty() {
        terminal.note(&one_line(&format!(
            "left out, since hidden files are no part of a pack: {}",
            added.left_out.join(", ")
        )));
    }
    Ok(Exit::Done)
}

/// Refuses what can't be an archive before anything is made for its packs.
fn is_readable(archive: &Path) -> Result<(), Stop> {
    let unread = |error| Stop::read(archive, error);
    let found = std::fs::metadata(archive).map_err(unread)?;
    if found.is_dir() {
        let name = archive.display();
        return Err(Complaint::refused(BAD_ARCHIVE.code, format!("{name} is a folder"))
            .file(archive)
            .help(format!(
                "an archive is expected, such as `tar czf packs.tar.gz -C {name} .` makes of a pack \
                 or a folder of packs; a folder is used where it lies with `--packs {name}`"
            ))
            .into());
    }
    // Opening a pipe would take what is in it away from the one who reads it.
    if found.is_file() {
        std::fs::File::open(archive).map_err(unread)?;
    }
    Ok(())
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
