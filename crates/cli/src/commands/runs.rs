//! `contexture runs`: runs with a journal, which survive their process (WA-3, WA-4).

mod cancel;
mod list;
mod resume;
#[cfg(feature = "flow")]
mod set;
mod settle;
mod show;

use super::command_group::command_group;
use crate::prelude::*;
use contexture::durable::{StoredRun, UNCERTAIN, find};
use contexture::run::SetupError;
use contexture::{Project, durable};

const EXAMPLES: &str = "\
Examples:
  contexture runs list
  contexture runs show latest
  contexture runs resume latest --max-tokens 200k

`contexture run --durable` begins such a run. Its journal is in .contexture/journals/.";

command_group! {
    /// Shows runs with a journal, and takes them up again.
    List(list),
    Show(show),
    Resume(resume),
    Cancel(cancel),
    Settle(settle),
}

/// The options that name a run.
#[derive(Debug, clap::Args)]
struct TargetRun {
    /// The run: its id, the beginning or end of one, `latest`, or `latest~1` for the run before.
    #[arg(value_name = "RUN")]
    run: String,
    #[command(flatten)]
    workspace: Workspace,
}

impl TargetRun {
    fn find(&self) -> Result<(Project, StoredRun), Abort> {
        let project = self.workspace.open()?;
        let run = find(&project, &self.run)?;
        Ok((project, run))
    }
}

/// Returns the error of a request about a run. One about a call in doubt was in order.
fn refused(error: SetupError) -> Abort {
    let exit = if error.code == UNCERTAIN { Exit::Failed } else { Exit::Refused };
    CommandError { exit, ..CommandError::from(error) }.into()
}

/// Returns a run as JSON, without its calls.
fn to_json(run: &StoredRun) -> Value {
    json!({
        "run": run.id,
        "program": run.program(),
        "state": run.state.as_str(),
        "resumable": run.is_resumable(),
        "start": contexture::store::stamp::iso_time(run.began_us),
        "lives": run.lives,
        "traces": run.traces,
        "calls": run.calls.len(),
        "in_doubt": run.in_doubt().map(|past| past.call.key.as_str()).collect::<Vec<_>>(),
        "code": run.end.get("code"),
        "message": run.end.get("message"),
    })
}

/// Returns the word for the state of a run in its colour.
fn state(run: &StoredRun, paint: Paint) -> String {
    let word = format!("{:<11}", run.state.as_str());
    match run.state {
        durable::State::Done => paint.green(&word),
        durable::State::Failed | durable::State::InDoubt => paint.red(&word),
        _ => paint.yellow(&word),
    }
}
