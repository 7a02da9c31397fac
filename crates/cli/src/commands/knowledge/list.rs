//! `contexture knowledge list`: the packs and the searched folders (KN-3, KN-4).

use super::pack_scope::{self, PackScope};
use super::{findings, table};
use crate::prelude::*;
use clap::ValueEnum;
use contexture::knowledge::{CatalogItem, Finding, Found, Scope};
use contexture::packs::Options;

const EXAMPLES: &str = "\
Examples:
  contexture knowledge list --root examples/knowledge
  contexture knowledge list --root examples/knowledge --scope project --json

The exit code is 0 even when packs have errors: these go to stderr, or into `diagnostics`.";

/// Lists the packs of the project, the user and the organization, and the built-in packs.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    source: PackScope,
    /// Show only the packs and findings of this scope. May be repeated.
    #[arg(long, value_enum, value_name = "SCOPE")]
    scope: Vec<Only>,
    /// Also show archived packs.
    #[arg(long)]
    archived: bool,
    /// Print one JSON object: packs, diagnostics, each with code, severity, path and message; and
    /// scanned.
    #[arg(long)]
    json: bool,
}

/// The value of `--scope`.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Only {
    /// .contexture/knowledge/ and .agents/knowledge/ of the project
    Project,
    /// The same folders of your home
    User,
    /// The folders and registries of the settings
    Organization,
    /// The packs of Contexture itself
    BuiltIn,
}

impl Only {
    const fn scope(self) -> Scope {
        match self {
            Self::Project => Scope::Project,
            Self::User => Scope::User,
            Self::Organization => Scope::Organization,
            Self::BuiltIn => Scope::BuiltIn,
        }
    }
}

/// What `--json` prints: written at once, as there may be thousands of packs.
#[derive(serde::Serialize)]
struct Listed<'l> {
    packs: Vec<&'l CatalogItem>,
    diagnostics: Vec<&'l Finding>,
    scanned: Vec<&'l PathBuf>,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let project = args.source.project()?;
    let wants =
        |scope| args.scope.is_empty() || args.scope.iter().any(|only| only.scope() == scope);
    // A registry is contacted only when its packs are shown.
    let offline = !wants(Scope::Organization);
    let options = Options { archived: args.archived, offline, ..args.source.options()? };
    let packs = pack_scope::open(&project, options, terminal);
    let found = packs.discovery();
    let is_in = |path: &Path| args.scope.is_empty() || wants(args.source.scope_of(path, &project));
    let shown: Vec<&Found> = found.packs.iter().filter(|pack| wants(pack.scope)).collect();
    let findings: Vec<&Finding> =
        found.findings.iter().filter(|finding| is_in(&finding.path)).collect();
    let scanned: Vec<&PathBuf> = found.scanned.iter().filter(|path| is_in(path)).collect();
    if args.json {
        let packs = shown.iter().map(|pack| &pack.item).collect();
        terminal.print_json(&Listed { packs, diagnostics: findings, scanned })?;
        return Ok(Exit::Done);
    }
    terminal.print(&table::packs(&shown, &project.root, terminal.out))?;
    findings::say(findings, "contexture knowledge list", terminal);
    if shown.is_empty() {
        terminal.note(if args.scope.is_empty() {
            "no packs; `contexture knowledge new NAME` creates one"
        } else {
            "no packs in this scope"
        });
    }
    let scanned: Vec<String> =
        scanned.iter().map(|path| one_line(&path.display().to_string())).collect();
    if !scanned.is_empty() {
        terminal.note(&format!("searched {}", scanned.join(", ")));
    }
    Ok(Exit::Done)
}
