//! The stand-in for models of folders in a build without the feature `embedder`.

use contexture_core::Embedder;
use contexture_diagnostic::MissingFeature;
use std::path::Path;
use std::sync::Arc;

const MISSING: MissingFeature =
    MissingFeature { part: "reader of local embedding models", feature: "embedder" };

/// Refuses a folder.
pub(super) fn open(_folder: &Path) -> Result<Arc<dyn Embedder>, String> {
    Err(format!("{MISSING}: {}", MISSING.help()))
}
