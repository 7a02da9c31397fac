//! Contexts and journals that are not as they were acknowledged (GU-12).
//!
//! Decision: a server that starts on damaged contexts runs, says what is missing, answers its health
//! checks, and refuses all else. It opens none of the damaged files, so that what can be saved is not
//! written over. A person decides: `contexture context salvage`, a backup, or to accept the loss.

use super::codes;
use super::flows::journal::FLOWS_FILE;
use super::operations::audit::{AuditEvent, AuditRecord, note_once};
use super::upkeep::FolderFinding;
use crate::fault::Fault;
use contexture::contexts::CONTEXTS_FILE;
use contexture::store::contexts::{self, ContextError, Damage as Kind};
use contexture::store::copy;
use contexture_protocol::{ErrorCode, Refusal};
use std::path::Path;

/// The most findings that are listed at the start.
const TOLD: usize = 20;
/// The paths that answer whatever the contexts are like.
const OPEN: [&str; 3] = ["/healthz", "/readyz", "/metrics"];
const SALVAGE: &str = "`contexture context salvage` writes what can be read into a new folder, \
     `contexture context restore` takes a backup";

/// The damage that a server found when it started.
#[derive(Debug)]
pub(crate) struct Damage {
    findings: Vec<FolderFinding>,
}

impl Damage {
    /// Looks at a data folder. With `accepts`, acknowledged updates that are missing are taken for lost.
    /// The audit log has what was found, and what was accepted before it is.
    ///
    /// # Errors
    /// A [`Fault`] when the files can't be judged, or more is damaged than can be accepted.
    pub(crate) fn of(data: &Path, accepts: bool) -> Result<Option<Self>, Fault> {
        let unusable = |error: ContextError| {
            let fault = Fault::of(codes::BAD_DATA, error.to_string());
            if matches!(error, ContextError::Newer { .. }) {
                return fault.with_help(error.help());
            }
            fault
        };
        let (file, flows) = (data.join(CONTEXTS_FILE), data.join(FLOWS_FILE));
        let report = contexts::verify(&file).map_err(unusable)?;
        let mut findings: Vec<FolderFinding> =
            report.findings.into_iter().map(FolderFinding::from).collect();
        if flows.exists() {
            let faults = copy::faults(&flows).map_err(unusable)?;
            findings.extend(faults.into_iter().map(|fault| FolderFinding::of(FLOWS_FILE, fault)));
        }
        findings.extend(FolderFinding::of_flows(&flows)?);
        let found = Self { findings };
        if found.findings.is_empty() {
            return Ok(None);
        }
        if !accepts {
            found.note(data, AuditEvent::ContextsDamaged)?;
            return Ok(Some(found));
        }
        if !found.is_loss() {
            let worst = found.findings.iter().find(|finding| !is_loss(finding));
            let worst = worst.map(ToString::to_string).unwrap_or_default();
            let message = format!("more is damaged than can be accepted: {worst}");
            return Err(Fault::of(codes::DAMAGED, message).with_help(SALVAGE));
        }
        found.note(data, AuditEvent::LossAccepted)?;
        contexts::accept_loss(&file).map_err(unusable)?;
        if found.findings.iter().any(is_of_flows) {
            let accepted = contexture::store::flows::accept_loss(&flows);
            accepted.map_err(|error| Fault::of(codes::BAD_DATA, error.to_string()))?;
        }
        Ok(None)
    }

    fn note(&self, data: &Path, event: AuditEvent) -> Result<(), Fault> {
        for finding in &self.findings {
            let record = AuditRecord::new(event);
            let record = match finding {
                FolderFinding::Contexts { finding, .. } => record
                    .maybe("owner", finding.owner.as_deref())
                    .maybe("contextId", finding.context_id.as_deref())
                    .maybe("acknowledged", finding.acknowledged)
                    .maybe("found", finding.found)
                    .maybe("entry", finding.entry.as_deref())
                    .with("reason", finding.reason.as_str()),
                FolderFinding::File { file, reason, .. } | FolderFinding::Lost { file, reason } => {
                    record.with("file", file.as_str()).with("reason", reason.as_str())
                }
            };
            note_once(data, &record)?;
        }
        Ok(())
    }
}

fn is_loss(finding: &FolderFinding) -> bool {
    match finding {
        FolderFinding::Contexts { finding, .. } => matches!(finding.kind, Kind::Lost | Kind::Marks),
        FolderFinding::Lost { .. } => true,
        FolderFinding::File { .. } => false,
    }
}

fn is_of_flows(finding: &FolderFinding) -> bool {
    matches!(finding, FolderFinding::Lost { .. })
}

impl Damage {
    /// Returns the reason for health checks, which contains nothing of what is served.
    pub(crate) fn reason(&self) -> &'static str {
        let is_of_contexts =
            |finding: &FolderFinding| matches!(finding, FolderFinding::Contexts { .. });
        let is_of_marks = |finding: &FolderFinding| matches!(finding, FolderFinding::Contexts { finding, .. } if finding.kind == Kind::Marks);
        if self.findings.iter().all(is_of_marks) {
            "the marks of what was acknowledged are damaged"
        } else if self.findings.iter().all(is_of_flows) {
            "acknowledged events of flows are missing"
        } else if self.is_loss() {
            "acknowledged updates of contexts are missing"
        } else if self.findings.iter().any(is_of_contexts) {
            "the contexts are damaged"
        } else {
            "the journal of flows is damaged"
        }
    }

    fn is_loss(&self) -> bool {
        self.findings.iter().all(is_loss)
    }

    /// Refuses a request for a path that needs contexts.
    pub(crate) fn admit(&self, path: &str) -> Result<(), Refusal> {
        if OPEN.contains(&path) {
            return Ok(());
        }
        let refused = Refusal::new(ErrorCode::Internal, self.reason())
            .policy("contexts_damaged")
            .suggest("Ask the operator of the server, who sees what is missing.");
        Err(Refusal { recoverable: true, ..refused })
    }

    /// Tells the operator what is missing, and how to go on.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> =
            self.findings.iter().take(TOLD).map(ToString::to_string).collect();
        if let Some(more) = self.findings.len().checked_sub(TOLD).filter(|more| *more > 0) {
            lines.push(format!("and {more} more, which `contexture context verify` lists"));
        }
        let accept = if self.is_loss() { "; --accept-loss goes on without it" } else { "" };
        lines.push(format!("not ready: {}; {SALVAGE}{accept}", self.reason()));
        lines
    }
}
