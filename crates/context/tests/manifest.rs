//! Records of earlier versions are read.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

use contexture_context::Manifest;
use serde_json::Value;

/// A record as version 0.1 wrote it.
const VERSION_1: &str = include_str!("manifest/version_1.json");

#[test]
fn gu_2_manifest_of_version_1_is_read_without_parts_of_version_2() {
    let manifest: Manifest = serde_json::from_str(VERSION_1).unwrap();
    assert_eq!((manifest.version, manifest.tokens), (1, 80));
    assert_eq!(manifest.items[0].cuts.len(), 1);
    assert!(manifest.tools.is_empty() && manifest.attempts.is_empty() && manifest.cost.is_none());
    assert!(manifest.items[0].sources.is_empty() && manifest.messages[0].spans.is_empty());
    let written: Value = serde_json::to_value(&manifest).unwrap();
    assert_eq!(written, serde_json::from_str::<Value>(VERSION_1).unwrap(), "and written as it was");
}
