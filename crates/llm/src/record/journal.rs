//! The journal of a run: a recording that the run itself reads again (WA-3).
//!
//! Decision: it is a recording with more lines. Each call has a key, its place among the calls of the
//! run, which is the same whenever the program is run with the same outcomes. What changes something,
//! and what costs, has a line before it, which is on disk before it begins, and one after it. A line
//! without an end at the end of the file was cut off, and counts as not written.

use super::file::whole;
use super::line::{Line, Outcome, StoredError};
use super::{RECORDING_VERSION, Recording, now_us};
use crate::replay::parse;
use contexture_context::Digest;
use contexture_core::error::LlmError;
use contexture_core::masker::Masker;
use contexture_core::provider::{ChatCall, Reply};
use contexture_core::store::journals::{JournalError, JournalLines, JournalPlace};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A journal that is open for one run.
#[derive(Clone)]
pub struct Journal(Arc<Shared>);

struct Shared {
    place: Arc<dyn JournalPlace>,
    recording: Recording,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What was done before, by key, in the order of its beginning.
    past: HashMap<String, VecDeque<Past>>,
    /// The numbers of calls whose intent is written, by key.
    meant: HashMap<String, u64>,
    /// The lines of one that is not in its place yet.
    held: Option<Vec<Line>>,
    /// The number of calls under way.
    busy: usize,
}

/// A call that is under way as long as this lives.
#[must_use = "a call is under way as long as it lives"]
pub struct UnderWay(Journal);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.state().busy -= 1;
    }
}

/// A call that is not one of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Its place among the calls of the run.
    pub key: String,
    /// Its name.
    pub name: String,
    /// The digest of what it was given, which no masking changes.
    pub digest: Digest,
    /// What it was given, and where it stands.
    pub request: Value,
}

/// The first or the last line of a journal whose run has ended.
#[derive(Deserialize)]
struct End<G, R> {
    v: u32,
    seq: u64,
    #[serde(default)]
    key: Option<String>,
    request: Option<G>,
    outcome: Option<EndOutcome<R>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum EndOutcome<R> {
    Call(R),
}

/// A call in a journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Past {
    /// Its number.
    pub seq: u64,
    /// Its beginning, in microseconds since 1970-01-01 UTC.
    pub at_us: u64,
    /// True if it asked a model; the name is then the model's URI.
    pub is_model: bool,
    /// The call.
    pub call: Call,
    /// True if it was written before it was made: it changes something, or costs.
    pub meant: bool,
    /// True if a secret was masked in it.
    pub masked: bool,
    outcome: Option<Outcome>,
}

impl Past {
    /// Reports whether nothing is known of its outcome.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.outcome.is_none()
    }

    /// Reports whether a model failed to answer.
    #[must_use]
    pub const fn is_failed_answer(&self) -> bool {
        matches!(self.outcome, Some(Outcome::Error(_)))
    }

    /// Returns what a call other than that of a model gave.
    #[must_use]
    pub const fn value(&self) -> Option<&Value> {
        match &self.outcome {
            Some(Outcome::Call(value)) => Some(value),
            _ => None,
        }
    }

    /// Returns the answer of a model; `None` when nothing is known of it.
    pub(super) fn into_reply(self) -> Option<Result<Reply, LlmError>> {
        self.outcome.map(Outcome::into_result)
    }
}

impl Journal {
    /// Begins a journal, which only its owner can read.
    ///
    /// # Errors
    /// [`LlmError::Recording`] when it can't be written, or is there.
    pub fn create(place: Arc<dyn JournalPlace>, masker: Arc<Masker>) -> Result<Self, LlmError> {
        let lines = place.create().map_err(|error| fault(&*place, error))?;
        Ok(Self::over(place, lines, masker, Vec::new()))
    }

    /// Begins a journal that stays in memory until [`Self::keep`].
    #[must_use]
    pub fn held(place: Arc<dyn JournalPlace>, masker: Arc<Masker>) -> Self {
        let recording = Recording::to_writer(&place.name(), io::sink());
        let recording = recording.masked_by(masker);
        // Its first line is that of the run, when it is written.
        recording.begin();
        let state = State { held: Some(Vec::new()), ..State::default() };
        Self(Arc::new(Shared { place, recording, state: Mutex::new(state) }))
    }

