//! The embedder of an application, as the search of knowledge packs calls it (HO-2).

use contexture_core::embedder::{EmbedError, Embedder, embed};
use contexture_knowledge::resolve::Embedding;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// The time that an embedder may take for a batch.
const LIMIT: Duration = Duration::from_secs(10);
/// The time beyond the limit in which the time-out of the embedder itself arrives.
const GRACE: Duration = Duration::from_secs(1);

/// Returns the vectors of the model of that id.
pub(crate) fn of(id: String, embedder: Arc<dyn Embedder>) -> Embedding {
    Embedding::new(id, move |texts| vectors(&embedder, texts))
}

/// Calls an embedder from code that is not async. It gets a thread of its own: the caller may be
/// one that runs other futures, and an embedder that blocks its thread must not hold up more than
/// that.
fn vectors(embedder: &Arc<dyn Embedder>, texts: Vec<String>) -> Result<Vec<Vec<f32>>, String> {
    let (embedder, (answer, answered)) = (Arc::clone(embedder), mpsc::channel());
    let ask = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| EmbedError::Failed(error.to_string()))?;
        runtime.block_on(embed(&*embedder, &texts, LIMIT))
    };
    // Nobody receives it any more when the time is over.
    let asked = thread::Builder::new().spawn(move || drop(answer.send(ask())));
    asked.map_err(|error| error.to_string())?;
    let vectors = answered.recv_timeout(LIMIT + GRACE);
    vectors.unwrap_or(Err(EmbedError::Timeout(LIMIT))).map_err(|error| error.to_string())
}
