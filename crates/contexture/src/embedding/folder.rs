//! The embedder of a folder, as the port has it.

use contexture_core::embedder::{Embedder, Vectors};
use contexture_core::panics;
use contexture_core::provider::BoxFuture;
use contexture_diagnostic::MissingFeature;
use contexture_knowledge::folder_model::FolderModel;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// What this build lacks to read one: nothing.
pub(super) const MISSING: Option<MissingFeature> = None;

struct FolderEmbedder(FolderModel);

/// Reads the model of a folder.
pub(super) fn open(folder: &Path) -> Result<Arc<dyn Embedder>, String> {
    // The reader of the library trusts its files.
    let opened = catch_unwind(AssertUnwindSafe(|| FolderModel::open(folder)));
    let opened = opened.map_err(|panic| panics::message(&*panic))?;
    Ok(Arc::new(FolderEmbedder(opened.map_err(|error| error.to_string())?)))
}

impl Embedder for FolderEmbedder {
    fn id(&self) -> &str {
        self.0.id()
    }

    fn dimension(&self) -> usize {
        self.0.dimension()
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Vectors> {
        Box::pin(async move { Ok(self.0.embed(texts)) })
    }
}
