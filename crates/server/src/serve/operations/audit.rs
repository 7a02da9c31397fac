//! The audit log: who did what, when, and how it ended (CP-19).
//!
//! Decision: one JSON object per line, in `audit.jsonl` of the data folder, which only its owner can
//! read. It contains ids, owners, addresses, codes and policies, but neither texts nor
//! secrets. A large file becomes `audit.1.jsonl`, and older ones are renumbered. The lines are chained by
//! digests (GU-12), so whoever writes one holds the lock of the log.

use super::chain::{BrokenLine, Chain, Walk};
use super::lines::{Lines, Sink};
use crate::fault::Fault;
use crate::serve::caller::Caller;
use crate::serve::{codes, folder};
use contexture::config::ServeLimits;
use contexture::store::home;
use contexture::store::marks::{Book, Mark, Marks};
use contexture::store::stamp::{Ids, iso_time};
use contexture_protocol::Refusal;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file of the audit log in the data folder.
pub const AUDIT_FILE: &str = "audit.jsonl";
/// Who writes a line holds its lock.
const LOCK_FILE: &str = "audit.lock";
/// The place of the mark of its last line.
const PLACE: i64 = 1;
/// More than the digests of a line, in bytes.
const DIGESTS: u64 = 192;
/// Texts of a record are cut at this length, in characters: ids may come from a client.
const TEXT: usize = 256;

/// The events of the audit log; their names there are in snake case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AuditEvent {
    /// A server started.
    ServerStarted,
    /// A server ended.
    ServerStopped,
    /// A request had no valid token.
    LoginFailed,
    /// A page of another origin was let in by the code of the start.
    PagePaired,
    /// A request or message was refused.
    Refused,
    /// A limit was exceeded.
    Limit,
    /// A turn started.
    TurnBegun,
    /// Tool calls or instructions started.
    SetBegun,
    /// The user was asked to allow a sensitive action, or had allowed it before.
    PermissionAsked,
    /// A call or a question that waited was answered, or cancelled, by another way than its client.
    WaitAnswered,
    /// A run of a set was asked to end, pause or continue by another way than its client.
    FlowSteered,
    /// The run of a program was cancelled by another way than its client.
    RunCancelled,
    /// The turn of a run whose outcome was not known was taken up for a person.
    RunResumed,
    /// A person said what came of an effect whose outcome was not known.
    EffectSettled,
    /// A context was deleted.
    ContextDeleted,
    /// Contexts were exported.
    ContextsExported,
    /// Contexts were imported.
    ContextsImported,
    /// A server found that contexts are not as they were acknowledged.
    ContextsDamaged,
    /// Lines at the end of this log that were acknowledged are missing.
    LinesLost,
    /// What is missing from contexts was taken for lost.
    LossAccepted,
    /// All that a data folder holds was copied.
    BackupMade,
    /// A backup was put into the place of the data folder.
    BackupRestored,
    /// A token was created.
    TokenAdded,
    /// A token was revoked.
    TokenRevoked,
    /// The tokens can't be read.
    TokensUnreadable,
}

/// A line of the audit log.
#[derive(Debug, Clone)]
pub struct AuditRecord {
    event: AuditEvent,
    fields: Map<String, Value>,
}

impl AuditRecord {
    /// Creates a record of an event.
    #[must_use]
    pub fn new(event: AuditEvent) -> Self {
        Self { event, fields: Map::new() }
    }

