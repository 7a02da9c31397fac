//! Larger texts without SQLite: each in a file for all runs, as earlier versions kept them.

use super::failed;
use super::texts::large;
use crate::home;
use crate::runs::RunError;
use crate::stamp;
use contexture_context::Digest;
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A text to be kept.
pub(super) struct Text<'t> {
    pub(super) digest: &'t Digest,
    pub(super) text: Cow<'t, str>,
    /// True if secrets were taken out, so that the digest is that of another text.
    pub(super) masked: bool,
}

/// The texts of all runs of a folder.
#[derive(Debug)]
pub(super) struct Parts {
    folder: PathBuf,
}

impl Parts {
    /// Each text is a file of its own.
    pub(super) const TAKES_SMALL: bool = false;

    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Keeps texts, each whole or not at all, unless another run did.
    pub(super) fn keep(&self, texts: &[Text<'_>]) -> Result<(), RunError> {
        for Text { digest, text, masked } in texts {
            let path = large(&self.folder, digest, *masked);
            if !path.exists() {
                keep(&path, text).map_err(|error| failed(&path, &error))?;
            }
        }
        Ok(())
    }

    /// Returns none: the files are read as those of earlier versions are.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as with SQLite")]
    pub(super) fn get(&self, _digest: &Digest) -> Result<Option<String>, RunError> {
        Ok(None)
    }

    /// Finds nothing wrong: each text is a file of its own.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as with SQLite")]
    pub(super) fn check(&self) -> Result<(), RunError> {
        Ok(())
    }

    /// Removes nothing: the files are removed as those of earlier versions are.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as with SQLite")]
    pub(super) fn free(&self, _named: &HashSet<Digest>) -> Result<(), RunError> {
        Ok(())
    }
}

fn keep(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(shard) = path.parent() {
        home::private_folder(shard)?;
    }
    // Several runs may write it at once.
    let temporary = path.with_extension(format!("{}.tmp", stamp::system().next().0));
    let written = home::create_private(&temporary)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to report.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}
