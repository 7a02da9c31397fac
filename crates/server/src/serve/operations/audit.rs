//! The audit log: who did what, when, and how it ended (CP-19).
//!
//! Decision: one JSON object per line, in `audit.jsonl` of the data folder, which only its owner can
//! read. It contains ids, owners, addresses, codes and policies, but neither texts nor
//! secrets. A large file becomes `audit.1.jsonl`, and older ones are renumbered.

use super::lines::{Lines, Sink};
use crate::fault::Fault;
use crate::serve::caller::Caller;
use crate::serve::{codes, folder};
use contexture::config::ServeLimits;
use contexture::store::home;
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
    /// A context was deleted.
    ContextDeleted,
    /// Contexts were exported.
    ContextsExported,
    /// Contexts were imported.
    ContextsImported,
    /// A server found that contexts are not as they were acknowledged.
    ContextsDamaged,
    /// What is missing from contexts was taken for lost.
    LossAccepted,
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
}

impl Audit {
    /// Opens the log in a data folder.
    ///
    /// # Errors
    /// A [`Fault`] when it can't be written.
    pub(crate) fn open(data: &Path, limits: &ServeLimits, ids: Arc<Ids>) -> Result<Self, Fault> {
        let failed = |error: io::Error| unwritable(data, &error);
        let file = AuditFile::open(data, limits).map_err(failed)?;
        let lines = Lines::to(file, "audit").map_err(failed)?;
        Ok(Self { lines, ids })
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
    let write = || {
        folder::create(data)?;
        appending(&data.join(AUDIT_FILE))?.write_all(line.as_bytes())
    };
    write().map_err(|error: io::Error| unwritable(data, &error))
}

fn unwritable(data: &Path, error: &io::Error) -> Fault {
    let path = data.join(AUDIT_FILE);
    Fault::of(codes::BAD_DATA, format!("{} can't be written: {error}", path.display()))
}

/// The rotating file; each line is written with one call, so that processes do not mix theirs.
struct AuditFile {
    folder: PathBuf,
    file: Option<File>,
    size: u64,
    most: u64,
    kept: usize,
}

impl AuditFile {
    fn open(data: &Path, limits: &ServeLimits) -> io::Result<Self> {
        folder::create(data)?;
        let file = appending(&data.join(AUDIT_FILE))?;
        Ok(Self {
            folder: data.to_owned(),
            size: file.metadata()?.len(),
            file: Some(file),
            most: limits.audit_bytes.get(),
            kept: limits.audit_files,
        })
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
        self.file = appending(&self.path(0)).ok();
        self.size = 0;
    }
}

impl Sink for AuditFile {
    fn write(&mut self, lines: &str) {
        if self.size > 0 && self.size.saturating_add(lines.len() as u64) > self.most {
            self.rotate();
        }
        if self.file.is_none() {
            self.file = appending(&self.path(0)).ok();
        }
        // A full disk does not stop the server; the next line is tried again.
        let written = self.file.as_mut().map(|file| file.write_all(lines.as_bytes()));
        match written {
            Some(Ok(())) => self.size = self.size.saturating_add(lines.len() as u64),
            _ => self.file = None,
        }
    }

    fn lost(&self, count: u64) -> String {
        let time = iso_time(contexture::store::stamp::system().now_us());
        format!("{{\"time\":\"{time}\",\"event\":\"records_lost\",\"count\":{count}}}\n")
    }
}

fn appending(path: &Path) -> io::Result<File> {
    home::private_file().append(true).create(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU64;

    fn records(path: &Path) -> Vec<Value> {
        let text = fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn cp_19_audit_log_rotates_by_size() {
        let folder = tempfile::tempdir().unwrap();
        let mut limits = ServeLimits::default();
        limits.audit_bytes = NonZeroU64::new(1_000).unwrap();
        limits.audit_files = 2;
        let mut file = AuditFile::open(folder.path(), &limits).unwrap();
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
