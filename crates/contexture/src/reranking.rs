//! Rerankers as the search of knowledge packs calls them: that of an application (HO-2), and that of
//! the settings (MA-7).

use crate::models::provider_settings;
use crate::project::Project;
use crate::waiting::waited;
use contexture_core::Secret;
use contexture_core::reranker::{Relevance, RerankError, Reranker, rerank};
use contexture_knowledge::resolve::Reranking;
use std::sync::Arc;
use std::time::Duration;

/// The time that a reranker may take for the sections of a pack.
const LIMIT: Duration = Duration::from_secs(10);

/// The variable of the environment with the key of the server: a key for models is not sent to
/// another service.
const KEY: &str = "RERANK_API_KEY";

/// Returns the order of the model of that id.
pub(crate) fn of(id: String, reranker: Arc<dyn Reranker>) -> Reranking {
    Reranking::new(id, move |task, texts| {
        let (reranker, task) = (Arc::clone(&reranker), task.to_owned());
        asked(async move || rerank(&*reranker, &task, &texts, LIMIT).await)
    })
}

/// Returns the order of the model that the settings name; `None` where they name none. A program
/// that reads packs must not reach the addresses of the network around it (GU-11), so that only
/// listed hosts may be private.
pub(crate) fn of_settings(project: &Project) -> Option<Arc<Reranking>> {
    let setting = project.config.knowledge.reranker.as_ref()?;
    let mut settings = provider_settings(project);
    settings.private_hosts = Some(project.config.network.allow_private.clone());
    let key = project.environment.get(KEY).map(str::trim).filter(|key| !key.is_empty());
    settings.openai_key = key.map(Secret::new);
    let uri = setting.uri().clone();
    Some(Arc::new(Reranking::new(setting.to_string(), move |task, texts| {
        let (uri, settings, task) = (uri.clone(), settings.clone(), task.to_owned());
        asked(async move || {
            let asking = contexture_llm::rerank(&uri, &settings, &task, &texts);
            let ranked = tokio::time::timeout(LIMIT, asking).await;
            let ranked = ranked.map_err(|_| RerankError::Timeout(LIMIT))?;
            ranked.map_err(|error| RerankError::Failed(settings.mask(&error.to_string())))
        })
    })))
}

/// Calls a reranker from code that is not async.
fn asked(work: impl AsyncFnOnce() -> Relevance + Send + 'static) -> Result<Vec<f32>, String> {
    let ranked = waited(LIMIT, async move || work().await.map_err(|error| error.to_string()));
    ranked.unwrap_or_else(|| Err(RerankError::Timeout(LIMIT).to_string()))
}
