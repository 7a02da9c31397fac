//! `contexture check`: everything that is wrong with programs, before they run (AS-32).

use super::Outcome;
use crate::complaint::{Complaint, Exit, Stop};
use crate::faults;
use crate::terminal::Terminal;
use crate::workspace;
use contexture::diagnostic::SourceFile;
use contexture::run::{CheckReport, load};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  contexture check examples/hello.as
  contexture check examples/*.as --json

Exit code 0: no error; 2: the source is refused.";

/// Checks programs and all that they import; nothing runs.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The programs.
    #[arg(value_name = "FILE", required = true, value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// The folder that imports are confined to; by default the nearest one with a
    /// contexture.toml, else the current one.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    workspace: Option<PathBuf>,
    /// Print one JSON object: diagnostics, each with code, severity, message, help, file and span.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture check`.
pub(crate) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let mut found = Found::default();
    for file in &args.files {
        found.check(file, args.workspace.as_deref())?;
    }
    if args.json {
        terminal.print_json(&json!({ "diagnostics": found.json() }))?;
    } else if found.is_empty() {
        let count = args.files.len();
        let what = if count == 1 { "1 program".to_owned() } else { format!("{count} programs") };
        terminal.say(&format!("{} {what}, nothing to complain about", terminal.err.green("ok:")));
    } else {
        terminal.print(&found.text(terminal))?;
    }
    Ok(if found.refused { Exit::Refused } else { Exit::Done })
}

/// What was found in all programs.
#[derive(Default)]
struct Found {
    reports: Vec<CheckReport>,
    /// Files that could not even be read.
    unreadable: Vec<Complaint>,
    /// What was found already: a file that several programs import is told of once.
    known: HashSet<(PathBuf, String)>,
    refused: bool,
}

impl Found {
    fn check(&mut self, file: &Path, root: Option<&Path>) -> Result<(), Stop> {
        let project = workspace::of_program(root, file)?;
        let mut report = match load(&project, file) {
            Ok((_, report)) => report,
            Err(error) => {
                self.refused = true;
                self.unreadable.push(Complaint::from(error).file(file));
                return Ok(());
            }
        };
        self.refused |= report.has_errors();
        let files: Vec<&SourceFile> = report.files.iter().collect();
        report.diagnostics.retain(|fault| {
            let fault = faults::json(std::slice::from_ref(fault), &files).to_string();
            self.known.insert((project.root.clone(), fault))
        });
        self.reports.push(report);
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.unreadable.is_empty()
            && self.reports.iter().all(|report| report.diagnostics.is_empty())
    }

    fn json(&self) -> Vec<Value> {
        let lists = self.reports.iter().map(|report| {
            faults::json(&report.diagnostics, &report.files.iter().collect::<Vec<_>>())
        });
        let found = lists.flat_map(|list| list.as_array().cloned().unwrap_or_default());
        self.unreadable.iter().map(of_file).chain(found).collect()
    }

    fn text(&self, terminal: &Terminal) -> String {
        let mut text = String::new();
        for complaint in &self.unreadable {
            text.push_str(&complaint.text(terminal.out));
            text.push_str("\n\n");
        }
        for report in &self.reports {
            let files: Vec<&SourceFile> = report.files.iter().collect();
            text.push_str(&faults::excerpts(&report.diagnostics, &files, terminal.out));
        }
        let all = self.reports.iter().flat_map(|report| &report.diagnostics);
        let counts = faults::counts(all);
        if !counts.is_empty() {
            text.push_str(&counts);
            text.push('\n');
        }
        text
    }
}

/// A file that could not be read, in the form of a diagnostic at its beginning.
fn of_file(complaint: &Complaint) -> Value {
    json!({
        "code": complaint.code,
        "severity": "error",
        "message": complaint.message,
        "help": complaint.help,
        "file": complaint.file,
        "span": { "line": 1, "column": 1, "end_line": 1, "end_column": 1 },
    })
}
