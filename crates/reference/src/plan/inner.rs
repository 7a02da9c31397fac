//! The entries of the levels inside, each with its own prefix (REF-8).

use super::entry::{PlanEntry, Sizes, State, pending};
use crate::loader::{Loader, Route, Step, StepKind};
use crate::syntax::Semantics;

/// Returns the entry of the level `index` and of those inside it. A hot level is loaded whatever
/// stands around it; another one is loaded if what is around it was, and had to read it.
pub(super) async fn level(
    loader: &Loader,
    route: &Route,
    index: usize,
    around: State,
    sizes: Sizes,
) -> Option<Box<PlanEntry>> {
    let step = route.steps.get(index)?;
    let mut entry = stand(route, step, index, around);
    if entry.state != State::Loaded && step.semantics == Semantics::Hot {
        entry = match loader.walk(&route.within(index)).await {
            Ok(loaded) => {
                let tokens = (sizes == Sizes::All).then(|| loader.tokens(&loaded));
                entry.loaded(loaded, tokens)
            }
            Err(error) => entry.failed(error),
        };
    }
    if let Some(next) = index.checked_sub(1) {
        entry.inner = Box::pin(level(loader, route, next, entry.state, sizes)).await;
    }
    Some(Box::new(entry))
}

/// Returns what became of a level through what stands around it.
fn stand(route: &Route, step: &Step, index: usize, around: State) -> PlanEntry {
    let outer = route.steps.get(index + 1);
    let wrapped = outer.is_some_and(|outer| matches!(outer.kind, StepKind::Wrapper(_)));
    let handle = wrapped && step.semantics == Semantics::Lazy;
    let entry = |reason: &str| pending(&step.reference, step.semantics, reason);
    match around {
        State::Loaded if !handle => {
            PlanEntry { state: State::Loaded, ..entry("read by the level around it") }
        }
        State::Failed => entry("what stands around it failed"),
        State::Pending if step.semantics == Semantics::Default => {
            entry("what stands around it is not loaded")
        }
        State::Loaded | State::Pending => entry("lazy: loaded when asked for"),
    }
}
