//! Output files that are written whole or not at all.

use crate::output::error::{Abort, CommandError};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A file that is written under a temporary name beside it and renamed at the end.
pub(crate) struct NewFile {
    path: PathBuf,
    draft: PathBuf,
    force: bool,
}

impl NewFile {
    /// Prepares a file; only with `force` it may replace an existing one.
    pub(crate) fn create(path: &Path, force: bool) -> Result<Self, Abort> {
        let Some(name) = path.file_name() else {
            let message = format!("{} does not name a file", path.display());
            return Err(CommandError::refused("bad_usage", message).into());
        };
        if !force && path.symlink_metadata().is_ok() {
            return Err(exists(path));
        }
        let mut draft = name.to_owned();
        draft.push(format!(".{}.part", std::process::id()));
        Ok(Self { path: path.to_owned(), draft: path.with_file_name(draft), force })
    }

    /// Writes the file.
    pub(crate) fn fill<T, E: Into<Abort>>(
        self,
        write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
    ) -> Result<T, Abort> {
        let opened = OpenOptions::new().write(true).create_new(true).open(&self.draft);
        let file = opened.map_err(|error| self.failed(&error))?;
        let outcome = self.write(file, write).and_then(|value| self.publish().map(|()| value));
        if outcome.is_err() {
            // The draft is useless; a failure to remove it must not hide the first error.
            let _ = fs::remove_file(&self.draft);
        }
        outcome
    }

    fn write<T, E: Into<Abort>>(
        &self,
        file: File,
        write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
    ) -> Result<T, Abort> {
        let mut out = Watched::new(file);
        let done = write(&mut out);
        if let Some(fault) = &out.fault {
            return Err(self.failed(fault));
        }
        let value = done.map_err(Into::into)?;
        let file = out.inner.into_inner().map_err(|error| self.failed(error.error()))?;
        file.sync_all().map_err(|error| self.failed(&error))?;
        Ok(value)
    }

    fn publish(&self) -> Result<(), Abort> {
        let done =
            if self.force { fs::rename(&self.draft, &self.path) } else { self.publish_new() };
        done.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => exists(&self.path),
            _ => self.failed(&error),
        })
    }

    /// Publishes by a hard link, which never replaces a file that was created in the meantime.
    fn publish_new(&self) -> io::Result<()> {
        match fs::hard_link(&self.draft, &self.path) {
            Ok(()) => fs::remove_file(&self.draft),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
            // Some file systems have no links.
            Err(_) if self.path.symlink_metadata().is_ok() => Err(ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(&self.draft, &self.path),
        }
    }

    fn failed(&self, error: &io::Error) -> Abort {
        Abort::write(&self.path.display().to_string(), error)
    }
}

fn exists(path: &Path) -> Abort {
    CommandError::refused("file_exists", format!("{} already exists", path.display()))
        .file(path)
        .help("choose another name, or replace the file with --force")
        .into()
}

/// A buffered writer that keeps the first error of the stream, which callers may wrap in their own.
pub(crate) struct Watched<W: Write> {
    inner: BufWriter<W>,
    pub(crate) fault: Option<io::Error>,
}

impl<W: Write> Watched<W> {
    pub(crate) fn new(inner: W) -> Self {
        Self { inner: BufWriter::new(inner), fault: None }
    }

    fn note<T>(&mut self, outcome: io::Result<T>) -> io::Result<T> {
        outcome.map_err(|error| {
            let kind = error.kind();
            self.fault = Some(error);
            kind.into()
        })
    }
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let outcome = self.inner.write(bytes);
        self.note(outcome)
    }

    fn flush(&mut self) -> io::Result<()> {
        let outcome = self.inner.flush();
        self.note(outcome)
    }
}
