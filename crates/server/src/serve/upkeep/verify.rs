//! Whether a data folder holds what was acknowledged, as it was written.

use super::{of_flows, of_store, unusable};
use crate::fault::Fault;
use crate::serve::flows::journal::FLOWS_FILE;
use crate::serve::operations::audit;
use crate::serve::tokens::{TOKENS_FILE, Tokens};
use contexture::contexts::CONTEXTS_FILE;
use contexture::store::contexts::{self, Finding};
use contexture::store::copy;
use contexture::store::flows;
use serde::Serialize;
use std::fmt;
use std::path::Path;

/// A fault of a file of a data folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum FolderFinding {
    /// With the contexts.
    Contexts {
        /// The file.
        file: &'static str,
        /// The finding.
        #[serde(flatten)]
        finding: Finding,
    },
    /// What was acknowledged of another file is missing.
    Lost {
        /// The file.
        file: String,
        /// What is missing.
        reason: String,
    },
    /// With another file.
    File {
        /// The file.
        file: String,
        /// The line that is broken first.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<u64>,
        /// What is wrong.
        reason: String,
    },
}

impl fmt::Display for FolderFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contexts { file, finding } => write!(f, "{file}: {finding}"),
            Self::File { file, line: Some(line), reason } => {
                write!(f, "{file}, line {line}: {reason}")
            }
            Self::Lost { file, reason } | Self::File { file, line: None, reason } => {
                write!(f, "{file}: {reason}")
            }
        }
    }
}

impl FolderFinding {
    /// Returns what is missing from the journal of flows.
    pub(crate) fn of_flows(path: &Path) -> Result<Vec<Self>, Fault> {
        let lost = flows::lost(path).map_err(|error| of_flows(&error))?;
        let of = |reason| Self::Lost { file: FLOWS_FILE.to_owned(), reason };
        Ok(lost.into_iter().map(of).collect())
    }

    /// Creates what is wrong with a whole file.
    pub(crate) fn of(file: &str, reason: String) -> Self {
        Self::File { file: file.to_owned(), line: None, reason }
    }
}

impl From<Finding> for FolderFinding {
    fn from(finding: Finding) -> Self {
        Self::Contexts { file: CONTEXTS_FILE, finding }
    }
}

/// The findings in a data folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FolderReport {
    /// The number of contexts.
    pub contexts: u64,
    /// The number of their messages and changes.
    pub entries: u64,
    /// The number of lines of the audit log.
    pub audit_lines: u64,
    /// What is wrong.
    pub findings: Vec<FolderFinding>,
}

/// Checks all that a data folder holds: the chains of contexts and of the audit log, what was
/// acknowledged, the structure of each file. Changes nothing.
///
/// # Errors
/// A [`Fault`] for a folder that is not there, and for files that can't be judged.
pub fn verify(data: &Path) -> Result<FolderReport, Fault> {
    std::fs::read_dir(data).map_err(|error| unusable(data, &error))?;
    let found = contexts::verify(&data.join(CONTEXTS_FILE)).map_err(|error| of_store(&error))?;
    let mut report = FolderReport {
        contexts: found.contexts,
        entries: found.entries,
        findings: found.findings.into_iter().map(FolderFinding::from).collect(),
        ..FolderReport::default()
    };
    let flows = data.join(FLOWS_FILE);
    if flows.exists() {
        let faults = copy::faults(&flows).map_err(|error| of_store(&error))?;
        report
            .findings
            .extend(faults.into_iter().map(|fault| FolderFinding::of(FLOWS_FILE, fault)));
    }
    report.findings.extend(FolderFinding::of_flows(&flows)?);
    if let Err(fault) = Tokens::in_folder(data).list() {
        report.findings.push(FolderFinding::of(TOKENS_FILE, fault.message));
    }
    match audit::verify(data) {
        Ok((lines, broken)) => {
            report.audit_lines = lines;
            report.findings.extend(broken.into_iter().map(|broken| FolderFinding::File {
                file: broken.file,
                line: Some(broken.line),
                reason: broken.reason.to_owned(),
            }));
        }
        Err(error) => report.findings.push(FolderFinding::of(audit::AUDIT_FILE, error.to_string())),
    }
    Ok(report)
}
