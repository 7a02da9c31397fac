//! The stand-in for models of folders in a build without the feature `embedder`.

use contexture_core::Embedder;
use contexture_diagnostic::MissingFeature;
use std::path::Path;
use std::sync::Arc;

const LEFT_OUT: MissingFeature =
    MissingFeature { part: "reader of local embedding models", feature: "embedder" };

/// What this build lacks to read one.
pub(super) const MISSING: Option<MissingFeature> = Some(LEFT_OUT);

/// Refuses a folder.
pub(super) fn open(_folder: &Path) -> Result<Arc<dyn Embedder>, String> {
    Err(format!("{LEFT_OUT}: {}", LEFT_OUT.help()))
}
