//! `contexture knowledge add`: unpacks the packs of an archive (KN-16).

use super::pack_scope::InstallScope;
use super::pack_target;
use crate::output::progress::ProgressDisplay;
use crate::output::text::sanitized;
use crate::prelude::*;
use contexture::knowledge::codes::BAD_ARCHIVE;
use contexture::knowledge::maintenance::read_properties;
use contexture::knowledge::organization::{Added, ArchiveLimits, OrganizationError, add};

const EXAMPLES: &str = "\
Examples:
  tar czf acme.tar.gz -C examples/knowledge/.agents/knowledge acme-product-brief
  tar czf b.tgz -C examples/knowledge/.agents/knowledge . && contexture knowledge add b.tgz
  tar czf c.tgz -C examples/knowledge/.agents/knowledge . && \\
    contexture knowledge add c.tgz --scope user --json

Added packs are like all others: nothing in them is run, and programs need permission to read them.";

/// Unpacks the packs of an archive (.tar.gz, .tgz, .tar, .zip): all, or none when one is unsafe.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The archive.
    #[arg(value_name = "ARCHIVE", value_hint = clap::ValueHint::FilePath)]
    archive: PathBuf,
    #[command(flatten)]
    install: InstallScope,
    /// Replace packs of the same name.
    #[arg(long)]
    replace: bool,
    /// Print one JSON object: packs, each with name, path and replaced; digest; and left_out.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let (into, project) = args.install.folder()?;
    reject_unreadable(&args.archive)?;
    let types = &project.config.knowledge.types;
    let unpack = || add(&args.archive, &into, args.replace, types, &ArchiveLimits::default());
    let added = ProgressDisplay::waiting(terminal, "unpacking the archive", unpack);
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
            terminal.note(&format!("replaced `{}`", name_of(pack)));
        }
        // `knowledge list` reports packs that can't be read.
        if let Ok(item) = read_properties(pack, &pack_target::options(&project)) {
            terminal
                .note(&one_line(&format!("{}, {}: {}", item.name, item.status, item.description)));
        }
    }
    if !added.left_out.is_empty() {
        terminal.note(&one_line(&format!(
            "hidden files were not added: {}",
            added.left_out.join(", ")
        )));
    }
    Ok(Exit::Done)
}

/// Rejects a path that can't be an archive before any folder is created.
fn reject_unreadable(archive: &Path) -> Result<(), Abort> {
    let unread = |error| Abort::read(archive, error);
    let found = std::fs::metadata(archive).map_err(unread)?;
    if found.is_dir() {
        let name = archive.display();
        return Err(CommandError::refused(BAD_ARCHIVE.code, format!("{name} is a folder"))
            .file(archive)
            .help(format!(
                "create an archive of the pack or folder of packs with `tar czf packs.tar.gz -C {name} .`, or \
                 use the folder in place with `--packs {name}`"
            ))
            .into());
    }
    // Opening a pipe here would consume its data.
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

fn refuse(error: &OrganizationError, archive: &Path) -> Abort {
    let code = error.code();
    // A bad archive is wrong input; an error of the system is a failure.
    let error_of = if code.name == "organization-files" {
        CommandError::failed(code.code, sanitized(&error.to_string()))
    } else {
        CommandError::refused(code.code, sanitized(&error.to_string()))
    };
    let help = if code.name == "pack-exists" {
        "nothing was changed; --replace replaces the existing pack"
    } else {
        error.help()
    };
    error_of.file(archive).help(help).into()
}
