//! Protocols that a build leaves out.

use contexture_diagnostic::MissingFeature;

/// Returns the feature that adds a protocol which this build leaves out.
pub(crate) fn missing(protocol: &str) -> Option<MissingFeature> {
    let (is_there, part, feature) = match protocol {
        "ftp" => (cfg!(feature = "ftp"), "references over ftp", "references-ftp"),
        "http" | "https" => (cfg!(feature = "http"), "references over http", "references-net"),
        "sftp" | "ssh" => (cfg!(feature = "ssh"), "references over ssh", "references-ssh"),
        _ => return None,
    };
    (!is_there).then_some(MissingFeature { part, feature })
}
