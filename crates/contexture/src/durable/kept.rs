//! The journal of a run under way.

use super::head::Head;
use super::stored::{State, StoredRun, place_of};
use super::{DIVERGED, Durable, RUN};
use crate::project::Project;
use crate::run::{RunRequest, SetupError};
use contexture_core::profile::COST_LIMIT;
use contexture_core::store::journals::JournalError;
use contexture_llm::{Journal, LlmError, Past};
use contexture_script::program::Program;
use contexture_script::runtime::{FailureKind, RunError};
use contexture_store::home;
use contexture_store::masker::Masker;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// A journal, and the id of its run.
pub(crate) struct Kept {
    pub(crate) run: String,
    pub(crate) journal: Journal,
    /// True if a server takes it up, and removes it when its turn has its answer.
    is_of_turn: bool,
}

impl Kept {
    /// Opens the journal of a run that is taken up again.
    pub(crate) fn resumed(
        project: &Project,
        request: &RunRequest,
        program: &Program,
        masker: &Arc<Masker>,
    ) -> Result<Option<Self>, SetupError> {
        let (run, changed) = match &request.durable {
            Some(Durable::Resume { run, changed }) => (run.clone(), *changed),
            Some(Durable::Turn(turn)) => match turn.resumes() {
                Some(run) => (run.to_owned(), false),
                None => return Ok(None),
            },
            Some(Durable::Begin | Durable::Cell(_)) | None => return Ok(None),
        };
        let masker = Arc::new(masker.by_value());
        let opened = Journal::open(place_of(project, &run), masker);
        let (journal, past) = opened.map_err(|error| unusable(&error))?;
        // Nobody else writes from here on.
        let stored = StoredRun::of(run.clone(), past.clone(), false)?;
        stored.can_go_on(changed)?;
        if !changed {
            stored.head.check(program)?;
        }
        while journal.take(RUN).is_some() {}
        if stored.state == State::Failed {
            forget_failures(&journal, &past);
        }
        let is_of_turn = matches!(request.durable, Some(Durable::Turn(_)));
        if let Some(Durable::Turn(turn)) = &request.durable {
            turn.begin(run.clone(), journal.clone(), stored.head);
        }
        Ok(Some(Self { run, journal, is_of_turn }))
    }

    /// Begins a journal, if the run is to have one.
    pub(crate) fn begun(
        project: &Project,
        request: &RunRequest,
        id: &str,
        program: &Program,
        masker: &Arc<Masker>,
    ) -> Result<Option<Self>, SetupError> {
        if request.durable.is_none() || request.dry_run {
            return Ok(None);
        }
        let (place, masker) = (place_of(project, id), Arc::new(masker.by_value()));
        if let Some(Durable::Turn(turn)) = &request.durable {
            let journal = Journal::held(place, masker);
            let head = Head::of(request, program, Some(id));
            turn.begin(id.to_owned(), journal.clone(), head);
            return Ok(Some(Self { run: id.to_owned(), journal, is_of_turn: true }));
        }
        let journal = Journal::create(place, masker).map_err(|error| unusable(&error))?;
        Ok(Some(Self { run: id.to_owned(), journal, is_of_turn: false }))
    }

    /// Writes that a life of the run begins. That of a turn is one, whoever takes it up.
    pub(crate) fn live(
        &self,
        request: &RunRequest,
        program: &Program,
        trace: Option<&str>,
    ) -> Result<(), SetupError> {
        if self.is_of_turn {
            return Ok(());
        }
        let head = Head::of(request, program, trace);
        self.journal.intend(&head.call()).map_err(|error| unusable(&error))
    }

    /// Writes how the run has ended and what it took, unless it can go on from here. Of a turn its
    /// answer says so.
    pub(crate) fn end(
        &self,
        outcome: &mut Result<Value, RunError>,
        (tokens, cost): (u64, Option<f64>),
    ) -> Result<(), LlmError> {
        if self.is_of_turn {
            return Ok(());
        }
        let place = self.journal.place();
        let told = match outcome {
            Ok(value) => {
                json!({ "state": "done", "value": value, "tokens": tokens, "cost": cost })
            }
            Err(_) if place.is_cancelled() => json!({ "state": "cancelled" }),
            Err(error) if error.kind == FailureKind::Cancelled => {
                error.help = Some(format!("to go on: `contexture runs resume {}`", self.run));
                return Ok(());
            }
            Err(error) if [DIVERGED, "journal_unwritable"].contains(&&*error.code) => return Ok(()),
            Err(error) => {
                let is_limit = error.code == COST_LIMIT;
                if is_limit {
                    let help =
                        error.help.take().map(|help| format!("{help}; ")).unwrap_or_default();
                    let run = &self.run;
                    error.help = Some(format!(
                        "{help}to go on from here with a higher limit: `contexture runs resume {run} --max-cost DOLLARS`, or `--max-tokens N`"
                    ));
                }
                let state = if is_limit { "stopped" } else { "failed" };
                json!({ "state": state, "code": error.code, "message": error.message })
            }
        };
        // Whoever asked for the end is served.
        place.resume();
        let run = Head::default().call();
        self.journal.end(&run, told)
    }
}

/// Has the model asked again whose failure ended the run.
fn forget_failures(journal: &Journal, past: &[Past]) {
    let Some(last) = past.iter().rev().find(|past| past.is_model) else { return };
    for past in past.iter().rev().filter(|past| past.call.key == last.call.key) {
        if !past.is_failed_answer() {
            return;
        }
        journal.forget(&last.call.key, Past::is_failed_answer);
    }
}

/// Creates the folder of journals.
pub(super) fn folder_of(folder: &Path) -> Result<(), JournalError> {
    let made = home::private_folder(folder);
    made.map_err(|error| JournalError(format!("{}: {error}", folder.display())))?;
    home::mark(folder);
    Ok(())
}

pub(super) const HELP: &str = "make the folder `.contexture` of the workspace writable";

pub(super) fn unusable(error: &LlmError) -> SetupError {
    SetupError::new("journal_unusable", error, Some(HELP.to_owned()))
}
