//! The consent that a pack needs before its content reaches a model (KN-8).
//!
//! Decision: what comes with a project or an organization is untrusted until somebody approves the
//! very content, by digest. Approvals are kept in the user's home, so that a project cannot approve
//! itself; a record that can't be read approves nothing and is reported.

use crate::item::{Scope, Status};
use crate::pack::{Pack, PackError};
use contexture_context::Digest;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The reason why somebody must consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Consent {
    /// The pack comes with a project or an organization and was not approved in this state.
    Workspace,
    /// The pack is a draft.
    Draft,
    /// The pack is disputed.
    Disputed,
}

/// The consent so far: earlier approvals and the allowances of this command.
#[derive(Debug, Clone)]
pub struct Gate {
    approvals: Option<PathBuf>,
    record: Result<Record, PackError>,
    allowed: Vec<Allowance>,
}

impl Gate {
    /// Returns a gate with the record of approvals (`~/.contexture/approvals.json`; none: nothing
    /// was approved and nothing is remembered) and the packs that the command allows.
    ///
    /// A record that can't be read is not an error before a pack needs it.
    #[must_use]
    pub fn new(approvals: Option<PathBuf>, allowed: Vec<Allowance>) -> Self {
        let record = approvals.as_deref().map_or_else(|| Ok(Record::default()), Record::read);
        Self { approvals, record, allowed }
    }

    /// Returns the consent that is needed before the pack is used; none when it may be used.
    ///
    /// # Errors
    /// [`PackError`] when the pack can't be digested, or the record of approvals can't be read.
    pub fn needs(&self, pack: &Pack) -> Result<Vec<Consent>, PackError> {
        let mut needs = Vec::new();
        let is_foreign = matches!(pack.scope(), Scope::Project | Scope::Organization);
        match pack.item().status {
            Status::Draft => needs.push(Consent::Draft),
            Status::Disputed => needs.push(Consent::Disputed),
            _ => {}
        }
        if !is_foreign && needs.is_empty() {
            return Ok(needs);
        }
        let digest = pack.digest()?;
        let name = &pack.item().name;
        if self.allowed.iter().any(|allowance| allowance.covers(name, &digest)) {
            return Ok(Vec::new());
        }
        if is_foreign && !self.record.as_ref().map_err(Clone::clone)?.has(name, &digest) {
            needs.insert(0, Consent::Workspace);
        }
        Ok(needs)
    }

    /// Takes note of a yes: the pack, in this state, needs nothing more from this gate, and if it
    /// is of a project or an organization, its content is approved for later times too.
    ///
    /// # Errors
    /// [`PackError`] when the pack can't be digested, or the approval can't be written down.
    pub fn remember(&mut self, pack: &Pack) -> Result<(), PackError> {
        let digest = pack.digest()?;
        let name = &pack.item().name;
        if matches!(pack.scope(), Scope::Project | Scope::Organization)
            && let Some(path) = &self.approvals
        {
            self.record = Ok(Record::with(path, name, &digest)?);
        }
        let allowance = Allowance::exact(name, &digest);
        if !self.allowed.contains(&allowance) {
            self.allowed.push(allowance);
        }
        Ok(())
    }
}

/// The record of approvals itself, for what is not a pack and needs a person's consent as one does: a
/// program that the settings of a project would have started.
#[derive(Debug, Clone)]
pub struct Approvals(PathBuf);

impl Approvals {
    /// Returns the record in that file.
    #[must_use]
    pub const fn at(file: PathBuf) -> Self {
        Self(file)
    }

    /// Reports whether the thing of that name was approved in that state.
    ///
    /// # Errors
    /// [`PackError`] when the record can't be read.
    pub fn has(&self, name: &str, digest: &Digest) -> Result<bool, PackError> {
        Ok(Record::read(&self.0)?.has(name, digest))
    }

    /// Returns the record in a home folder.
    #[must_use]
    pub fn of_home(home: Option<&Path>) -> Option<Self> {
        home.map(|home| Self(home.join(".contexture").join("approvals.json")))
    }

    /// Returns all that is approved, by name.
    ///
    /// # Errors
    /// [`PackError`] when the record can't be read.
    pub fn list(&self) -> Result<Vec<Allowance>, PackError> {
        Ok(Record::read(&self.0)?.approved.iter().map(Approval::allowance).collect())
    }

    /// Revokes what an id names, and returns it: `name@sha256:DIGITS`, the first digits of a digest
    /// (at least 12), or a name for all of its states.
    ///
    /// # Errors
    /// [`PackError`] when the record can't be read or written.
    pub fn revoke(&self, id: &str) -> Result<Vec<Allowance>, PackError> {
        let exact: Option<Allowance> = id.parse().ok();
        let digits = id.strip_prefix("sha256:").unwrap_or(id);
        let is_meant = |known: &Approval| match &exact {
            Some(exact) => exact.covers(&known.name, &known.digest),
            None => {
                let is_digest =
                    digits.len() >= MIN_DIGITS && known.digest.hex().starts_with(digits);
                known.name == id || is_digest
            }
        };
        let mut record = Record::read(&self.0)?;
        let (revoked, left): (Vec<_>, Vec<_>) = record.approved.into_iter().partition(is_meant);
        record.approved = left;
        if !revoked.is_empty() {
            record.write(&self.0)?;
        }
        Ok(revoked.iter().map(Approval::allowance).collect())
    }

