//! The model calls whose text is the answer of a turn.

use super::input::function;
use super::request::Hints;
use crate::run::request::RunRequest;
use crate::run::result::SetupError;
use contexture_context::Position;
use contexture_script::analysis::answer_sites;
use contexture_script::program::Program;
use std::sync::Arc;

/// Places of model calls in a program.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Places(Arc<[Position]>);

impl Places {
    pub(crate) fn has(&self, position: &Position) -> bool {
        self.0.contains(position)
    }
}

/// Checks that there is a model call that the hints concern.
pub(super) fn check(places: &Places, hints: &Hints) -> Result<(), SetupError> {
    let (code, asked) = match hints {
        Hints { tools: Some(_), .. } => ("tools_not_taken", "tools of the caller"),
        Hints { stop, .. } if !stop.is_empty() => ("stop_not_taken", "texts that end the answer"),
        _ => return Ok(()),
    };
    if !places.0.is_empty() {
        return Ok(());
    }
    let message =
        format!("the agent asks no model for the text of its answer, so {asked} have no use");
    let help = "leave them out, or end the function of the agent with a `generate` without a shape";
    Err(SetupError::new(code, message, Some(help.to_owned())))
}

/// Returns the calls whose answer is the value of a run.
pub(super) fn answers(program: &Program, run: &RunRequest) -> Places {
    let found = function(program, run);
    Places(found.map(|(agent, func)| answer_sites(program, agent, func)).unwrap_or_default().into())
}
