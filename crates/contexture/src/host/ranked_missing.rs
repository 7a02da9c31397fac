//! The stand-in for questions of `use` in a build without the feature `knowledge`.

use super::errors::of_packs;
use super::run_state::RunState;
use crate::packs::PacksError;
use contexture_context::manifest::{RankedRecord, Site};
use contexture_context::{DeclaredItem, TokenCounter};
use contexture_script::host::{GenerateCall, HostError};

pub(super) fn in_call(
    _run: &RunState,
    call: &mut GenerateCall,
    _counter: &dyn TokenCounter,
) -> Result<Vec<RankedRecord>, HostError> {
    match call.items.iter().any(|item| item.question.is_some()) {
        true => Err(of_packs(PacksError::missing())),
        false => Ok(Vec::new()),
    }
}

pub(super) fn select(
    _run: &RunState,
    _about: (&Site, &str),
    items: &[DeclaredItem],
    _counter: &dyn TokenCounter,
) -> Result<(Vec<DeclaredItem>, Option<RankedRecord>), HostError> {
    match items.iter().any(|item| item.question.is_some()) {
        true => Err(of_packs(PacksError::missing())),
        false => Ok((items.to_vec(), None)),
    }
}
