//! `contexture recheck`: whether the prompts of a kept run are still the same (IN-10).

use crate::output::text::{plural, sanitized};
use crate::prelude::*;
use crate::support::project;
use crate::support::runtime::multi_threaded;
use contexture::inspect::{CallDiff, Change, ItemDiff};
use contexture::run::{Checked, RecheckError, recheck};
use contexture::store::runs::select;

const EXAMPLES: &str = "\
Examples:
  contexture recheck latest
  contexture recheck latest --program examples/use_one_of.as --json

The program runs again on the answers in the record: models, tools and memories are not asked, and
nothing is changed. Files, local references and packs are read as they are now; a reference into the
network is not loaded, so a prompt with one counts as changed. Exit code 1 means that a prompt has
changed.";

/// Checks whether a program, its files and its packs still make the prompts of a kept run.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The run: an id, the beginning or end of one, `latest`, or `latest~1` for the run before.
    #[arg(value_name = "RUN")]
    run: String,
    /// The program in place of the one that ran.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    program: Option<PathBuf>,
    /// The project folder [default: the nearest folder with a contexture.toml, else the current
    /// one].
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    workspace: Option<PathBuf>,
    /// Print one JSON object: calls, each with site, n, changed, stale, tokens_before, tokens_after
    /// and items; and failure.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let project = project::here_or(args.workspace.as_deref())?;
    let store = contexture::runs(&project);
    let id = select(&*store, &args.run)?;
    let program = args.program.as_deref().map(std::path::absolute).transpose();
    let program =
        program.map_err(|error| CommandError::failed("file_unreadable", error.to_string()))?;
    let runtime = multi_threaded()?;
    let work = recheck(&project, &*store, &id, Checked { program, text: None });
    let found = runtime.block_on(work).map_err(|error| refused(&error))?;
    let has_changed = found.has_changed();
    if args.json {
        let mut told = found.to_json();
        if let Some(fields) = told.as_object_mut() {
            fields.insert("run".to_owned(), id.as_str().into());
        }
        terminal.print_json(&told)?;
    } else {
        let mut text: String = found.calls.iter().map(call_text).collect();
        if let Some(failure) = &found.failure {
            let _ = writeln!(text, "the program ends earlier: {}", sanitized(&failure.to_string()));
        }
        if found.stale() > 0 {
            let answers = plural(found.stale() as u64, "later answer");
            let _ = writeln!(text, "{answers} may be stale: a prompt before has changed");
        }
        if !has_changed {
            let calls = plural(found.calls.len() as u64, "prompt");
            let _ = writeln!(text, "{calls} checked, none has changed");
        }
        terminal.print(&text)?;
    }
    Ok(if has_changed { Exit::Failed } else { Exit::Done })
}

fn call_text(call: &CallDiff) -> String {
    let number = call.left.or(call.right).unwrap_or_default();
    let (before, after) = call.tokens;
    let head = |what: &str| {
        format!("generate {number} {}: {what}, {before} → {after} tokens\n", call.site)
    };
    match call.change {
        Change::Same => return String::new(),
        Change::Added => return head("a call more than in the record"),
        Change::Gone => return head("the call is not made any more"),
        _ => {}
    }
    let mut text = head("changed");
    for layer in &call.layers {
        let _ = writeln!(text, "  the {} differs", layer.name);
    }
    for item in call.items.iter().filter(|item| item.change != Change::Same) {
        text.push_str(&item_text(item));
    }
    text
}

fn item_text(item: &ItemDiff) -> String {
    let change = json!(item.change);
    let change = change.as_str().unwrap_or_default().replace('_', " ");
    let name = sanitized(item.label.as_deref().unwrap_or(&item.source)).to_string();
    format!("  [{name}] {change}: {} → {} tokens\n", item.tokens.0, item.tokens.1)
}

fn refused(error: &RecheckError) -> Abort {
    let message = error.to_string();
    match error {
        RecheckError::Record(error) => {
            CommandError::refused(error.code(), message).help(error.help()).into()
        }
        RecheckError::Refused(failure) => CommandError::refused(failure.code(), message).into(),
        RecheckError::NoProgram | RecheckError::Missing { .. } => {
            CommandError::refused("program_unknown", message)
                .help("name it with `--program FILE`")
                .into()
        }
        _ => CommandError::failed("text_missing", message).into(),
    }
}
