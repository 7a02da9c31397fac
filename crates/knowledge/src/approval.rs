//! The consent that a pack needs before its content reaches a model (KN-8).
//!
//! Decision: what comes with a project or an organization is untrusted until somebody approves the
//! very content, by digest. Approvals are kept in the user's home, so that a project cannot approve
//! itself; a record that can't be read approves nothing and says so.

mod allowance;
mod record;

pub use allowance::{Allowance, AllowanceError};

use crate::item::{Scope, Status};
use crate::pack::{Pack, PackError};
use contexture_context::Digest;
use record::Record;
use serde::Serialize;
use std::path::PathBuf;

/// Why somebody must consent.
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

/// Who may pass: the approvals of earlier times and the allowances of this command.
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

    /// Returns what somebody must consent to before the pack is used; nothing when it may be used.
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
            // Read again: another process may have written since.
            let mut record = Record::read(path)?;
            if record.add(name, &digest) {
                record.write(path)?;
            }
            self.record = Ok(record);
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

    /// Approves it.
    ///
    /// # Errors
    /// [`PackError`] when the record can't be read or written.
    pub fn add(&self, name: &str, digest: &Digest) -> Result<(), PackError> {
        let mut record = Record::read(&self.0)?;
        if record.add(name, digest) {
            record.write(&self.0)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
