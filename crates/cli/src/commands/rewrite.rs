//! Commands that rewrite files: to stdout, in place, or only checking which would change.

use crate::output::diagnostics;
use crate::prelude::*;
use contexture::diagnostic::{Diagnostic, SourceFile};
use std::fs;

/// The files, and the destination of their new text.
#[derive(Debug, clap::Args)]
pub(super) struct Target {
    /// The programs; `-` reads one from stdin.
    #[arg(value_name = "FILE", required = true, value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Write the files instead of printing.
    #[arg(long, short, conflicts_with = "check")]
    write: bool,
    /// Print the names of the files that would change, and exit with 1 if there are any.
    #[arg(long)]
    check: bool,
}

/// The new text of a file.
pub(super) struct Rewritten {
    /// The text; `None` when the file does not parse.
    pub(super) text: Option<String>,
    /// The remaining errors, and the text they are about.
    pub(super) faults: Option<(SourceFile, Vec<Diagnostic>)>,
}

/// Rewrites the files; `done` is the word for a written one, such as `formatted`.
pub(super) fn run(
    target: &Target,
    done: &str,
    terminal: &Terminal,
    rewrite: impl Fn(&SourceFile) -> Rewritten,
) -> CommandResult {
    reject_invalid_combination(target)?;
    let mut worst = Exit::Done;
    for path in &target.files {
        let text = input::text(path, "the program", terminal)?;
        let source = SourceFile::new(path.display().to_string(), text);
        let new = rewrite(&source);
        let exit = one(target, path, &source, &new, done, terminal)?;
        worst = if worst.code() < exit.code() { exit } else { worst };
    }
    Ok(worst)
}

fn reject_invalid_combination(target: &Target) -> Result<(), Abort> {
    let stdin = target.files.iter().any(|path| input::is_stdin(path));
    let error = match (target.write, target.check) {
        (true, _) if stdin => CommandError::refused("bad_usage", "--write can't write to stdin")
            .help("remove --write to print the text"),
        (false, false) if target.files.len() > 1 => {
            CommandError::refused("bad_usage", "can't print several files at once")
                .help("rewrite them with --write, or list the ones that would change with --check")
        }
        _ => return Ok(()),
    };
    Err(error.into())
}

fn one(
    target: &Target,
    path: &Path,
    source: &SourceFile,
    new: &Rewritten,
    done: &str,
    terminal: &Terminal,
) -> CommandResult {
    let changed = new.text.as_ref().filter(|text| *text != source.text());
    if let Some((about, left)) = &new.faults {
        terminal.say(diagnostics::text(left, &[about], terminal.err).trim_end());
    }
    let sound = new.faults.is_none();
    if target.check {
        if changed.is_some() {
            terminal.print_line(&path.display().to_string())?;
        }
    } else if target.write {
        if let (Some(text), true) = (changed, sound) {
            fs::write(path, text).map_err(|e| Abort::write(&path.display().to_string(), &e))?;
            terminal.say(&format!("{} {}", terminal.err.green(done), path.display()));
        }
    } else if let Some(text) = &new.text {
        terminal.print(text)?;
    }
    Ok(match (sound, target.check && changed.is_some()) {
        (false, _) => Exit::Refused,
        (true, true) => Exit::Failed,
        (true, false) => Exit::Done,
    })
}
