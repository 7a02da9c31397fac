//! Contexts that are not as they were acknowledged (GU-12).
//!
//! Decision: a server that starts on damaged contexts runs, says what is missing, answers its health
//! checks, and refuses all else. It opens none of the damaged files, so that what can be saved is not
//! written over. A person decides: `contexture context salvage`, a backup, or to accept the loss.

use super::codes;
use super::operations::audit::{Audit, AuditEvent, AuditRecord};
use crate::fault::Fault;
use contexture::store::contexts::{self, Damage as Kind, Finding, Report};
use contexture_protocol::{ErrorCode, Refusal};
use std::path::Path;

/// The most findings that are told at the start.
const TOLD: usize = 20;
/// The paths that answer whatever the contexts are like.
const OPEN: [&str; 3] = ["/healthz", "/readyz", "/metrics"];
const SALVAGE: &str = "`contexture context salvage` writes what can be read into a new folder, \
     `contexture context restore` takes a backup";

/// The damage that a server found when it started.
#[derive(Debug)]
pub(crate) struct Damage {
    findings: Vec<Finding>,
}

/// What the server found when it started.
pub(crate) enum Found {
    /// All that was acknowledged.
    Whole,
    /// Less, which was accepted.
    Accepted(Vec<Finding>),
    /// Less.
    Damaged(Damage),
}

impl Found {
    /// Looks at a file of contexts; with `accepts`, what is missing is taken for lost.
    ///
    /// # Errors
    /// A [`Fault`] when the file can't be judged, or more is damaged than can be accepted.
    pub(crate) fn at(file: &Path, accepts: bool) -> Result<Self, Fault> {
        let unusable = |error: contexts::ContextError| {
            let fault = Fault::of(codes::BAD_DATA, error.to_string());
            match error {
                contexts::ContextError::Damaged { .. } => fault.with_help(SALVAGE),
                contexts::ContextError::Newer { .. } => fault.with_help(error.help()),
                _ => fault,
            }
        };
        let look = if accepts { contexts::accept_loss } else { contexts::verify };
        let Report { findings, .. } = look(file).map_err(unusable)?;
        Ok(match (findings.is_empty(), accepts) {
            (true, _) => Self::Whole,
            (false, true) => Self::Accepted(findings),
            (false, false) => Self::Damaged(Damage { findings }),
        })
    }

    /// Writes into the audit log what was accepted; returns the damage that stands.
    pub(crate) fn noted(self, audit: &Audit) -> Option<Damage> {
        let (event, findings, damage) = match self {
            Self::Whole => return None,
            Self::Accepted(findings) => (AuditEvent::LossAccepted, findings, None),
            Self::Damaged(damage) => {
                (AuditEvent::ContextsDamaged, damage.findings.clone(), Some(damage))
            }
        };
        for finding in findings {
            let record = AuditRecord::new(event)
                .maybe("owner", finding.owner)
                .maybe("contextId", finding.context_id)
                .maybe("acknowledged", finding.acknowledged)
                .maybe("found", finding.found)
                .maybe("entry", finding.entry)
                .with("reason", finding.reason);
            audit.note(&record);
        }
        damage
    }
}

impl Damage {
    /// Returns the reason for health checks, which contains nothing of what is served.
    pub(crate) fn reason(&self) -> &'static str {
        if self.is_loss() {
            "acknowledged updates of contexts are missing"
        } else {
            "the contexts are damaged"
        }
    }

    fn is_loss(&self) -> bool {
        self.findings.iter().all(|finding| matches!(finding.kind, Kind::Lost | Kind::Marks))
    }

    /// Refuses a request for a path that needs contexts.
    pub(crate) fn admit(&self, path: &str) -> Result<(), Refusal> {
        if OPEN.contains(&path) {
            return Ok(());
        }
        let refused = Refusal::new(ErrorCode::Internal, self.reason())
            .policy("contexts_damaged")
            .suggest("Ask the operator of the server, who was told what is missing.");
        Err(Refusal { recoverable: true, ..refused })
    }

    /// Tells the operator what is missing, and how to go on.
    pub(crate) fn told(&self) -> Vec<String> {
        let mut told: Vec<String> =
            self.findings.iter().take(TOLD).map(ToString::to_string).collect();
        if let Some(more) = self.findings.len().checked_sub(TOLD).filter(|more| *more > 0) {
            told.push(format!("and {more} more, which `contexture context verify` lists"));
        }
        let accept = if self.is_loss() { "; --accept-loss goes on without it" } else { "" };
        told.push(format!("not ready: {}; {SALVAGE}{accept}", self.reason()));
        told
    }
}
