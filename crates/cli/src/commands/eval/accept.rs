//! `contexture eval accept`: new values taken into files of tests (EV-7).

use crate::commands::test::{files_of, refused};
use crate::output::progress::ProgressDisplay;
use crate::output::text::sanitized;
use crate::prelude::*;
use crate::support::runtime::multi_threaded;
use contexture::Runtime;
use contexture::diff::unified;
use contexture::eval::{self, Accepted, TestOptions};
use std::fs;

const EXAMPLES: &str = "\
Examples:
  contexture eval accept examples/hello.test.yaml
  contexture eval accept examples/hello.test.yaml --yes

The cases run on recorded answers, as with `contexture test`. Where a value is not what `equals`
expects, the new one is shown as a change of the file; it is written once that is confirmed. All else
in the file stays byte for byte.

Exit code 0: written, or nothing is new; 1: not confirmed, or something could not be taken over.";

/// Takes the values of runs into files of tests, after it has shown them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Files of tests [default: every `*.test.yaml` of the project].
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Write without asking.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    workspace: Workspace,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let suites = files_of(&args.files, &args.workspace, false, terminal)?;
    let tokio = multi_threaded()?;
    let mut all = Vec::new();
    for (project, suite) in suites {
        let runtime = Runtime::of(project);
        let work = || tokio.block_on(eval::test(&runtime, &suite, &TestOptions::default()));
        let report = ProgressDisplay::waiting(terminal, "running cases", work);
        let report = report.map_err(|error| refused(error, terminal))?;
        all.push(eval::accept(runtime.project(), &suite, &report)?);
    }
    let is_whole = all.iter().all(|one| one.left.is_empty());
    for one in &all {
        terminal.print(&difference(one))?;
        one.left.iter().for_each(|left| terminal.warn(left));
    }
    let count: usize = all.iter().map(|one| one.count).sum();
    if count == 0 {
        terminal.say("no new values");
    } else if args.yes || (terminal.is_interactive() && terminal.confirm("Write it? [y/N] ")) {
        for Accepted { file, after, .. } in all.iter().filter(|one| one.count > 0) {
            let name = file.display().to_string();
            fs::write(file, after).map_err(|error| Abort::write(&name, &error))?;
        }
        terminal.say(&format!("wrote {}", counted(count as u64, "value")));
    } else {
        terminal.note("nothing is written; `--yes` writes it");
        return Ok(Exit::Failed);
    }
    Ok(if is_whole { Exit::Done } else { Exit::Failed })
}

fn difference(Accepted { file, before, after, .. }: &Accepted) -> String {
    let name = file.display().to_string();
    let text = unified((&name, &name), before, after);
    text.lines().map(|line| format!("{}\n", sanitized(line))).collect()
}
