//! The model calls whose text is the answer of a turn.

use super::input::function;
use crate::run::request::RunRequest;
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

/// Returns the calls whose answer is the value of a run.
pub(super) fn answers(program: &Program, run: &RunRequest) -> Places {
    let found = function(program, run);
    Places(found.map(|(agent, func)| answer_sites(program, agent, func)).unwrap_or_default().into())
}
