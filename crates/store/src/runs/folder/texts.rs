//! Texts by digest: small ones in a file per run, larger ones in parts for all runs, and with them the
//! small ones of the same call, which are mostly those of the call before. Earlier versions kept a
//! larger text in a file of its own, which is read as before.
//!
//! A text that holds a secret is kept masked and marked, since its digest is that of the text as
//! it was sent.

use super::failed;
use super::parts::{Parts, Text};
use crate::home;
use crate::masker::Masker;
use crate::runs::{RunError, RunId};
use contexture_context::Digest;
use contexture_context::manifest::Blob;
use contexture_core::store::lines;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufReader, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Texts up to this many bytes stand in the run's own file: about a block of a disk.
const SMALL_BYTES: usize = 4 << 10;

/// The longest line of a file of texts: a small text with every character escaped.
const LINE_BYTES: u64 = 64 << 10;

#[derive(Serialize, Deserialize)]
struct Line<'a> {
    digest: Digest,
    text: Cow<'a, str>,
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    masked: bool,
}

pub(super) fn small(folder: &Path, run: &RunId) -> PathBuf {
    folder.join("runs").join(format!("{run}.texts.jsonl"))
}

/// Returns the file of a larger text of an earlier version.
pub(super) fn large(folder: &Path, digest: &Digest, masked: bool) -> PathBuf {
    let hex = digest.hex();
    let (shard, rest) = hex.split_at_checked(2).unwrap_or(("", &hex));
    let ending = if masked { ".masked" } else { "" };
    folder.join("texts").join(shard).join(format!("{rest}{ending}"))
}

pub(super) struct TextWriter {
    file: PathBuf,
    parts: Arc<Parts>,
    small: Option<File>,
    kept: HashSet<Digest>,
}

impl TextWriter {
    pub(super) fn new(folder: &Path, run: &RunId, parts: Arc<Parts>) -> Self {
        Self { file: small(folder, run), parts, small: None, kept: HashSet::new() }
    }

    pub(super) fn keep(&mut self, blobs: &[Blob], masker: &Masker) -> Result<(), RunError> {
        let (mut small, mut large) = (Vec::new(), Vec::new());
        let mut fresh = HashSet::new();
        for blob in blobs.iter().filter(|blob| !self.kept.contains(&blob.digest)) {
            if !fresh.insert(blob.digest.clone()) {
                continue;
            }
            let text = masker.text(&blob.text);
            let masked = matches!(text, Cow::Owned(_));
            let list = if text.len() > SMALL_BYTES { &mut large } else { &mut small };
            list.push(Text { digest: &blob.digest, text, masked });
        }
        let count = large.len();
        if Parts::TAKES_SMALL && count > 0 {
            // The file of all texts is written in any case. It has no empty ones, and what is masked in
            // this run may be whole in another, which has the same digest.
            large.extend(small.extract_if(.., |one| !one.masked && !one.text.is_empty()));
        }
        let kept = self.parts.keep(&large);
        if kept.is_err() {
            small.extend(large.drain(count..));
        }
        self.append(&small)?;
        kept?;
        self.kept.extend(fresh);
        Ok(())
    }

    /// Writes texts into the run's own file.
    fn append(&mut self, texts: &[Text<'_>]) -> Result<(), RunError> {
        if texts.is_empty() {
            return Ok(());
        }
        let path = self.file.display();
        let mut lines = String::new();
        for Text { digest, text, masked } in texts {
            let line =
                Line { digest: (*digest).clone(), text: Cow::Borrowed(text), masked: *masked };
            let line = serde_json::to_string(&line).map_err(|error| RunError::Io {
                path: path.to_string(),
                reason: error.to_string(),
            })?;
            lines.push_str(&line);
            lines.push('\n');
        }
        let fail = |error: std::io::Error| failed(&self.file, &error);
        if self.small.is_none() {
            let open = home::private_file().append(true).create(true).open(&self.file);
            self.small = Some(open.map_err(fail)?);
        }
        self.small.as_mut().map_or(Ok(()), |file| file.write_all(lines.as_bytes())).map_err(fail)
    }
}

/// Finds the texts of any run; those of the run asked for last stay in memory.
#[derive(Debug)]
pub(super) struct TextReader {
    folder: PathBuf,
    parts: Arc<Parts>,
    last: Mutex<Option<Small>>,
}

/// The small texts of a run, as far as its file had grown.
#[derive(Debug)]
struct Small {
    run: RunId,
    bytes: u64,
    texts: HashMap<Digest, String>,
}

impl TextReader {
    pub(super) fn new(folder: PathBuf, parts: Arc<Parts>) -> Self {
        Self { folder, parts, last: Mutex::new(None) }
    }

    pub(super) fn get(&self, run: &RunId, digest: &Digest) -> Result<Option<String>, RunError> {
        if let Some(text) = self.small(run, digest)? {
            return Ok(Some(text));
        }
        if let Some(text) = self.parts.get(digest)? {
            return Ok(Some(text));
        }
        for masked in [false, true] {
            let path = large(&self.folder, digest, masked);
            match std::fs::read_to_string(&path) {
                Ok(text) if masked || Digest::of_text(&text) == *digest => return Ok(Some(text)),
                // Damaged: not the text that was asked for.
                Ok(_) => {}
                Err(error)
                    if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidData) => {}
                Err(error) => return Err(failed(&path, &error)),
            }
        }
        Ok(None)
    }

    fn small(&self, run: &RunId, digest: &Digest) -> Result<Option<String>, RunError> {
        let path = small(&self.folder, run);
        let fail = |error: std::io::Error| failed(&path, &error);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fail(error)),
        };
        let bytes = file.metadata().map_err(fail)?.len();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let known = last.take().filter(|small| small.run == *run && small.bytes == bytes);
        let small = match known {
            Some(small) => small,
            None => Small { run: run.clone(), bytes, texts: read(file).map_err(fail)? },
        };
        let text = small.texts.get(digest).cloned();
        *last = Some(small);
        Ok(text)
    }
}

/// Returns the texts of a file; lines that are torn or do not match their digest are skipped.
fn read(file: File) -> std::io::Result<HashMap<Digest, String>> {
    let mut texts = HashMap::new();
    lines::read(BufReader::new(file), LINE_BYTES, |line| {
        let line = line.value.ok().and_then(|value| serde_json::from_value::<Line<'_>>(value).ok());
        if let Some(Line { digest, text, masked }) = line
            && (masked || Digest::of_text(&text) == digest)
        {
            texts.insert(digest, text.into_owned());
        }
    })?;
    Ok(texts)
}
