//! `contexture knowledge sync`: packs in step with their sources (MA-4).

use super::pack_scope::{self, PackScope};
use super::pack_target;
use crate::output::progress::ProgressDisplay;
use crate::output::text::sanitized;
use crate::prelude::*;
use contexture::Project;
use contexture::knowledge::Scope;
use contexture::knowledge::approval::Approvals;
use contexture::knowledge::sync::{Skipped, SyncError, SyncReport, SyncedPack};
use contexture::packs::Options;

const EXAMPLES: &str = "\
Examples:
  contexture knowledge add our-docs --from README.md && contexture knowledge sync our-docs
  contexture knowledge sync --json

Pages are made of Markdown, MDX, reStructuredText, AsciiDoc, source code and other texts, HTML, PDF,
DOCX, EPUB, Jupyter notebooks, CSV, TSV, JSON and JSON lines. Texts stay as they are; others become Markdown under the name of their file and
`.md`. An address is one page, or a sitemap with up to 2,000 pages of its host.
Only what changed is read, and only pages that changed are written. A source that is gone leaves
its pack as it was. A source outside the project is read when you named it with
`contexture knowledge add NAME --from SOURCE`.

Exit code 0: all packs are in step; 1: a source could not be read; 2: unknown pack.";

/// The most skipped entries to print; the rest is counted.
const SHOWN: usize = 20;

/// Brings packs in step with the folders, files and addresses that they were made of.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The packs, by name or folder [default: all that stand on a source].
    #[arg(value_name = "NAME|PATH", value_hint = clap::ValueHint::DirPath)]
    packs_to_sync: Vec<String>,
    #[command(flatten)]
    source: PackScope,
    /// Print one JSON object: read; skipped, each with path and reason; sections, added, changed,
    /// removed, unchanged; packs, each with name and path; and failed, each with name, code and
    /// message. Paths begin with the name of the pack when there are several.
    #[arg(long)]
    json: bool,
}

/// A pack with its report.
pub(super) struct Synced {
    pub(super) pack: String,
    pub(super) root: PathBuf,
    pub(super) result: Result<SyncReport, SyncError>,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let project = args.source.project()?;
    let mut roots = Vec::new();
    for named in &args.packs_to_sync {
        roots.push(pack_target::folder(Some(named), &args.source, terminal)?.0);
    }
    let is_named = !roots.is_empty();
    if !is_named {
        let options = Options { archived: true, ..args.source.options()? };
        let packs = pack_scope::open(&project, options, terminal);
        roots.extend(packs.discovery().packs.iter().map(|found| found.item.pack_root.clone()));
    }
    let sync = || all(args, &project, &roots, is_named);
    let synced = ProgressDisplay::waiting(terminal, "reading the sources", sync);
    if synced.is_empty() && !args.json {
        terminal.note(
            "no pack stands on a source; `contexture knowledge add NAME --from SOURCE` makes one",
        );
        return Ok(Exit::Done);
    }
    finish(&synced, args.json, terminal)
}

/// Syncs the packs in some folders; those without a source are an error only when they were named.
fn all(args: &Args, project: &Project, roots: &[PathBuf], is_named: bool) -> Vec<Synced> {
    let mut synced = Vec::new();
    for root in roots {
        let result = match one(args, project, root) {
            Err(SyncError::NotSynced { .. }) if !is_named => continue,
            result => result,
        };
        let pack = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        synced.push(Synced { pack, root: root.clone(), result });
    }
    synced
}

fn one(args: &Args, project: &Project, root: &Path) -> Result<SyncReport, SyncError> {
    let is_own = args.source.scope_of(root, project) == Scope::User;
    let home = pack_scope::home_of(project).filter(|_| is_own);
    let base = home.unwrap_or_else(|| project.root.clone());
    let pack = SyncedPack::open(root, &base)?;
    let pack = pack.ok_or_else(|| SyncError::NotSynced { path: root.to_owned() })?;
    if !is_own {
        pack.require_approved(Approvals::of_home(project.home()).as_ref())?;
    }
    pack.sync(&web(project), &project.config.knowledge.types)
}