    /// Adds a field: an id, a name or a code, but neither text nor secrets.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        let value = match value.into() {
            Value::String(text) if text.len() > TEXT => {
                text.chars().take(TEXT).collect::<String>().into()
            }
            value => value,
        };
        self.fields.insert(name.to_owned(), value);
        self
    }

    /// Adds a field that may be absent.
    pub(crate) fn maybe<T: Into<Value>>(self, name: &str, value: Option<T>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    pub(crate) fn by(self, caller: &Caller) -> Self {
        let session = caller.session.as_ref().map(|session| session.id());
        self.with("owner", &**caller.owner())
            .maybe("token", caller.grant.token.as_deref())
            .from(caller.address)
            .maybe("session", session)
    }

    pub(crate) fn from(self, address: Option<IpAddr>) -> Self {
        self.maybe("address", address.map(|address| address.to_canonical().to_string()))
    }

    pub(crate) fn because(self, refusal: &Refusal) -> Self {
        self.maybe("messageId", refusal.message_id.as_deref())
            .maybe("contextId", refusal.context_id.as_deref())
            .with("outcome", refusal.code.as_str())
            .with("violatedPolicies", refusal.violated_policies.clone())
    }

    fn line(&self, time: &str) -> String {
        let mut whole = Map::new();
        whole.insert("time".to_owned(), time.into());
        whole.insert("event".to_owned(), json!(self.event));
        let mut fields = self.fields.clone();
        let outcome = fields.shift_remove("outcome").unwrap_or_else(|| "OK".into());
        whole.insert("outcome".to_owned(), outcome);
        whole.extend(fields);
        format!("{}\n", Value::Object(whole))
    }
}

pub(crate) struct Audit {
    lines: Lines,
    ids: Arc<Ids>,
    /// Lines at its end were missing when it was opened.
    pub(crate) was_cut: bool,
    /// Lines that were changed after they were written, when it was opened: the first of each file.
    pub(crate) broken: Vec<BrokenLine>,
}

impl Audit {
    /// Opens the log in a data folder.
    ///
    /// # Errors
    /// A [`Fault`] when it can't be written.
    pub(crate) fn open(data: &Path, limits: &ServeLimits, ids: Arc<Ids>) -> Result<Self, Fault> {
        let failed = |error: io::Error| unwritable(data, &error);
        let file = AuditFile::open(data, limits.audit_bytes.get(), limits.audit_files);
        let mut file = file.map_err(failed)?;
        let was_cut = file.caught_up().map_err(failed)?;
        let broken = {
            let _held = hold(data).map_err(failed)?;
            walked(data).map_err(failed)?.broken
        };
        let lines = Lines::to(file, "audit").map_err(failed)?;
        Ok(Self { lines, ids, was_cut, broken })
    }

    /// Queues a line.
    pub(crate) fn note(&self, record: &AuditRecord) {
        self.lines.write(record.line(&iso_time(self.ids.now_us())));
    }
}

/// Writes one line at once, for commands outside a server.
///
/// # Errors
/// A [`Fault`] when the log can't be written.
pub fn note_once(data: &Path, record: &AuditRecord) -> Result<(), Fault> {
    let line = record.line(&iso_time(contexture::store::stamp::system().now_us()));
    let written = AuditFile::open(data, u64::MAX, 0).and_then(|mut file| file.held(&line));
    written.map_err(|error: io::Error| unwritable(data, &error))
}

fn lock_file(data: &Path) -> io::Result<File> {
    home::private_file().write(true).create(true).truncate(false).open(data.join(LOCK_FILE))
}

/// Keeps others from writing lines, as long as the file is held.
///
/// # Errors
/// What the system reports.
pub(crate) fn hold(data: &Path) -> io::Result<File> {
    let lock = lock_file(data)?;
    lock.lock()?;
    Ok(lock)
}

/// Returns the files of the audit log in a data folder, the oldest first.
///
/// # Errors
/// What the system reports.
pub(crate) fn files(data: &Path) -> io::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(data)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let number = match name.strip_prefix("audit.").and_then(|rest| rest.strip_suffix("jsonl")) {
            Some("") => Some(0),
            Some(number) => number.strip_suffix('.').and_then(|number| number.parse::<u64>().ok()),
            None => None,
        };
        all.extend(number.map(|number| (number, path.clone())));
    }
    all.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    Ok(all.into_iter().map(|(_, path)| path).collect())
}

/// Returns the place of what was acknowledged of the log last.
pub(crate) fn marks(data: &Path) -> PathBuf {
    contexture::store::marks::beside(&data.join(AUDIT_FILE))
}

