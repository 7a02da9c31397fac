//! The runs of sets among those with a journal, where `contexture runs` takes them too (WA-4).

use super::TargetRun;
use crate::commands::flow::{FlowLocation, StoredRun};
use crate::prelude::*;
use contexture::durable::Settlement;
use contexture::flows;

impl TargetRun {
    /// Finds the run of a set that is named; `latest` is that of a program.
    pub(super) fn set(&self) -> Option<StoredRun> {
        if self.run.starts_with("latest") {
            return None;
        }
        FlowLocation::of(self.workspace.workspace.as_deref()).find(&self.run).ok()
    }
}

/// Settles a step, and returns the steps that are still in doubt.
pub(super) fn settle(
    set: &StoredRun,
    step: &str,
    settlement: Settlement,
) -> Result<Vec<String>, Abort> {
    let id = set.id();
    if set.is_of_server() {
        let message = format!("the run {id} is a set of `contexture serve`, which answers for it");
        let help = format!("ask the server: POST /v1/flows/{id}/settle");
        return Err(CommandError::refused("set_of_server", message).help(help).into());
    }
    Ok(flows::settle(set.journal(), id, step, settlement)?)
}

/// Returns the error about the run of a set, which another command resumes.
pub(super) fn resumed_elsewhere(set: &StoredRun) -> CommandError {
    let id = set.id();
    let message = format!("the run {id} is that of a set");
    let help = match set.is_of_server() {
        true => "the server that it belongs to resumes it at its start".to_owned(),
        false => format!("`contexture flow resume {id}` continues it"),
    };
    CommandError::refused("run_of_set", message).help(help)
}
