//! The actions that a set may use.

use super::origins::replacements;
use contexture_flow::Set;
use std::collections::BTreeSet;

/// The actions that a set may use: names, or beginnings of names with `*` at the end. An action
/// must be in each of several lists.
#[derive(Debug, Clone, Default)]
pub(super) struct Allow(Vec<Vec<String>>);

impl Allow {
    /// Returns the same with this list as well.
    pub(super) fn and(&self, list: Vec<String>) -> Self {
        let mut lists = self.0.clone();
        lists.push(list);
        Self(lists)
    }

    fn permits(&self, action: &str) -> bool {
        self.0.iter().all(|list| {
            list.iter().any(|entry| match entry.strip_suffix('*') {
                Some(beginning) => action.starts_with(beginning),
                None => entry == action,
            })
        })
    }

    /// Returns the actions of a set that it may not use, each once.
    pub(super) fn denied<'s>(&self, set: &'s Set) -> BTreeSet<&'s str> {
        actions(set).filter(|action| !self.permits(action)).collect()
    }
}

/// Returns all actions of a set, including those that may replace another.
pub(super) fn actions(set: &Set) -> impl Iterator<Item = &str> {
    set.steps.iter().flat_map(|step| {
        let others = replacements(step).map(contexture_protocol::content::Fallback::target);
        std::iter::once(step.action.as_str()).chain(others)
    })
}