    /// Puts a journal that was held in memory into its place, behind the line of its run; it is on disk
    /// when this returns.
    ///
    /// # Errors
    /// [`LlmError::Recording`] when it can't be written, or is there.
    pub fn keep(&self, head: &Call) -> Result<(), LlmError> {
        let mut state = self.state();
        let Some(lines) = &state.held else { return Ok(()) };
        let place = self.place();
        self.0.recording.goes_to(place.create().map_err(|error| fault(place, error))?);
        self.0.recording.write(&line(1, head, None))?;
        for line in lines {
            self.0.recording.write(line)?;
        }
        self.0.recording.sync()?;
        state.held = None;
        Ok(())
    }

    /// Reports whether it is in its place.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.state().held.is_none()
    }

    /// Counts a call that is under way from now on.
    pub fn under_way(&self) -> UnderWay {
        self.state().busy += 1;
        UnderWay(self.clone())
    }

    /// Returns the number of calls under way.
    #[must_use]
    pub fn busy(&self) -> usize {
        self.state().busy
    }

    /// Goes on with a journal that no process has open, and returns what it holds.
    ///
    /// # Errors
    /// [`LlmError::Recording`] when it can't be read or written, or is open elsewhere.
    pub fn open(
        place: Arc<dyn JournalPlace>,
        masker: Arc<Masker>,
    ) -> Result<(Self, Vec<Past>), LlmError> {
        let (bytes, lines) = place.open().map_err(|error| fault(&*place, error))?;
        let past = fold(parse(&place.name(), &bytes)?);
        Ok((Self::over(place, lines, masker, past.clone()), past))
    }

    /// Reads a journal, which may be open elsewhere.
    ///
    /// # Errors
    /// [`LlmError::Recording`] when it can't be read.
    pub fn read(place: &dyn JournalPlace) -> Result<Vec<Past>, LlmError> {
        let bytes = place.read().map_err(|error| fault(place, error))?;
        parse(&place.name(), whole(&bytes)).map(fold)
    }

    /// Reads what the run of a journal was given and what it gave, if the journal begins and ends with
    /// that. The calls between are not looked at.
    #[must_use]
    pub fn read_run<G: DeserializeOwned, R: DeserializeOwned>(
        place: &dyn JournalPlace,
    ) -> Option<(G, R)> {
        let bytes = place.read().ok()?;
        let text = whole(&bytes).trim_ascii_end();
        let mut lines = text.splitn(2, |byte| *byte == b'\n');
        let begin: End<G, IgnoredAny> = serde_json::from_slice(lines.next()?).ok()?;
        let end = lines.next()?.rsplit(|byte| *byte == b'\n').next()?;
        let end: End<IgnoredAny, R> = serde_json::from_slice(end).ok()?;
        let is_same = [begin.v, end.v] == [RECORDING_VERSION; 2]
            && begin.seq == end.seq
            && begin.key.is_some()
            && begin.key == end.key;
        let EndOutcome::Call(gave) = end.outcome?;
        Some((begin.request?, gave)).filter(|_| is_same)
    }

    fn over(
        place: Arc<dyn JournalPlace>,
        lines: Box<dyn JournalLines>,
        masker: Arc<Masker>,
        past: Vec<Past>,
    ) -> Self {
        let recording = Recording::to_writer(&place.name(), io::sink()).masked_by(masker);
        recording.goes_to(lines);
        recording.lock().next = past.last().map_or(1, |last| last.seq + 1);
        let mut state = State::default();
        for past in past {
            state.past.entry(past.call.key.clone()).or_default().push_back(past);
        }
        Self(Arc::new(Shared { place, recording, state: Mutex::new(state) }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns its place.
    #[must_use]
    pub fn place(&self) -> &dyn JournalPlace {
        &*self.0.place
    }

    /// Takes the next call that was made under a key.
    #[must_use]
    pub fn take(&self, key: &str) -> Option<Past> {
        self.state().past.get_mut(key)?.pop_front()
    }

    /// Forgets the latest call under a key, if `is_meant` says so.
    pub fn forget(&self, key: &str, is_meant: impl Fn(&Past) -> bool) {
        let mut state = self.state();
        if let Some(past) = state.past.get_mut(key) {
            past.pop_back_if(|past| is_meant(past));
        }
    }

    /// Writes that a call is about to be made; that is on disk when this returns.
    ///
    /// # Errors
    /// [`LlmError::Recording`]: the call is not to be made then.
    pub fn intend(&self, call: &Call) -> Result<(), LlmError> {
        let seq = self.0.recording.begin();
        self.write(line(seq, call, None), true)?;
        self.state().meant.insert(call.key.clone(), seq);
        Ok(())
    }

    /// Writes what a call gave. One whose intent was written is on disk when this returns.
    ///
    /// # Errors
    /// [`LlmError::Recording`].
    pub fn end(&self, call: &Call, outcome: Value) -> Result<(), LlmError> {
        let meant = self.state().meant.remove(&call.key);
        match meant {
            Some(seq) => {
                let brief = Call { request: Value::Null, ..call.clone() };
                self.write(line(seq, &brief, Some(Outcome::Call(outcome))), true)
            }
            None => {
                let seq = self.0.recording.begin();
                self.write(line(seq, call, Some(Outcome::Call(outcome))), false)
            }
        }
    }

    /// Writes what a person says of a call whose outcome is not known: what it gave, or that it is to
    /// be made again.
    ///
    /// # Errors
    /// [`LlmError::Recording`].
    pub fn settle(&self, past: &Past, outcome: Option<Value>) -> Result<(), LlmError> {
        let outcome = outcome.map_or(Outcome::Again, Outcome::Call);
        let brief = Call { request: Value::Null, ..past.call.clone() };
        self.write(line(past.seq, &brief, Some(outcome)), true)
    }

    /// Writes that a model is about to be asked; returns the number of the call.
    pub(super) fn ask(&self, key: &str, model: &str, digest: &Digest) -> Result<u64, LlmError> {
        let seq = self.0.recording.begin();
        self.write(of_model(seq, (key, model), digest, (Value::Null, None)), true)?;
        Ok(seq)
    }

    /// Writes what a model answered.
    pub(super) fn answered(
        &self,
        seq: u64,
        about: (&str, &str),
        (call, digest): (&ChatCall, &Digest),
        outcome: &Result<Reply, LlmError>,
    ) -> Result<(), LlmError> {
        let outcome = match outcome {
            Ok(reply) => Outcome::reply(reply),
            Err(error) => Outcome::Error(StoredError::from(error)),
        };
        // A prompt is not copied for a file that there may never be.
        let request = if self.is_kept() { call.canonical() } else { Value::Null };
        self.write(of_model(seq, about, digest, (request, Some(outcome))), true)
    }

    /// Writes a line, which is on disk when this returns if that is needed.
    fn write(&self, line: Line, is_needed: bool) -> Result<(), LlmError> {
        if let Some(held) = &mut self.state().held {
            held.push(line);
            return Ok(());
        }
        self.0.recording.write(&line)?;
        if is_needed { self.0.recording.sync() } else { Ok(()) }
    }
}

fn fault(place: &dyn JournalPlace, error: JournalError) -> LlmError {
    LlmError::Recording { file: place.name(), line: None, message: error.0 }
}

fn line(seq: u64, call: &Call, outcome: Option<Outcome>) -> Line {
    let Call { key, name, digest, request } = call.clone();
    Line {
        v: RECORDING_VERSION,
        seq,
        at_us: now_us(),
        key: Some(key),
        model: String::new(),
        call: Some(name),
        digest,
        request,
        outcome,
        masked: false,
    }
}

fn of_model(
    seq: u64,
    (key, model): (&str, &str),
    digest: &Digest,
    (request, outcome): (Value, Option<Outcome>),
) -> Line {
    Line {
        v: RECORDING_VERSION,
        seq,
        at_us: now_us(),
        key: Some(key.to_owned()),
        model: model.to_owned(),
        call: None,
        digest: digest.clone(),
        request,
        outcome,
        masked: false,
    }
}

/// Puts the lines of each call together, in the order of their beginning.
fn fold(lines: Vec<Line>) -> Vec<Past> {
    let mut calls: BTreeMap<u64, Past> = BTreeMap::new();
    for line in lines {
        let Some(key) = line.key else { continue };
        if line.outcome == Some(Outcome::Again) {
            calls.remove(&line.seq);
            continue;
        }
        let is_model = line.call.is_none();
        let name = line.call.unwrap_or(line.model);
        let past = calls.entry(line.seq).or_insert_with(|| Past {
            seq: line.seq,
            at_us: line.at_us,
            is_model,
            call: Call { key, name, digest: line.digest, request: Value::Null },
            meant: false,
            masked: false,
            outcome: None,
        });
        if !line.request.is_null() {
            past.call.request = line.request;
        }
        past.meant |= line.outcome.is_none();
        past.masked |= line.masked;
        past.outcome = line.outcome.or(past.outcome.take());
    }
    calls.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::super::JournalFile;
    use super::*;
    use serde_json::json;
    use std::path::Path;

    fn at(path: &Path) -> Arc<dyn JournalPlace> {
        Arc::new(JournalFile::new(path.to_owned()))
    }

    fn call(key: &str) -> Call {
        let request = json!({ "path": "a.txt" });
        Call {
            key: key.to_owned(),
            name: "file.write".to_owned(),
            digest: Digest::of_text(&request.to_string()),
            request,
        }
    }

    #[test]
    fn wa_3_journal_cut_off_anywhere_holds_what_was_written_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let journal = Journal::create(at(&path), Arc::default()).unwrap();
        journal.end(&call("1"), json!("read")).unwrap();
        journal.intend(&call("2")).unwrap();
        journal.end(&call("2"), json!("written")).unwrap();
        journal.intend(&call("3")).unwrap();
        assert!(at(&path).is_open());
        assert!(Journal::open(at(&path), Arc::default()).is_err(), "it is held");
        drop(journal);
        let bytes = std::fs::read(&path).unwrap();
        for cut in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let (journal, past) = Journal::open(at(&path), Arc::default()).unwrap();
            let lines = bytes[..cut].iter().filter(|byte| **byte == b'\n').count();
            let told: Vec<_> = past.iter().map(|past| (&*past.call.key, past.is_open())).collect();
            let all = [("1", false), ("2", lines == 2), ("3", true)];
            assert_eq!(told, all[..lines.saturating_sub(usize::from(lines > 2))], "{cut}");
            journal.end(&call("9"), json!(1)).unwrap();
            drop(journal);
            assert_eq!(Journal::read(&*at(&path)).unwrap().len(), past.len() + 1, "{cut}");
        }
    }

    #[test]
    fn wa_3_call_that_is_to_be_made_again_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let journal = Journal::create(at(&path), Arc::default()).unwrap();
        journal.intend(&call("1")).unwrap();
        journal.intend(&call("2")).unwrap();
        drop(journal);
        let (journal, past) = Journal::open(at(&path), Arc::default()).unwrap();
        journal.settle(&past[0], None).unwrap();
        journal.settle(&past[1], Some(json!("it is there"))).unwrap();
        drop(journal);
        let (journal, past) = Journal::open(at(&path), Arc::default()).unwrap();
        assert_eq!(past.len(), 1);
        assert_eq!(journal.take("2").unwrap().value(), Some(&json!("it is there")));
        assert_eq!((journal.take("1"), journal.take("2")), (None, None));
    }

    #[cfg(unix)]
    #[test]
    fn wa_3_secrets_are_masked_in_a_file_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let masker = Arc::new(Masker::new(["hunter2hunter2".to_owned()]));
        let journal = Journal::create(at(&path), masker).unwrap();
        journal.end(&call("1"), json!("the key is hunter2hunter2")).unwrap();
        journal.end(&call("2"), json!("no key")).unwrap();
        let past = Journal::read(&*at(&path)).unwrap();
        assert_eq!(past[0].value(), Some(&json!("the key is •••")));
        assert_eq!((past[0].masked, past[1].masked), (true, false));
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}