    /// Approves it.
    ///
    /// # Errors
    /// [`PackError`] when the record can't be read or written.
    pub fn add(&self, name: &str, digest: &Digest) -> Result<(), PackError> {
        Record::with(&self.0, name, digest).map(drop)
    }
}

/// The fewest hex digits that name a digest.
const MIN_DIGITS: usize = 12;

/// A pack that is allowed, in the state that a digest names.
///
/// ```
/// use contexture_knowledge::approval::Allowance;
///
/// let allowance: Allowance = "acme@sha256:0123456789ab".parse()?;
/// assert_eq!(allowance.to_string(), "acme@sha256:0123456789ab");
/// assert!("acme".parse::<Allowance>().is_err());
/// # Ok::<(), contexture_knowledge::approval::AllowanceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// The pack's name.
    pub name: String,
    /// The first hex digits of its digest, at least 12.
    pub digest: String,
}

/// A text that is not an allowance.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected `name@sha256:DIGITS` with 12 to 64 hex digits, found `{found}`")]
pub struct AllowanceError {
    /// The beginning of what came instead, at most 80 characters.
    pub found: String,
}

impl Allowance {
    /// Returns the allowance that lets the pack pass in its present state, with the whole digest:
    /// who writes the pack could prepare two states that begin alike.
    ///
    /// # Errors
    /// [`PackError`] when the pack can't be digested.
    pub fn of(pack: &Pack) -> Result<Self, PackError> {
        Ok(Self { name: pack.item().name.clone(), digest: pack.digest()?.hex() })
    }

    fn exact(name: &str, digest: &Digest) -> Self {
        Self { name: name.to_owned(), digest: digest.hex() }
    }

    /// Reports whether it means the pack of that name in the state of that digest.
    #[must_use]
    pub fn covers(&self, name: &str, digest: &Digest) -> bool {
        self.name == name
            && self.digest.len() >= MIN_DIGITS
            && digest.hex().starts_with(&self.digest)
    }
}

impl fmt::Display for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@sha256:{}", self.name, self.digest)
    }
}

impl FromStr for Allowance {
    type Err = AllowanceError;

    fn from_str(text: &str) -> Result<Self, AllowanceError> {
        let wrong = || AllowanceError { found: text.chars().take(80).collect() };
        let (name, digest) = text.rsplit_once('@').ok_or_else(wrong)?;
        let digits = digest.strip_prefix("sha256:").unwrap_or(digest);
        let is_digest = (MIN_DIGITS..=64).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if name.is_empty() || !is_digest {
            return Err(wrong());
        }
        Ok(Self { name: name.to_owned(), digest: digits.to_ascii_lowercase() })
    }
}

const MAX_BYTES: u64 = 16 << 20;

/// The form that is written and understood.
const VERSION: u32 = 1;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    version: u32,
    approved: Vec<Approval>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Approval {
    name: String,
    digest: Digest,
}

impl Approval {
    fn allowance(&self) -> Allowance {
        Allowance::exact(&self.name, &self.digest)
    }
}

impl Default for Record {
    fn default() -> Self {
        Self { version: VERSION, approved: Vec::new() }
    }
}

impl Record {
    /// Returns the record in that file; an absent file approves nothing.
    fn read(path: &Path) -> Result<Self, PackError> {
        let wrong = |reason: String| PackError::BadApprovals { path: path.to_owned(), reason };
        let size = match std::fs::metadata(path) {
            Ok(found) if !found.is_file() => return Err(wrong("it is not a regular file".into())),
            Ok(found) => found.len(),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(wrong(error.to_string())),
        };
        if size > MAX_BYTES {
            return Err(wrong(format!("it has {size} bytes, the limit is {MAX_BYTES}")));
        }
        let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
        let record: Self =
            serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
        if record.version != VERSION {
            let version = record.version;
            return Err(wrong(format!("it has version {version}, expected {VERSION}")));
        }
        Ok(record)
    }

    fn has(&self, name: &str, digest: &Digest) -> bool {
        self.approved.iter().any(|known| known.name == name && known.digest == *digest)
    }

    /// Adds an approval to the record in that file, and returns it as it is then. It is read again:
    /// another process may have written since.
    fn with(path: &Path, name: &str, digest: &Digest) -> Result<Self, PackError> {
        let mut record = Self::read(path)?;
        if !record.has(name, digest) {
            record.approved.push(Approval { name: name.to_owned(), digest: digest.clone() });
            record.approved.sort();
            record.write(path)?;
        }
        Ok(record)
    }

    /// Writes the record whole or not at all.
    fn write(&self, path: &Path) -> Result<(), PackError> {
        let failed =
            |reason: String| PackError::ApprovalsNotWritten { path: path.to_owned(), reason };
        let text = serde_json::to_string_pretty(self).map_err(|error| failed(error.to_string()))?;
        crate::files::replace(path, format!("{text}\n").as_bytes(), true)
            .map_err(|error| failed(error.to_string()))
    }
}

#[cfg(test)]
mod tests;