/// Walks along the chain of the audit log in a data folder; returns the number of lines, and the first
/// line of each file that breaks it.
///
/// # Errors
/// What the system reports.
pub(crate) fn verify(data: &Path) -> io::Result<(u64, Vec<BrokenLine>)> {
    // A line that is being written is not taken for one that was broken off.
    let _held = data.join(LOCK_FILE).is_file().then(|| hold(data));
    let walk = walked(data)?;
    let mut broken = walk.broken;
    if walk.wanted.is_some() {
        let (file, line) = (AUDIT_FILE.to_owned(), walk.lines);
        broken.push(BrokenLine { file, line, reason: "acknowledged lines behind it are missing" });
    }
    Ok((walk.lines, broken))
}

/// Walks along all lines, on the look-out for the one that was acknowledged last.
fn walked(data: &Path) -> io::Result<Walk> {
    let mut walk = Walk::wanting(acknowledged(data)?);
    for path in files(data)? {
        walk.file(&path)?;
    }
    Ok(walk)
}

/// Returns the digest of the line that was acknowledged last.
fn acknowledged(data: &Path) -> io::Result<Option<String>> {
    let book = Book::read(&data.join(AUDIT_FILE))?;
    Ok(book.and_then(|book| match book.marks.get(&PLACE) {
        Some(Mark::Kept { chain, .. }) => Some(chain.iter().map(|b| format!("{b:02x}")).collect()),
        _ => None,
    }))
}

/// Returns the mark of a line by its digest.
fn mark(digest: &str) -> Option<Mark> {
    let mut chain = [0; 32];
    for (byte, at) in chain.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(digest.get(at..at + 2)?, 16).ok()?;
    }
    let (owner, context) = (String::new(), AUDIT_FILE.to_owned());
    Some(Mark::Kept { owner, context, version: 0, chain })
}

fn unwritable(data: &Path, error: &io::Error) -> Fault {
    let path = data.join(AUDIT_FILE);
    Fault::of(codes::BAD_DATA, format!("{} can't be written: {error}", path.display()))
}

/// The rotating file; each line is written with one call, so that processes do not mix theirs.
struct AuditFile {
    folder: PathBuf,
    lock: File,
    file: Option<File>,
    /// The size after the last line of ours.
    size: Option<u64>,
    chain: Chain,
    /// The mark of the last line: a log that was cut off ends like any other.
    marks: Option<Marks>,
    most: u64,
    kept: usize,
}

impl AuditFile {
    fn open(data: &Path, most: u64, kept: usize) -> io::Result<Self> {
        folder::create(data)?;
        let lock = lock_file(data)?;
        let file = Some(appending(&data.join(AUDIT_FILE))?);
        let (folder, chain) = (data.to_owned(), Chain::default());
        Ok(Self { folder, lock, file, size: None, chain, marks: None, most, kept })
    }

    /// Writes lines while no other process does.
    fn held(&mut self, lines: &str) -> io::Result<()> {
        self.lock.lock()?;
        let written = self.append(lines);
        if written.is_err() {
            (self.file, self.size) = (None, None);
        }
        written.and(self.lock.unlock())
    }

    fn append(&mut self, lines: &str) -> io::Result<()> {
        let mut length = self.open_file()?.metadata()?.len();
        let sealed = lines.lines().count() as u64 * DIGESTS + lines.len() as u64;
        if length > 0 && length.saturating_add(sealed) > self.most {
            self.catch_up(length)?;
            self.rotate();
            length = self.open_file()?.metadata()?.len();
        }
        let is_current = self.size == Some(length);
        let is_torn = self.catch_up(length)?;
        let lost = if is_current { None } else { self.lost()? };
        let start = if is_torn { "\n" } else { "" };
        let told = lost.map(|digest| {
            let record = AuditRecord::new(AuditEvent::LinesLost).with("acknowledged", digest);
            record.line(&iso_time(contexture::store::stamp::system().now_us()))
        });
        let all = told.iter().map(String::as_str).chain(lines.lines());
        let sealed: String = all.map(|line| self.chain.sealed(line)).collect();
        let text = format!("{start}{sealed}");
        self.open_file()?.write_all(text.as_bytes())?;
        self.size = Some(length.saturating_add(text.len() as u64));
        self.acknowledge()
    }

    /// Reads the end of the log while no other process writes; returns whether lines are missing.
    fn caught_up(&mut self) -> io::Result<bool> {
        self.lock.lock()?;
        let length = self.open_file()?.metadata()?.len();
        let lost = self.catch_up(length).and_then(|_| self.lost());
        self.lock.unlock()?;
        Ok(lost?.is_some())
    }

