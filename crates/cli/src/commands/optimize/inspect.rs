//! `contexture optimize inspect`: every `use one of` of a file (EV-9).

use super::source::checked;
use crate::prelude::*;
use contexture::script::sites::{Site, sites};

const EXAMPLES: &str = "\
Examples:
  contexture optimize inspect examples/use_one_of.as
  contexture optimize inspect examples/use_one_of.as --json";

/// Lists the choices of a program: each `use one of` with its candidates.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The program.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    #[command(flatten)]
    workspace: Workspace,
    /// Print one JSON object: sites, each with line, label and candidates, which have name, selected
    /// and span, in bytes.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let program = checked(&args.file, &args.workspace, terminal)?;
    let found = sites(&program.source, &program.file);
    if args.json {
        terminal.print_json(&json!({ "sites": found }))?;
    } else {
        let lines: Vec<String> = found.iter().map(|site| line(site, terminal.out)).collect();
        terminal.print(&lines.concat())?;
        if found.is_empty() {
            terminal.note("the program has no choice: no `use one of`, and no `use` with a range");
        }
    }
    Ok(Exit::Done)
}

/// Formats a site: `12  evidence  matches (selected), overview, none`.
fn line(site: &Site, paint: Paint) -> String {
    let names = site.candidates.iter().map(|candidate| match candidate.selected {
        true => format!("{} (selected)", paint.bold(&one_line(&candidate.name))),
        false => one_line(&candidate.name),
    });
    let label = one_line(site.label.as_deref().unwrap_or("·"));
    format!("{}  {label}  {}\n", site.line, names.collect::<Vec<_>>().join(", "))
}
