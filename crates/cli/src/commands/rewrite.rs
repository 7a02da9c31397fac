//! Commands that give a file a new text: to stdout, in place, or only to say which would change.

use crate::commands::Outcome;
use crate::complaint::{Complaint, Exit, Stop};
use crate::faults;
use crate::input;
use crate::terminal::Terminal;
use contexture::diagnostic::{Diagnostic, SourceFile};
use std::fs;
use std::path::{Path, PathBuf};

/// Which files, and what to do with the new text.
#[derive(Debug, clap::Args)]
pub(super) struct Target {
    /// The programs; `-` reads one from stdin.
    #[arg(value_name = "FILE", required = true, value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Write the files instead of printing.
    #[arg(long, short, conflicts_with = "check")]
    write: bool,
    /// Print the names of the files that would change; exit with 1 when there are some.
    #[arg(long)]
    check: bool,
}

/// The new text of a file.
pub(super) struct Rewritten {
    /// The text; none when the file can't be read as a program.
    pub(super) text: Option<String>,
    /// Errors that are left, and the text they are about.
    pub(super) faults: Option<(SourceFile, Vec<Diagnostic>)>,
}

/// Rewrites the files; `done` is what is said of one that was written, such as `formatted`.
pub(super) fn run(
    target: &Target,
    done: &str,
    terminal: &Terminal,
    rewrite: impl Fn(&SourceFile) -> Rewritten,
) -> Outcome {
    refuse_what_makes_no_sense(target)?;
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

fn refuse_what_makes_no_sense(target: &Target) -> Result<(), Stop> {
    let stdin = target.files.iter().any(|path| input::is_stdin(path));
    let complaint = match (target.write, target.check) {
        (true, _) if stdin => Complaint::refused("bad_usage", "stdin can't be written to")
            .help("leave out --write to print the text"),
        (false, false) if target.files.len() > 1 => {
            Complaint::refused("bad_usage", "several files can't be printed at once")
                .help("rewrite them with --write, or list those that would change with --check")
        }
        _ => return Ok(()),
    };
    Err(complaint.into())
}

fn one(
    target: &Target,
    path: &Path,
    source: &SourceFile,
    new: &Rewritten,
    done: &str,
    terminal: &Terminal,
) -> Outcome {
    let changed = new.text.as_ref().filter(|text| *text != source.text());
    if let Some((about, left)) = &new.faults {
        terminal.say(faults::text(left, &[about], terminal.err).trim_end());
    }
    let sound = new.faults.is_none();
    if target.check {
        if changed.is_some() {
            terminal.print_line(&path.display().to_string())?;
        }
    } else if target.write {
        if let (Some(text), true) = (changed, sound) {
            fs::write(path, text).map_err(|e| Stop::write(&path.display().to_string(), &e))?;
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
