//! Wishes of people that a turn of a server goes on (WA-3).
//!
//! Decision: the server alone writes contexts, so that the command leaves a file, as it does to cancel a
//! run. The server that runs on the folder finds it within a moment, the next one at its start. Such files
//! have a folder of their own, as the server looks for them several times a second.

use super::kept::HELP;
use super::stored::StoredRun;
use crate::project::Project;
use crate::run::SetupError;
use contexture_store::home;
use std::path::{Path, PathBuf};

/// The end of the name of a wish.
const WISH: &str = ".resume";
/// That of the note that a person has settled a call: the journal is kept until somebody wishes more.
const SETTLED: &str = ".settled";

/// Asks the server to go on with a turn, and to ask its models again.
///
/// # Errors
/// [`SetupError`] when the run is under way, has ended or has calls in doubt, or its folder can't be written.
pub fn wish(project: &Project, run: &StoredRun) -> Result<(), SetupError> {
    run.can_go_on(false)?;
    let Some(folder) = folder(project) else {
        let message = format!("the run {} is a turn of servers that share a database", run.id);
        let help = format!("ask one of them: POST /v1/runs/{}/resume", run.id);
        return Err(SetupError::new("turn_of_server", message, Some(help)));
    };
    write(&folder, &run.id, WISH)
}

/// Notes that a person said what came of a call of a turn, so that servers do not treat the turn as ended.
pub(super) fn note_settled(project: &Project, run: &str) -> Result<(), SetupError> {
    folder(project).map_or(Ok(()), |folder| write(&folder, run, SETTLED))
}

fn write(folder: &Path, run: &str, end: &str) -> Result<(), SetupError> {
    let file = folder.join(format!("{run}{end}"));
    let written = home::private_folder(folder).and_then(|()| home::create_private(&file));
    written.map(drop).map_err(|error| {
        let message = format!("{}: {error}", file.display());
        SetupError::new("journal_unusable", message, Some(HELP.to_owned()))
    })
}

/// Returns the folder of wishes; `None` if the journals are not in files.
fn folder(project: &Project) -> Option<PathBuf> {
    project.stores.journals.is_none().then(|| project.state_folder().join("wishes"))
}

/// Reports whether a person has yet to go on with a turn, or asked the server to.
#[must_use]
pub fn is_wished(project: &Project, run: &str) -> bool {
    let is_there = |folder: PathBuf| {
        [WISH, SETTLED].iter().any(|end| folder.join(format!("{run}{end}")).exists())
    };
    folder(project).is_some_and(is_there)
}

/// Forgets the wishes for a run, if there are any.
pub(super) fn forget(project: &Project, run: &str) {
    let Some(folder) = folder(project) else { return };
    for end in [WISH, SETTLED] {
        // What stays is found and removed by the next start.
        drop(std::fs::remove_file(folder.join(format!("{run}{end}"))));
    }
}

/// Takes all wishes, and returns the ids of their runs.
#[must_use]
pub fn take_wishes(project: &Project) -> Vec<String> {
    let entries = folder(project).and_then(|folder| std::fs::read_dir(folder).ok());
    let files = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let wished = files.filter_map(|file| {
        let run = file.file_name()?.to_str()?.strip_suffix(WISH)?.to_owned();
        // Whoever removes it goes on with the run.
        std::fs::remove_file(&file).ok().map(|()| run)
    });
    wished.collect()
}
