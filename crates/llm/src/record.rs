//! Recording: every call of a provider, as a line of JSON, written while it happens (AS-30).
//!
//! Decision: a recording is a file of lines, each with the request in canonical form, its digest
//! and what came of it. It is read again by [`crate::replay`], and by people. Secrets are masked in
//! it (GU-9); the digest is that of the request as it was sent, so that replaying matches it.

mod file;
mod journal;
mod journalled;
mod line;

pub use file::JournalFile;
pub use journal::{Call, Journal, Past, UnderWay};
pub use journalled::Journalled;
pub(crate) use line::{Line, Outcome, StoredError};

use crate::file::fault;
use contexture_core::cancel::CancelToken;
use contexture_core::error::LlmError;
use contexture_core::masker::Masker;
use contexture_core::profile::Profile;
use contexture_core::provider::{BoxFuture, ChatCall, Provider, Reply, TextSink};
use contexture_core::store::journals::JournalLines;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// The version of the lines that this crate writes.
pub const RECORDING_VERSION: u32 = 1;

/// A file of recorded calls that several providers may write to.
#[derive(Clone)]
pub struct Recording(Arc<Mutex<Writer>>);

struct Writer {
    name: String,
    out: Out,
    next: u64,
    masker: Arc<Masker>,
}

/// Where lines go.
enum Out {
    Recording(Box<dyn Write + Send>),
    Journal(Box<dyn JournalLines>),
}

impl Out {
    fn append(&mut self, line: &str) -> Result<(), String> {
        match self {
            Self::Recording(out) => {
                let written = out.write_all(line.as_bytes()).and_then(|()| out.flush());
                written.map_err(|error| error.to_string())
            }
            Self::Journal(lines) => lines.append(line).map_err(|error| error.to_string()),
        }
    }
}

impl Recording {
    /// Begins a new recording, which only its owner can read; what the file held is gone.
    ///
    /// # Errors
    /// [`LlmError::Recording`] when it can't be written.
    pub fn create(path: &Path) -> Result<Self, LlmError> {
        let file = crate::file::private(path, |options| options.write(true).truncate(true));
        let file = file.map_err(|error| fault(path, &error))?;
        Ok(Self::to_writer(&path.display().to_string(), file))
    }

    /// Goes on with a recording, or begins one.
    ///
    /// # Errors
    /// [`LlmError::Recording`] when it can't be read or written.
    pub fn append(path: &Path) -> Result<Self, LlmError> {
        let file = crate::file::private(path, |options| options.append(true).read(true));
        let file = file.map_err(|error| fault(path, &error))?;
        let mut lines = 0;
        for line in BufReader::new(&file).split(b'\n') {
            line.map_err(|error| fault(path, &error))?;
            lines += 1;
        }
        let recording = Self::to_writer(&path.display().to_string(), file);
        recording.lock().next += lines;
        Ok(recording)
    }

    /// Records to a writer; `name` stands in errors.
    pub fn to_writer(name: &str, out: impl Write + Send + 'static) -> Self {
        let (name, out) = (name.to_owned(), Out::Recording(Box::new(out)));
        let writer = Writer { name, out, next: 1, masker: Arc::default() };
        Self(Arc::new(Mutex::new(writer)))
    }

    /// Masks with `masker` in what is written from now on; without it, what looks like a secret is
    /// masked.
    #[must_use]
    pub fn masked_by(self, masker: Arc<Masker>) -> Self {
        self.lock().masker = masker;
        self
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Writer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of a call that begins now.
    fn begin(&self) -> u64 {
        let mut writer = self.lock();
        let number = writer.next;
        writer.next += 1;
        number
    }

    fn write(&self, line: &Line) -> Result<(), LlmError> {
        let mut writer = self.lock();
        let text = line.masked(&writer.masker).and_then(|line| serde_json::to_string(&line));
        let mut text = text.map_err(|error| writer.fault(&error.to_string()))?;
        text.push('\n');
        let written = writer.out.append(&text);
        written.map_err(|error| writer.fault(&error))
    }

    /// Writes to a journal from now on.
    fn goes_to(&self, lines: Box<dyn JournalLines>) {
        self.lock().out = Out::Journal(lines);
    }

    /// Waits until what was written to a journal is on disk.
    fn sync(&self) -> Result<(), LlmError> {
        let writer = self.lock();
        let Out::Journal(lines) = &writer.out else { return Ok(()) };
        lines.sync().map_err(|error| writer.fault(&error.to_string()))
    }
}

impl Writer {
    fn fault(&self, message: &str) -> LlmError {
        LlmError::Recording { file: self.name.clone(), line: None, message: message.to_owned() }
    }
}

/// Returns the time in microseconds since 1970-01-01 UTC.
fn now_us() -> u64 {
    let at = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(at.as_micros()).unwrap_or(u64::MAX)
}

/// A provider whose calls are recorded.
///
/// Failures are recorded as well, so that a run that failed fails the same way when replayed; a
/// cancelled call is not, for it has no outcome.
pub struct Recorder<P> {
    provider: P,
    recording: Recording,
}

impl<P: Provider> Recorder<P> {
    /// Records the calls of `provider`.
    pub const fn new(provider: P, recording: Recording) -> Self {
        Self { provider, recording }
    }
}

impl<P: Provider> Provider for Recorder<P> {
    fn uri(&self) -> &str {
        self.provider.uri()
    }

    fn model(&self) -> &str {
        self.provider.model()
    }

    fn calls_tools(&self) -> bool {
        self.provider.calls_tools()
    }

    fn profile(&self) -> Profile {
        self.provider.profile()
    }

    fn describe(&self) -> BoxFuture<'_, Profile> {
        self.provider.describe()
    }

    fn complete<'a>(
        &'a self,
        call: &'a ChatCall,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        Box::pin(async move {
            let seq = self.recording.begin();
            let at_us = now_us();
            let outcome = self.provider.complete(call, sink, cancel).await;
            let stored = match &outcome {
                Ok(reply) => Outcome::reply(reply),
                Err(LlmError::Cancelled) => return outcome,
                Err(error) => Outcome::Error(StoredError::from(error)),
            };
            self.recording.write(&Line {
                v: RECORDING_VERSION,
                seq,
                at_us,
                key: None,
                model: self.uri().to_owned(),
                call: None,
                digest: call.digest(),
                request: call.canonical(),
                outcome: Some(stored),
                masked: false,
            })?;
            outcome
        })
    }
}
