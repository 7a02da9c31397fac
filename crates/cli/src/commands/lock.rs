//! `contexture lock`: what the prompts of a project can hold, pinned (EV-14).

use crate::prelude::*;
use crate::support::runtime::single_threaded;
use contexture::Project;
use contexture::pins::{self, Compared, Drift};

const EXAMPLES: &str = "\
Examples:
  contexture lock
  contexture lock --update
  contexture lock --check --json

The file contexture.lock is to be committed. `contexture check` fails once something has changed.

Exit code 0: pinned, or nothing has changed; 1: something has changed; 2: the project can't be read.";

/// Pins what the prompts of a project can hold: files, templates, references, packs, tools, models. What
/// `optimize trial --out` measured of choices stands in the lock, too.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Compare with the pins, and write nothing.
    #[arg(long, conflicts_with = "update")]
    check: bool,
    /// Take over what has changed.
    #[arg(long)]
    update: bool,
    #[command(flatten)]
    workspace: Workspace,
    /// Print one JSON object: pins, by kind and name, and drift, each with kind, name, pinned and
    /// found.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let project = args.workspace.open()?;
    let Compared { found, drift, is_pinned, .. } =
        single_threaded()?.block_on(pins::compare(&project))?;
    if args.check && drift.is_none() {
        let message = "contexture.lock pins nothing";
        return Err(CommandError::failed("not_pinned", message)
            .help("`contexture lock` pins")
            .into());
    }
    let drift = drift.unwrap_or_default();
    let count: usize = found.values().map(|names| names.len()).sum();
    let writes = !args.check && (!is_pinned || args.update);
    if args.json {
        terminal.print_json(&json!({ "pins": found, "drift": drift }))?;
    }
    if writes {
        pins::pin(&project, found)?;
    }
    if !args.json {
        terminal.print(&text(&drift, writes.then_some(count)))?;
    }
    if drift.is_empty() || writes {
        return Ok(Exit::Done);
    }
    terminal.note("`contexture lock --update` takes it over");
    Ok(Exit::Failed)
}

/// Returns what has changed in a project since it was pinned.
pub(crate) fn drift_of(project: &Project) -> Result<Vec<Drift>, Abort> {
    Ok(single_threaded()?.block_on(pins::drift(project))?)
}

/// Returns the error about something that has changed.
pub(crate) fn fault(project: &Project, drift: &Drift) -> CommandError {
    CommandError::refused("lock_drift", line(drift))
        .file(&project.root.join("contexture.lock"))
        .help("look at the change, then `contexture lock --update` takes it over")
}

fn line(drift: &Drift) -> String {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
    let Drift { kind, name, pinned, found, .. } = drift;
    format!("{kind} {name}: pinned {}, found {}", value(pinned), value(found))
}

fn text(drift: &[Drift], written: Option<usize>) -> String {
    let mut text = String::new();
    for one in drift {
        // Writing to a string can't fail.
        let is_forgotten = written.is_some() && one.kind == "choices";
        let what = if is_forgotten { "no longer measured " } else { "changed " };
        let _ = writeln!(text, "{what} {}", one_line(&line(one)));
    }
    match written {
        Some(count) => {
            let _ = writeln!(text, "wrote {} to contexture.lock", counted(count as u64, "pin"));
        }
        None if drift.is_empty() => text.push_str("ok: nothing has changed\n"),
        None => {}
    }
    text
}
