//! The answers of packs to a task, in the tokens of the model that reads them (KN-9, KN-11).

use super::error::PacksError;
use crate::config::EmbedderSetting;
use crate::project::Project;
use crate::{embedding, reranking};
use contexture_context::TokenCounter;
use contexture_knowledge::maintenance::{MaintenanceError, RetrievalRun, eval_retrieval};
use contexture_knowledge::pack::Pack;
use contexture_knowledge::resolve::{
    Embedding, IndexReport, Reranking, Resolution, ResolveError, Resolver, SearchHits, Task,
};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A resolver for each tokenizer: sections are measured once in the tokens of each.
pub(super) struct Resolvers {
    cache: Option<PathBuf>,
    project: Project,
    asks_servers: bool,
    made: Mutex<HashMap<&'static str, Arc<Resolver>>>,
}

impl Resolvers {
    pub(super) fn new(cache: Option<PathBuf>, project: &Project, offline: bool) -> Self {
        Self { cache, project: project.clone(), asks_servers: !offline, made: Mutex::default() }
    }

    /// Returns the embedder of the application, else that of the settings. One on a server is not
    /// asked where nothing may be fetched.
    fn embedding(&self) -> Option<Arc<Embedding>> {
        let Project { extensions, config, .. } = &self.project;
        if let Some(own) = extensions.embedding() {
            return Some(Arc::clone(own));
        }
        let is_remote = matches!(config.knowledge.embedder, Some(EmbedderSetting::Model(_)));
        if is_remote && !self.asks_servers {
            return None;
        }
        extensions.embedding_of_settings(|| embedding::of_settings(&self.project))
    }

    /// Returns the reranker of the application, else that of the settings, which is on a server.
    fn reranking(&self) -> Option<Arc<Reranking>> {
        match self.project.extensions.reranking() {
            Some(own) => Some(Arc::clone(own)),
            None => self.asks_servers.then(|| reranking::of_settings(&self.project)).flatten(),
        }
    }

    fn of(&self, counter: &'static dyn TokenCounter) -> Arc<Resolver> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || {
            let mut resolver = Resolver::new(counter, self.cache.clone());
            if let Some(embedding) = self.embedding() {
                resolver = resolver.with_embedding(embedding);
            }
            if let Some(reranking) = self.reranking() {
                resolver = resolver.with_reranking(reranking);
            }
            Arc::new(resolver)
        };
        Arc::clone(made.entry(counter.name()).or_insert_with(make))
    }

    pub(super) fn index(
        &self,
        pack: &Pack,
        counter: &'static dyn TokenCounter,
        rebuild: bool,
    ) -> Result<IndexReport, PacksError> {
        Ok(self.of(counter).index(pack, rebuild)?)
    }

    pub(super) fn resolve(
        &self,
        packs: &[Pack],
        task: &Task,
        counter: &'static dyn TokenCounter,
    ) -> Result<Resolution, PacksError> {
        Ok(self.of(counter).resolve(packs, task)?)
    }
}

impl Resolvers {
    pub(super) fn search(
        &self,
        packs: &[Pack],
        task: &Task,
        most: usize,
        counter: &'static dyn TokenCounter,
    ) -> Result<SearchHits, PacksError> {
        Ok(self.of(counter).search(packs, task, most)?)
    }
}

impl Resolvers {
    pub(super) fn eval(
        &self,
        pack: &Pack,
        file: &Path,
        counter: &'static dyn TokenCounter,
    ) -> Result<RetrievalRun, PacksError> {
        let error = |error: MaintenanceError| {
            PacksError::new(error.code(), error.to_string(), error.help())
        };
        eval_retrieval(&self.of(counter), counter, pack, file).map_err(error)
    }
}

impl From<ResolveError> for PacksError {
    fn from(error: ResolveError) -> Self {
        match error {
            ResolveError::Pack(error) => error.into(),
            other => {
                let help = "remove `.contexture/cache/knowledge`, from which nothing is lost, and try again";
                Self::new("index_unusable", other.to_string(), help)
            }
        }
    }
}
