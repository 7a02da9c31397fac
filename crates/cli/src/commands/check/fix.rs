//! `check --fix`: what is safe to fix, in the named file (TY-4).
//!
//! Decision: files that a program imports are left alone: whoever means them names them.

use crate::prelude::*;
use contexture::diagnostic::{Diagnostic, Severity, apply};
use contexture::run::{CheckReport, load, load_text};
use std::fs;

/// The most rounds: a fix may make room for the next.
const ROUNDS: usize = 20;

/// Applies the safe fixes of a program and writes its file, and says how many places were fixed. A
/// file that can't be read is reported by the check.
pub(super) fn fix(file: &Path, workspace: &Workspace, terminal: &Terminal) -> Result<(), Abort> {
    if input::is_stdin(file) {
        let error = CommandError::refused("bad_usage", "--fix can't write to stdin");
        return Err(error.help("name a file, or leave --fix out").into());
    }
    let project = workspace.open_for(Some(file))?;
    let Ok((_, report)) = load(&project, file) else { return Ok(()) };
    let Some(own) = report.files.first().cloned() else { return Ok(()) };
    let (text, places) = rounds(own.text(), report, |text| {
        load_text(&project, Path::new(own.name()), text).ok().map(|(_, report)| report)
    });
    if places > 0 {
        fs::write(file, text).map_err(|e| Abort::write(&file.display().to_string(), &e))?;
        let count = counted(places, "place");
        terminal.say(&format!("{} {count} of {}", terminal.err.green("fixed"), file.display()));
    }
    Ok(())
}

/// Applies safe fixes until there are none, or until they would add errors; returns the text and
/// the number of places.
fn rounds(
    old: &str,
    mut report: CheckReport,
    check: impl Fn(&str) -> Option<CheckReport>,
) -> (String, u64) {
    let mut text = old.to_owned();
    let mut places = 0;
    for _ in 0..ROUNDS {
        let (new, applied) = apply(&text, safe(&report));
        let Some(next) = check(&new).filter(|next| errors(next) <= errors(&report)) else { break };
        if applied == 0 {
            break;
        }
        (text, report) = (new, next);
        places += applied as u64;
    }
    (text, places)
}

/// Returns the findings of the program's own file that are safe to fix.
fn safe(report: &CheckReport) -> Vec<&Diagnostic> {
    let own = report.files.first().map_or("", |file| file.name());
    report.diagnostics.iter().filter(|fault| fault.safe && fault.file == own).collect()
}

fn errors(report: &CheckReport) -> usize {
    report.diagnostics.iter().filter(|fault| fault.severity == Severity::Error).count()
}
