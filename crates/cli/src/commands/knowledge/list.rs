//! `contexture knowledge list`: the packs there are, and where was looked (KN-3, KN-4).

use super::place::Place;
use super::{findings, table};
use crate::commands::Outcome;
use crate::complaint::Exit;
use crate::paint::one_line;
use crate::terminal::Terminal;
use clap::ValueEnum;
use contexture::knowledge::{Found, Scope};
use contexture::packs::{Options, Packs};
use serde_json::{Value, json};

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
    /// Show the packs of this scope alone; may be repeated.
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
    let options = Options { archived: args.archived, ..args.place.options()? };
    let packs = Packs::open(&project, options);
    let found = packs.discovery();
    let wanted = |scope: Scope| args.scope.iter().any(|only| only.scope() == scope);
    let shown = found.packs.iter().filter(|pack| args.scope.is_empty() || wanted(pack.scope));
    let shown: Vec<&Found> = shown.collect();
    if args.json {
        let packs: Value = shown.iter().map(|pack| json!(pack.item)).collect();
        terminal.print_json(&json!({
            "packs": packs,
            "diagnostics": findings::json(&found.findings),
            "scanned": found.scanned,
        }))?;
        return Ok(Exit::Done);
    }
    terminal.print(&table::packs(&shown, &project.root, terminal.out))?;
    findings::say(&found.findings, "contexture knowledge list", terminal);
    if shown.is_empty() {
        terminal.note("there is no pack; `contexture knowledge new NAME` makes one");
    }
    let scanned = found.scanned.iter().map(|path| one_line(&path.display().to_string()));
    terminal.note(&format!("looked in {}", scanned.collect::<Vec<_>>().join(", ")));
    Ok(Exit::Done)
}
