//! Replaying: recorded answers in place of a model (AS-24, AS-30).
//!
//! Decision: a request is matched by its digest, exactly. Equal requests get their answers in the
//! order in which they were asked, and one more than was recorded is a miss: a run that asks more
//! than its recording is another run, and repeating the last answer would hide that. The model is
//! no part of the match, so that a recording of one model replays without naming it; where a
//! recording holds several models, the one of the same URI comes first.

mod miss;

use crate::record::{Line, Outcome, RECORDING_VERSION};
use crate::{file, mock};
use contexture_context::{Digest, json};
use contexture_core::cancel::CancelToken;
use contexture_core::error::LlmError;
use contexture_core::provider::{BoxFuture, ChatCall, Provider, Reply, TextSink};
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The largest recording that is read, in bytes.
pub(crate) const RECORDING_BYTES: u64 = 512 << 20;

/// A provider that answers from a recording.
///
/// Clones share the recording and what has been used of it.
#[derive(Clone)]
pub struct Replay {
    uri: String,
    model: String,
    recorded: Arc<Mutex<Recorded>>,
}

/// A recording, and which of its answers are still to be given.
struct Recorded {
    lines: Vec<Line>,
    waiting: HashMap<Digest, VecDeque<usize>>,
    /// The models that were asked, by their URIs.
    models: HashMap<String, RecordedModel>,
}

/// What the recorded calls of a model have in common.
#[derive(Clone, Copy)]
struct RecordedModel {
    /// True if any request to it offered tools.
    calls_tools: bool,
    /// True if all its answers are those of the mock.
    is_mock: bool,
}

impl RecordedModel {
    fn note(&mut self, line: &Line) {
        self.calls_tools |= line.request.get("tools").is_some();
        self.is_mock &= match &line.outcome {
            Some(Outcome::Response { response, .. }) => response.model == mock::NAME,
            _ => false,
        };
    }
}

impl Replay {
    /// Reads a recording.
    ///
    /// # Errors
    /// [`LlmError::Recording`] with the line that is not a recorded call.
    pub fn open(path: &Path) -> Result<Self, LlmError> {
        Self::parse(&path.display().to_string(), &file::read(path, RECORDING_BYTES)?)
    }

    /// Reads a recording from memory; `name` stands in errors.
    ///
    /// # Errors
    /// As [`Replay::open`].
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self, LlmError> {
        // A journal has lines of other calls, and of what was meant, too.
        let mut lines = parse(name, bytes)?;
        lines.retain(|line| line.outcome.as_ref().is_some_and(Outcome::is_of_model));
        let mut order: Vec<usize> = (0..lines.len()).collect();
        order.sort_by_key(|at| lines.get(*at).map(|line| line.seq));
        let mut waiting: HashMap<Digest, VecDeque<usize>> = HashMap::new();
        for at in order {
            if let Some(line) = lines.get(at) {
                waiting.entry(line.digest.clone()).or_default().push_back(at);
            }
        }
        let mut models = HashMap::new();
        for line in &lines {
            let none = RecordedModel { calls_tools: false, is_mock: true };
            models.entry(line.model.clone()).or_insert(none).note(line);
        }
        let uri = format!("replay:{name}");
        let recorded = Arc::new(Mutex::new(Recorded { lines, waiting, models }));
        Ok(Self { model: uri.clone(), uri, recorded })
    }

    /// The same recording in place of a certain model: answers of this URI come first, and the
    /// model's own name picks the tokenizer.
    #[must_use]
    pub fn in_place_of(&self, uri: &str, model: &str) -> Self {
        Self { uri: uri.to_owned(), model: model.to_owned(), recorded: Arc::clone(&self.recorded) }
    }

    /// Reports whether the answers in place of a model are those of the mock: all that were recorded of
    /// its URI, or where nothing was, all.
    #[must_use]
    pub fn is_of_mock(&self, uri: &str) -> bool {
        let recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        match recorded.models.get(uri) {
            Some(own) => own.is_mock,
            None => recorded.models.values().all(|model| model.is_mock),
        }
    }

    /// Answers that have not been asked for.
    #[must_use]
    pub fn unused(&self) -> usize {
        let recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        recorded.waiting.values().map(VecDeque::len).sum()
    }

    fn answer(&self, call: &ChatCall, digest: &Digest) -> Result<Outcome, LlmError> {
        let mut recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        recorded.next(digest, &self.uri).ok_or_else(|| {
            LlmError::ReplayMiss(Box::new(miss::explain(digest.clone(), call, &recorded.lines)))
        })
    }

    fn reply(
        &self,
        call: &ChatCall,
        digest: &Digest,
        sink: Option<TextSink<'_>>,
        cancel: &CancelToken,
    ) -> Result<Reply, LlmError> {
        if cancel.is_cancelled() {
            return Err(LlmError::Cancelled);
        }
        let reply = self.answer(call, digest)?.into_result()?;
        if let Some(sink) = sink
            && !reply.response.text.is_empty()
        {
            sink(&reply.response.text);
        }
        Ok(reply)
    }
}

/// Reads the lines of a recording.
pub(crate) fn parse(name: &str, bytes: &[u8]) -> Result<Vec<Line>, LlmError> {
    let mut lines = Vec::new();
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let fault =
            |message| LlmError::Recording { file: name.to_owned(), line: Some(index + 1), message };
        let parsed: Line = json::read(line)
            .map_err(|error| fault(format!("expected a recorded call: {error}")))?;
        if parsed.v != RECORDING_VERSION {
            let found = parsed.v;
            return Err(fault(format!("version {found}, expected {RECORDING_VERSION}")));
        }
        lines.push(parsed);
    }
    Ok(lines)
}

impl Recorded {
    fn next(&mut self, digest: &Digest, uri: &str) -> Option<Outcome> {
        let waiting = self.waiting.get_mut(digest)?;
        let lines = &self.lines;
        let of_model = |at: &usize| lines.get(*at).is_some_and(|line| line.model == uri);
        let place = waiting.iter().position(of_model).unwrap_or(0);
        let at = waiting.remove(place)?;
        lines.get(at)?.outcome.clone()
    }
}

impl Provider for Replay {
    fn uri(&self) -> &str {
        &self.uri
    }

    fn model(&self) -> &str {
        &self.model
    }

    /// As the recorded model could: the same requests are to be made.
    fn calls_tools(&self) -> bool {
        let recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        match recorded.models.get(&self.uri) {
            Some(own) => own.calls_tools,
            None => recorded.models.values().any(|model| model.calls_tools),
        }
    }

    fn complete<'a>(
        &'a self,
        call: &'a ChatCall,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        Box::pin(async move { self.reply(call, &call.digest(), sink, cancel) })
    }

    fn complete_known<'a>(
        &'a self,
        call: &'a ChatCall,
        digest: &'a Digest,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        Box::pin(async move { self.reply(call, digest, sink, cancel) })
    }
}
