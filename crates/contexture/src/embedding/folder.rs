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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const TOKENIZER: &str = r#"{"version": "1.0", "truncation": null, "padding": null,
        "added_tokens": [], "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "unk_token": "[UNK]",
            "vocab": {"[UNK]": 0, "server": 1, "long": 2, "port": 3}}}"#;

    /// Writes a model of four vectors of two numbers.
    fn write_model(folder: &Path) {
        let vectors: [f32; 8] = [0.5, 0.5, 3.0, 0.0, 1.0, 0.0, 0.0, 1.0];
        let numbers = vectors.iter().flat_map(|one| one.to_le_bytes()).collect::<Vec<u8>>();
        let header = br#"{"embeddings":{"dtype":"F32","shape":[4,2],"data_offsets":[0,32]}}"#;
        let length = (header.len() as u64).to_le_bytes();
        fs::write(folder.join("model.safetensors"), [&length[..], header, &numbers].concat())
            .unwrap();
        fs::write(folder.join("tokenizer.json"), TOKENIZER).unwrap();
        fs::write(folder.join("config.json"), r#"{"normalize": true}"#).unwrap();
    }

    #[tokio::test]
    async fn ho_2_folder_embedder_passes_contract() {
        let folder = tempfile::tempdir().unwrap();
        write_model(folder.path());
        contexture_core::contract::embedder(&*open(folder.path()).unwrap()).await;
    }
}