    /// Returns the digest of the line that was acknowledged last, if it is missing.
    fn lost(&self) -> io::Result<Option<String>> {
        match acknowledged(&self.folder)? {
            Some(digest) if digest != self.chain.last => Ok(walked(&self.folder)?.wanted),
            _ => Ok(None),
        }
    }

    /// Marks the last line.
    fn acknowledge(&mut self) -> io::Result<()> {
        let Some(mark) = mark(&self.chain.last) else { return Ok(()) };
        let marked = self.folder.join(AUDIT_FILE);
        let marks = match self.marks.take() {
            Some(marks) => marks,
            None => {
                if Book::read(&marked)?.is_none_or(|book| book.identity.is_none()) {
                    Marks::make(&marked, &[0; 16], std::iter::empty())?;
                }
                Marks::open(&marked)?
            }
        };
        let marks = self.marks.insert(marks);
        marks.note(PLACE, mark);
        marks.committed()
    }

    fn open_file(&mut self) -> io::Result<&mut File> {
        match &mut self.file {
            Some(file) => Ok(file),
            none => Ok(none.insert(appending(&self.folder.join(AUDIT_FILE))?)),
        }
    }

    /// Reads the end of the chain, if another process wrote lines; returns whether the last line was
    /// broken off.
    fn catch_up(&mut self, length: u64) -> io::Result<bool> {
        if self.size == Some(length) {
            return Ok(false);
        }
        let (mut chain, is_torn) = Chain::of(self.open_file()?)?;
        if length == 0
            && let Ok(mut before) = File::open(self.path(1))
        {
            (chain, _) = Chain::of(&mut before)?;
            chain.turn();
        }
        self.chain = chain;
        Ok(is_torn)
    }

    fn path(&self, number: usize) -> PathBuf {
        match number {
            0 => self.folder.join(AUDIT_FILE),
            _ => self.folder.join(format!("audit.{number}.jsonl")),
        }
    }

    /// Starts a new file and renumbers the older ones.
    fn rotate(&mut self) {
        self.file = None;
        if self.kept == 0 {
            drop(fs::remove_file(self.path(0)));
        }
        for number in (0..self.kept).rev() {
            drop(fs::rename(self.path(number), self.path(number.saturating_add(1))));
        }
        self.size = Some(0);
        self.chain.turn();
    }
}

impl Sink for AuditFile {
    fn write(&mut self, lines: &str) {
        // A full disk does not stop the server; the next line is tried again.
        drop(self.held(lines));
    }

    fn lost(&self, count: u64) -> String {
        let time = iso_time(contexture::store::stamp::system().now_us());
        format!("{{\"time\":\"{time}\",\"event\":\"records_lost\",\"count\":{count}}}\n")
    }
}

