//! The stand-in for answers of packs in a build without the feature `knowledge`.

use super::error::PacksError;
use crate::project::Project;
use contexture_context::TokenCounter;
use contexture_knowledge::pack::Pack;
use contexture_knowledge::resolve::{Resolution, SearchHits, Task};
use std::path::PathBuf;

/// No resolver.
pub(super) struct Resolvers;

impl Resolvers {
    pub(super) fn new(_cache: Option<PathBuf>, _project: &Project, _offline: bool) -> Self {
        Self
    }

    pub(super) fn resolve(
        &self,
        _packs: &[Pack],
        _task: &Task,
        _counter: &'static dyn TokenCounter,
    ) -> Result<Resolution, PacksError> {
        Err(PacksError::missing())
    }

    pub(super) fn search(
        &self,
        _packs: &[Pack],
        _task: &Task,
        _most: usize,
        _counter: &'static dyn TokenCounter,
    ) -> Result<SearchHits, PacksError> {
        Err(PacksError::missing())
    }
}
