//! Embedders as the search of knowledge packs calls them: that of an application (HO-2), and that of
//! the settings (MA-7).

#[cfg(feature = "embedder")]
mod folder;
#[cfg(not(feature = "embedder"))]
#[path = "embedding/folder_missing.rs"]
mod folder;
mod register;

pub use register::{RegisterError, RegisteredEmbedder, register_embedder};

use crate::config::{EmbedderSetting, EmbeddingModel};
use crate::models::provider_settings;
use crate::project::Project;
use crate::waiting::waited;
use contexture_core::embedder::{EmbedError, Embedder, embed};
use contexture_knowledge::resolve::Embedding;
use contexture_llm::LlmError;
use std::sync::Arc;
use std::time::Duration;

/// The time that an embedder may take for a batch.
const LIMIT: Duration = Duration::from_secs(10);
/// The time that one on a server may take.
const REMOTE_LIMIT: Duration = Duration::from_secs(60);

type Vectors = Vec<Vec<f32>>;

/// Returns the vectors of the model of that id.
pub(crate) fn of(id: String, embedder: Arc<dyn Embedder>) -> Embedding {
    Embedding::new(id, move |texts| {
        let embedder = Arc::clone(&embedder);
        asked(LIMIT, async move || embed(&*embedder, &texts, LIMIT).await)
    })
}

/// Returns the vectors of the model that the settings name; `None` where they name none. A model
/// that can't be used makes an embedding that fails with the reason, so that words decide alone.
pub(crate) fn of_settings(project: &Project) -> Option<Arc<Embedding>> {
    let setting = project.config.knowledge.embedder.as_ref()?;
    Some(Arc::new(match setting {
        EmbedderSetting::Folder(path) => match folder::open(&project.root.join(path)) {
            Ok(embedder) => of(embedder.id().to_owned(), embedder),
            Err(reason) => Embedding::new(setting.to_string(), move |_| Err(reason.clone())),
        },
        EmbedderSetting::Model(model) => of_model(project, model),
    }))
}

/// Returns the vectors of a model on a server. A program that reads packs must not reach the
/// addresses of the network around it (GU-11), so that only listed hosts may be private.
fn of_model(project: &Project, model: &EmbeddingModel) -> Embedding {
    let mut settings = provider_settings(project);
    settings.private_hosts = Some(project.config.network.allow_private.clone());
    let uri = model.uri().clone();
    Embedding::new(uri.to_string(), move |texts| {
        let (uri, settings) = (uri.clone(), settings.clone());
        asked(REMOTE_LIMIT, async move || {
            let asking = contexture_llm::embed(&uri, &settings, &texts, None);
            let embedded = tokio::time::timeout(REMOTE_LIMIT, asking).await;
            let embedded = embedded.map_err(|_| EmbedError::Timeout(REMOTE_LIMIT))?;
            let failed = |error: LlmError| EmbedError::Failed(settings.mask(&error.to_string()));
            embedded.map_err(failed).and_then(|embedded| directed(embedded.vectors))
        })
    })
}

/// Refuses vectors of zeros: a server that fails may give them, and they are kept.
fn directed(vectors: Vectors) -> Result<Vectors, EmbedError> {
    let is_blank = |vector: &Vec<f32>| !vector.is_empty() && vector.iter().all(|one| *one == 0.0);
    if vectors.iter().any(is_blank) {
        return Err(EmbedError::Failed("a vector holds nothing but zeros".to_owned()));
    }
    Ok(vectors)
}

/// Calls an embedder from code that is not async.
fn asked(
    limit: Duration,
    work: impl AsyncFnOnce() -> Result<Vectors, EmbedError> + Send + 'static,
) -> Result<Vectors, String> {
    let vectors = waited(limit, async move || work().await.map_err(|error| error.to_string()));
    vectors.unwrap_or_else(|| Err(EmbedError::Timeout(limit).to_string()))
}