fn appending(path: &Path) -> io::Result<File> {
    home::private_file().read(true).append(true).create(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(path: &Path) -> Vec<Value> {
        let text = fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn cp_19_audit_log_rotates_by_size() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = AuditFile::open(folder.path(), 1_000, 2).unwrap();
        for number in 0..100 {
            let record =
                AuditRecord::new(AuditEvent::ContextDeleted).with("contextId", number.to_string());
            file.write(&record.line("2026-01-01T00:00:00.000Z"));
        }
        drop(file);
        let mut kept = Vec::new();
        for name in ["audit.2.jsonl", "audit.1.jsonl", "audit.jsonl"] {
            let path = folder.path().join(name);
            assert!(path.metadata().unwrap().len() <= 1_000);
            kept.extend(records(&path));
        }
        assert!(!folder.path().join("audit.3.jsonl").exists());
        let last = kept.last().unwrap();
        assert_eq!(last["contextId"], "99");
        assert_eq!((&last["event"], &last["outcome"]), (&"context_deleted".into(), &"OK".into()));
        let numbers: Vec<u64> =
            kept.iter().map(|one| one["contextId"].as_str().unwrap().parse().unwrap()).collect();
        assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1), "{numbers:?}");
        assert_eq!(verify(folder.path()).unwrap(), (kept.len() as u64, Vec::new()));
    }

    #[test]
    fn gu_12_lines_of_several_processes_and_torn_ones_stay_one_chain() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(AUDIT_FILE);
        fs::write(&path, "{\"event\":\"from before the chain\"}\n").unwrap();
        let mut server = AuditFile::open(folder.path(), u64::MAX, 0).unwrap();
        let note = || note_once(folder.path(), &AuditRecord::new(AuditEvent::TokenAdded)).unwrap();
        for _ in 0..3 {
            server.write("{\"event\":\"a\"}\n{\"event\":{\"b\":{}}}\n");
            note();
            note();
        }
        assert_eq!(verify(folder.path()).unwrap(), (13, Vec::new()));
        appending(&path).unwrap().write_all(b"{\"event\":").unwrap();
        server.write("{\"event\":\"a\"}\n");
        note();
        let (lines, broken) = verify(folder.path()).unwrap();
        assert_eq!((lines, broken.len(), broken[0].line), (16, 1, 14));
        assert_eq!(broken[0].reason, "it can't be read");
    }

    #[test]
    fn gu_12_cut_off_end_of_log_is_noticed_and_noted_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(AUDIT_FILE);
        let open = || AuditFile::open(folder.path(), 4_000, 3).unwrap();
        let mut server = open();
        for _ in 0..30 {
            server.write("{\"event\":\"a\"}\n");
        }
        drop(server);
        assert!(!open().caught_up().unwrap());
        assert_eq!(verify(folder.path()).unwrap().1, []);
        let whole = fs::read_to_string(&path).unwrap();
        let cut: String = whole.lines().take(3).map(|line| format!("{line}\n")).collect();
        for text in [cut.as_str(), ""] {
            fs::write(&path, text).unwrap();
            assert!(open().caught_up().unwrap(), "a start tells it");
            let broken = verify(folder.path()).unwrap().1;
            assert_eq!(broken.len(), 1, "{broken:?}");
            assert!(broken[0].reason.contains("acknowledged lines"), "{broken:?}");
        }
        // A line more than was acknowledged, as a crash leaves it, is not a loss.
        let marks = fs::read(folder.path().join("audit.jsonl-marks")).unwrap();
        fs::write(&path, &whole).unwrap();
        open().write("{\"event\":\"more\"}\n");
        fs::write(folder.path().join("audit.jsonl-marks"), &marks).unwrap();
        assert!(!open().caught_up().unwrap());
        fs::write(&path, &cut).unwrap();
        open().write("{\"event\":\"b\"}\n");
        let noted = records(&path);
        assert_eq!(noted[3]["event"], "lines_lost");
        assert_eq!(noted[4]["event"], "b");
        assert_eq!(verify(folder.path()).unwrap().1, [], "the log says it itself now");
        assert!(!open().caught_up().unwrap());
    }

    #[test]
    fn gu_12_log_without_marks_is_marked_and_damaged_marks_are_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let note = || note_once(folder.path(), &AuditRecord::new(AuditEvent::TokenAdded)).unwrap();
        let marks = folder.path().join("audit.jsonl-marks");
        note();
        fs::remove_file(&marks).unwrap();
        note();
        assert!(marks.exists());
        for garbage in [vec![0xa7; 700], Vec::new(), vec![0; 256]] {
            fs::write(&marks, garbage).unwrap();
            note();
            assert!(acknowledged(folder.path()).unwrap().is_some());
        }
        assert_eq!(verify(folder.path()).unwrap(), (5, Vec::new()));
    }

    #[test]
    fn cp_19_client_text_is_one_limited_log_line() {
        let record = AuditRecord::new(AuditEvent::Refused)
            .with("messageId", format!("a\nb{}", "x".repeat(9_000)));
        let line = record.line("t");
        assert!(line.len() < 600 && line.matches('\n').count() == 1, "{line}");
    }

    #[cfg(unix)]
    #[test]
    fn cp_19_only_owner_can_read_audit_log() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        note_once(folder.path(), &AuditRecord::new(AuditEvent::TokenAdded).with("token", "tok_1"))
            .unwrap();
        let path = folder.path().join(AUDIT_FILE);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(records(&path)[0]["token"], "tok_1");
    }
}
