//! `contexture test`: the cases of programs on recorded answers (EV-1, EV-5).

mod matrix;
mod table;

use crate::output::diagnostics::refused_program;
use crate::output::progress::ProgressDisplay;
use crate::prelude::*;
use crate::support::output_file::require_file;
use crate::support::runtime::multi_threaded;
use contexture::eval::{self, EvalError, Report, Suite, TestOptions, junit, markdown};
use contexture::{Project, Runtime};
use std::fs;

const EXAMPLES: &str = "\
Examples:
  contexture test examples/use_one_of.test.yaml
  contexture test examples/use_one_of.test.yaml --json
  contexture test --mock --markdown
  contexture test --junit report.xml

A file of tests, NAME.test.yaml, names a program and lists cases: an input, recorded answers of
models, and what is expected of the value, the prompts and the course of the run. No model is asked
over a network. Every case is a recorded run, which `contexture trace` shows.

Exit code 0: all cases pass; 1: some fail; 2: a file of tests or a program has a fault, and nothing
has run.";

/// Runs the cases of programs on recorded answers.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files of tests [default: every `*.test.yaml` of the project].
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Let placeholders of the right type stand in for models in cases without recorded answers.
    #[arg(long)]
    mock: bool,
    /// Leave out the lines of a file of cases that hold no case; they are named, and skipped.
    #[arg(long)]
    skip_broken: bool,
    #[command(flatten)]
    workspace: Workspace,
    #[command(flatten)]
    printed: Printed,
}

/// The forms of a report.
#[derive(Debug, clap::Args)]
pub(crate) struct Printed {
    /// Print one JSON object: suites, each with file and cases; passed, failed and skipped.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print a report in Markdown, as for a comment of a pull request.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Write the report as JUnit XML to a file.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    junit: Option<PathBuf>,
}

impl Printed {
    /// Refuses a file that can't be written, before anything runs.
    pub(crate) fn require_writable(&self) -> Result<(), Abort> {
        self.junit.as_deref().map_or(Ok(()), require_file)
    }
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    args.printed.require_writable()?;
    let suites = files_of(&args.files, &args.workspace, args.skip_broken, terminal)?;
    let mut options = TestOptions::default();
    options.mock = args.mock;
    let tokio = multi_threaded()?;
    let work = || {
        let one = |(project, suite): (Project, Suite)| {
            tokio.block_on(eval::test(&Runtime::of(project), &suite, &options))
        };
        suites.into_iter().map(one).collect::<Result<Vec<_>, EvalError>>()
    };
    let done = ProgressDisplay::waiting(terminal, "running cases", work);
    let report = Report::new(done.map_err(|error| refused(error, terminal))?);
    show(&args.printed, &report, Value::Null, terminal)?;
    Ok(if report.failed == 0 { Exit::Done } else { Exit::Failed })
}

/// Reads files of tests, or all of a project, before anything runs.
pub(crate) fn files_of(
    named: &[PathBuf],
    workspace: &Workspace,
    skip_broken: bool,
    terminal: &Terminal,
) -> Result<Vec<(Project, Suite)>, Abort> {
    let mut files = named.to_vec();
    if files.is_empty() {
        let project = workspace.open()?;
        files = eval::find(&project)?;
        if files.is_empty() {
            let message = format!("{} has no file of tests, *.test.yaml", project.root.display());
            let help = "name one, or write NAME.test.yaml beside a program; see docs/evals.md";
            return Err(CommandError::refused("no_tests", message).help(help).into());
        }
    }
    let mut suites = Vec::new();
    let mut faults: Option<EvalError> = None;
    for file in &files {
        let project = workspace.open_for(Some(file))?;
        match eval::load(&project, file, skip_broken) {
            Ok(suite) => suites.push((project, suite)),
            Err(fault) => {
                faults = Some(match faults {
                    Some(all) => all.and(fault),
                    None => fault,
                });
            }
        }
    }
    faults.map_or(Ok(suites), |faults| Err(refused(faults, terminal)))
}

/// Prints a report in the form that was asked for; JSON has the fields of `more`, too.
pub(crate) fn show(
    printed: &Printed,
    report: &Report,
    more: Value,
    terminal: &Terminal,
) -> Result<(), Abort> {
    if let Some(path) = &printed.junit {
        let name = path.display().to_string();
        fs::write(path, junit(report)).map_err(|error| Abort::write(&name, &error))?;
    }
    if printed.markdown {
        return terminal.print(&markdown(report));
    }
    if !printed.json {
        return terminal.print(&table::text(report, terminal.out));
    }
    terminal.print_json(&All { report, more })
}

/// A report with further fields; it is written as it is, since it may have a hundred thousand cases.
#[derive(serde::Serialize)]
struct All<'r> {
    #[serde(flatten)]
    report: &'r Report,
    #[serde(flatten)]
    more: Value,
}

/// Returns the refusal for a fault of a file of tests or of a program.
pub(crate) fn refused(error: EvalError, terminal: &Terminal) -> Abort {
    match error {
        EvalError::Read(error) => error.into(),
        EvalError::Refused(checked) => refused_program(&checked, terminal).into(),
        EvalError::Setup(error) => error.into(),
        other => CommandError::refused("bad_usage", other.to_string()).into(),
    }
}
