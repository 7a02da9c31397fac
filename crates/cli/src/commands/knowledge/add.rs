//! `contexture knowledge add`: packs from an archive or made of a source (KN-16, MA-4).

use super::pack_scope::InstallScope;
use super::watch::Watch;
use super::{pack_target, sync};
use crate::output::progress::ProgressDisplay;
use crate::output::text::sanitized;
use crate::prelude::*;
use contexture::knowledge::approval::Approvals;
use contexture::knowledge::codes::BAD_ARCHIVE;
use contexture::knowledge::maintenance::read_properties;
use contexture::knowledge::organization::{Added, ArchiveLimits, OrganizationError, add};
use contexture::knowledge::sync::{self as source, NewSource, SyncedPack};

const EXAMPLES: &str = "\
Examples:
  tar czf acme.tar.gz -C examples/knowledge/.agents/knowledge acme-product-brief
  tar czf b.tgz -C examples/knowledge/.agents/knowledge . && contexture knowledge add b.tgz
  tar czf c.tgz -C examples/knowledge/.agents/knowledge . && \\
    contexture knowledge add c.tgz --scope user --json
  contexture knowledge add our-docs --from README.md examples

A pack that is made of a source has a page for each of its texts. Repeat the command, or run
`contexture knowledge sync`, to bring it in step with the source. Added packs are like all others: nothing in them is run, and programs need permission to read them.";

/// Adds packs: those of an archive, or one that is made of folders and files.
///
/// An archive (.tar.gz, .tgz, .tar, .zip) adds all of its packs, or none when one is unsafe. With
/// `--from` the argument is the name of the pack to make or to bring in step.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The archive; with `--from` the name of the pack: lower-case letters, digits and hyphens.
    #[arg(value_name = "ARCHIVE|NAME", value_hint = clap::ValueHint::FilePath)]
    archive: PathBuf,
    /// The folders, files, addresses and sitemaps to make a pack of.
    #[arg(long, value_name = "SOURCE", num_args = 1.., value_hint = clap::ValueHint::AnyPath)]
    from: Vec<PathBuf>,
    /// The topic and purpose of the new pack [default: its source and the titles of its pages].
    #[arg(long, value_name = "TEXT", requires = "from")]
    description: Option<String>,
    /// The type of the new pack, such as brand-product [default: domain-reference].
    #[arg(long = "type", value_name = "TYPE", requires = "from")]
    kind: Option<String>,
    /// The beginning of the addresses that the pages have on their site, such as /docs/: links from
    /// there lead to the pages.
    #[arg(long, value_name = "PATH", requires = "from")]
    site_root: Option<String>,
    /// Stay in the foreground until Ctrl-C, and sync the pack whenever a file of its sources changes.
    #[arg(long, requires = "from")]
    watch: bool,
    #[command(flatten)]
    install: InstallScope,
    /// Replace packs of the same name.
    #[arg(long, conflicts_with = "from")]
    replace: bool,
    /// Print one JSON object: packs, each with name, path and replaced; digest; and left_out. With
    /// `--from` that of `knowledge sync`; with `--watch` a line for each sync.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    if !args.from.is_empty() {
        return make(args, terminal);
    }
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

/// Makes a pack of the named sources, or brings it in step with them.
fn make(args: &Args, terminal: &Terminal) -> CommandResult {
    if args.watch {
        source::require_watchable(&args.from)?;
    }
    let watch = if args.watch { Some(Watch::begin()?) } else { None };
    let (into, project) = args.install.folder()?;
    let base = args.install.owner(&project)?;
    let name = args.archive.to_string_lossy();
    let new = NewSource {
        name: &name,
        sources: &args.from,
        description: args.description.as_deref(),
        kind: args.kind.as_deref(),
        site_root: args.site_root.as_deref(),
        types: &project.config.knowledge.types,
    };
    let make = || source::add(&new, &into, &base, &sync::web(&project));
    let report = ProgressDisplay::waiting(terminal, "reading the source", make)?;
    let root = into.join(&*name);
    let pack = SyncedPack::open(&root, &base)?;
    // Naming a source approves it for later syncs of this pack.
    if let (Some(approvals), Some(pack)) = (Approvals::of_home(project.home()), &pack) {
        pack.approve(&approvals)?;
    }
    let synced = sync::Synced { pack: name.into_owned(), root, result: Ok(report) };
    match (watch, pack) {
        (Some(watch), Some(pack)) => {
            let types = &project.config.knowledge.types;
            watch.keep(synced, args.json, terminal, || pack.sync(&sync::web(&project), types))
        }
        _ => sync::finish(&[synced], args.json, terminal),
    }
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