/// Returns the web as the settings of a project allow it.
#[cfg(feature = "formats")]
pub(super) fn web(project: &Project) -> contexture::packs::WebSources {
    contexture::packs::WebSources::of(project)
}

/// Returns no web: this build reads no pages.
#[cfg(not(feature = "formats"))]
pub(super) fn web(_: &Project) -> contexture::knowledge::sync::NoWeb {
    contexture::knowledge::sync::NoWeb
}

/// Prints what was done, and returns the exit code.
pub(super) fn finish(synced: &[Synced], json: bool, terminal: &Terminal) -> CommandResult {
    if let [Synced { result: Err(error), .. }] = synced {
        return Err(error.clone().into());
    }
    let has_failed = synced.iter().any(|one| one.result.is_err());
    print(synced, json, terminal)?;
    Ok(if has_failed { Exit::Failed } else { Exit::Done })
}

/// Prints what was done: one line of JSON, or a line for each pack.
pub(super) fn print(synced: &[Synced], json: bool, terminal: &Terminal) -> Result<(), Abort> {
    if json {
        return terminal.print_json(&to_json(synced));
    }
    synced.iter().try_for_each(|one| tell(one, terminal))
}

/// Returns one object for all packs.
fn to_json(synced: &[Synced]) -> Value {
    let mut all = SyncReport::default();
    let (mut packs, mut failed) = (Vec::new(), Vec::new());
    for Synced { pack, root, result } in synced {
        packs.push(json!({ "name": pack, "path": root }));
        let prefix = if synced.len() > 1 { format!("{pack}/") } else { String::new() };
        match result {
            Ok(report) => {
                all.read.extend(report.read.iter().map(|path| format!("{prefix}{path}")));
                all.skipped.extend(report.skipped.iter().map(|one| Skipped {
                    path: format!("{prefix}{}", one.path),
                    reason: one.reason.clone(),
                }));
                all.sections += report.sections;
                all.added += report.added;
                all.changed += report.changed;
                all.removed += report.removed;
                all.unchanged += report.unchanged;
            }
            Err(error) => {
                let (code, message) = (error.kind().code, error.to_string());
                failed.push(json!({ "name": pack, "code": code, "message": message }));
            }
        }
    }
    let mut object = json!(all);
    if let Some(fields) = object.as_object_mut() {
        fields.insert("packs".to_owned(), packs.into());
        fields.insert("failed".to_owned(), failed.into());
    }
    object
}

/// Prints one line for a pack, and notes about what was not read.
fn tell(one: &Synced, terminal: &Terminal) -> Result<(), Abort> {
    let report = match &one.result {
        Ok(report) => report,
        Err(error) => {
            terminal.warn(&one_line(&format!("`{}`: {error}", one.pack)));
            return Ok(());
        }
    };
    let name = terminal.out.bold(&one_line(&one.pack));
    let (sections, files) =
        (counted(report.sections, "section"), counted(report.read.len() as u64, "file"));
    let counts = [
        (report.added, "added"),
        (report.changed, "changed"),
        (report.removed, "removed"),
        (report.unchanged, "unchanged"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
    terminal.print_line(&format!("{name}  {sections} of {files}: {}", counts.join(", ")))?;
    for Skipped { path, reason } in report.skipped.iter().take(SHOWN) {
        terminal.note(&one_line(&format!("skipped `{path}`: {reason}")));
    }
    if let Some(more @ 1..) = report.skipped.len().checked_sub(SHOWN) {
        terminal.note(&format!("… and {more} more skipped; `--json` lists all"));
    }
    Ok(())
}

impl From<SyncError> for Abort {
    fn from(error: SyncError) -> Self {
        let (code, message) = (error.kind().code, sanitized(&error.to_string()));
        let made = if error.is_input() {
            CommandError::refused(code, message)
        } else {
            CommandError::failed(code, message)
        };
        made.help(error.kind().explanation).into()
    }
}
