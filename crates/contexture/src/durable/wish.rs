//! Wishes of people that a turn of a server goes on (WA-3).
//!
//! Decision: the server alone writes contexts, so that the command leaves a file beside the journal, as it
//! does to cancel a run. The server that runs on the folder finds it within a moment, the next one at its
//! start.

use super::kept::HELP;
use super::stored::{StoredRun, folder};
use crate::project::Project;
use crate::run::SetupError;
use contexture_store::home;
use std::path::PathBuf;

/// The end of the name of such a file.
const END: &str = ".resume";

/// Asks the server to go on with a turn, and to ask its models again.
///
/// # Errors
/// [`SetupError`] when the run is under way, has ended or has calls in doubt, or its folder can't be written.
pub fn wish(project: &Project, run: &StoredRun) -> Result<(), SetupError> {
    run.can_go_on(false)?;
    let Some(file) = file_of(project, &run.id) else {
        let message = format!("the run {} is a turn of servers that share a database", run.id);
        let help = format!("ask one of them: POST /v1/runs/{}/resume", run.id);
        return Err(SetupError::new("turn_of_server", message, Some(help)));
    };
    let written = home::create_private(&file).map(drop);
    written.map_err(|error| {
        let message = format!("{}: {error}", file.display());
        SetupError::new("journal_unusable", message, Some(HELP.to_owned()))
    })
}

fn file_of(project: &Project, run: &str) -> Option<PathBuf> {
    Some(folder(project)?.join(format!("{run}{END}")))
}

/// Reports whether somebody asked the server to go on with a turn.
#[must_use]
pub fn is_wished(project: &Project, run: &str) -> bool {
    file_of(project, run).is_some_and(|file| file.exists())
}

/// Forgets the wish for a run, if there is one.
pub(super) fn forget(project: &Project, run: &str) {
    if let Some(file) = file_of(project, run) {
        // What stays is found and removed by the next start.
        drop(std::fs::remove_file(file));
    }
}

/// Takes all wishes, and returns the ids of their runs.
#[must_use]
pub fn take_wishes(project: &Project) -> Vec<String> {
    let entries = folder(project).and_then(|folder| std::fs::read_dir(folder).ok());
    let files = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let wished = files.filter_map(|file| {
        let run = file.file_name()?.to_str()?.strip_suffix(END)?.to_owned();
        // Whoever removes it goes on with the run.
        std::fs::remove_file(&file).ok().map(|()| run)
    });
    wished.collect()
}
