//! `contexture knowledge list`: the packs there are, and where was looked (KN-3, KN-4).

use super::place::{self, Place};
use super::{findings, table};
use crate::commands::Outcome;
use crate::complaint::Exit;
use crate::paint::one_line;
use crate::terminal::Terminal;
use clap::ValueEnum;
use contexture::knowledge::{Finding, Found, Scope};
use contexture::packs::Options;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  contexture knowledge list --root examples/knowledge
  contexture knowledge list --root examples/knowledge --scope project --json

Exit code 0, whatever is found: what is wrong with packs goes to stderr, or into `diagnostics`.";

/// Lists the packs of the project, of the user and of the organization, and what is built in.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    place: Place,
    /// Show this scope alone, its packs and what is wrong in it; may be repeated.
    #[arg(long, value_enum, value_name = "SCOPE")]
    scope: Vec<Only>,
    /// Show packs that are archived, too.
    #[arg(long)]
    archived: bool,
    /// Print one JSON object: packs, diagnostics, each with code, severity, path and message; and
    /// scanned.
    #[arg(long)]
    pub(super) json: bool,
}

/// A scope as an argument.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Only {
    /// .contexture/knowledge/ and .agents/knowledge/ of the project
    Project,
    /// The same of the home folder
    User,
    /// What the settings name
    Organization,
    /// What is shipped
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

/// Runs `contexture knowledge list`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let project = args.place.project()?;
    let wants =
        |scope| args.scope.is_empty() || args.scope.iter().any(|only| only.scope() == scope);
    // A registry is asked only where its answer is shown.
    let offline = !wants(Scope::Organization);
    let options = Options { archived: args.archived, offline, ..args.place.options()? };
    let packs = place::open(&project, options, terminal);
    let found = packs.discovery();
    let is_in = |path: &Path| args.scope.is_empty() || wants(args.place.scope_of(path, &project));
    let shown: Vec<&Found> = found.packs.iter().filter(|pack| wants(pack.scope)).collect();
    let findings: Vec<&Finding> =
        found.findings.iter().filter(|finding| is_in(&finding.path)).collect();
    let scanned: Vec<&PathBuf> = found.scanned.iter().filter(|path| is_in(path)).collect();
    if args.json {
        let packs: Value = shown.iter().map(|pack| json!(pack.item)).collect();
        terminal.print_json(&json!({
            "packs": packs,
            "diagnostics": findings::json(findings),
            "scanned": scanned,
        }))?;
        return Ok(Exit::Done);
    }
    terminal.print(&table::packs(&shown, &project.root, terminal.out))?;
    findings::say(findings, "contexture knowledge list", terminal);
    if shown.is_empty() {
        terminal.note(if args.scope.is_empty() {
            "there is no pack; `contexture knowledge new NAME` makes one"
        } else {
            "there is no pack in this scope"
        });
    }
    let scanned: Vec<String> =
        scanned.iter().map(|path| one_line(&path.display().to_string())).collect();
    if !scanned.is_empty() {
        terminal.note(&format!("looked in {}", scanned.join(", ")));
    }
    Ok(Exit::Done)
}
