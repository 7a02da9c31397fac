//! The stand-in for questions of `use` in a build without the feature `knowledge`.

use super::errors::of_packs;
use super::run_state::RunState;
use crate::packs::PacksError;
use contexture_context::manifest::{RankedRecord, Site};
use contexture_context::{ContextItem, DeclaredItem, TokenCounter};
use contexture_script::host::{GenerateCall, HostError};

/// No selection.
#[derive(Default)]
pub(super) struct Selections;

impl Selections {
    pub(super) fn in_call(
        &mut self,
        _run: &RunState,
        call: &mut GenerateCall,
        _counter: &dyn TokenCounter,
    ) -> Result<(), HostError> {
        refuse(&call.items)
    }

    pub(super) fn select(
        &mut self,
        _run: &RunState,
        _about: (&Site, &str, bool),
        items: &[DeclaredItem],
        _counter: &dyn TokenCounter,
    ) -> Result<Vec<DeclaredItem>, HostError> {
        refuse(items)?;
        Ok(items.to_vec())
    }

    pub(super) fn shorter(
        &mut self,
        _item: &DeclaredItem,
        _room: u64,
        _counter: &dyn TokenCounter,
    ) -> Option<String> {
        None
    }

    pub(super) fn records(
        self,
        _items: &[ContextItem],
        _counter: &dyn TokenCounter,
    ) -> Vec<RankedRecord> {
        Vec::new()
    }
}

fn refuse(items: &[DeclaredItem]) -> Result<(), HostError> {
    match items.iter().any(|item| item.question.is_some()) {
        true => Err(of_packs(PacksError::missing())),
        false => Ok(()),
    }
}
