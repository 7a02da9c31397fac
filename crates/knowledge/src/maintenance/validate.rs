//! Checking whole packs (KN-17).

use super::error::MaintenanceError;
use super::view::View;
use super::{guide, layout, links, records};
use crate::codes;
use crate::discovery::{Discovery, DiscoveryOptions, Roots, discover};
use crate::finding::Finding;
use crate::item::CatalogItem;
use crate::pack::{GUIDE_FILE, Pack};
use contexture_diagnostic::Severity;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The result of validating packs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Validation {
    /// True if no finding is an error.
    pub ok: bool,
    /// `passed` or `needs-review`.
    pub status: &'static str,
    /// The packs that were checked. Packs that can't be used at all are findings alone.
    pub packs: Vec<Checked>,
    /// The faults, those of discovery first, then by pack and file.
    pub findings: Vec<Finding>,
}

/// A pack that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub root: PathBuf,
    /// The number of its files.
    pub files: usize,
    /// The number of errors among the findings about it.
    pub errors: usize,
    /// The number of warnings among them.
    pub warnings: usize,
}

/// Checks the pack at a path, or all packs of a project or folder: the findings of discovery,
/// their layout, links, anchors and records.
///
/// # Errors
/// [`MaintenanceError::NoPack`] when there is none, not even a broken one.
pub fn validate(path: &Path, options: &DiscoveryOptions) -> Result<Validation, MaintenanceError> {
    let discovery = look(path, options)?;
    let mut findings = discovery.findings.clone();
    let mut packs = Vec::new();
    for found in &discovery.packs {
        let item = &found.item;
        let mut files = 0;
        let found = match discovery.open(&item.name) {
            Ok(pack) => {
                files = pack.files().map_or(0, |files| files.len());
                validate_pack(&pack)
            }
            Err(error) => vec![Finding::new(error.kind(), &item.pack_root, error.to_string())],
        };
        findings.extend(found);
        packs.push(summary(item, files, &findings));
    }
    let ok = !findings.iter().any(|finding| finding.severity == Severity::Error);
    let status = if ok { "passed" } else { "needs-review" };
    Ok(Validation { ok, status, packs, findings })
}

fn summary(item: &CatalogItem, files: usize, findings: &[Finding]) -> Checked {
    let count = |severity| {
        let is_it = |finding: &&Finding| {
            finding.severity == severity && finding.path.starts_with(&item.pack_root)
        };
        findings.iter().filter(is_it).count()
    };
    Checked {
        name: item.name.clone(),
        root: item.pack_root.clone(),
        files,
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
    }
}

/// Checks the content of an opened pack: layout, links, anchors and records. Discovery reports
/// what its manifest lacks, see [`validate`].
#[must_use]
pub fn validate_pack(pack: &Pack) -> Vec<Finding> {
    let mut view = match View::open(pack) {
        Ok(view) => view,
        Err(error) => {
            return vec![Finding::new(error.kind(), &pack.item().pack_root, error.to_string())];
        }
    };
    guide::check(&mut view);
    layout::check(&mut view);
    links::check(&mut view);
    let named = records::check(&mut view);
    links::check_anchors(&mut view, &named);
    view.finish().into_iter().map(with_help).collect()
}

fn with_help(finding: Finding) -> Finding {
    match codes::ALL.find(finding.code) {
        Some(code) if finding.help.is_none() => finding.with_help(code.explanation),
        _ => finding,
    }
}

/// Returns the properties of the pack at a path: its item of the catalog (KN-4).
///
/// # Errors
/// [`MaintenanceError::NoPack`] when there is none, more than one, or one that can't be used.
pub fn read_properties(
    path: &Path,
    options: &DiscoveryOptions,
) -> Result<CatalogItem, MaintenanceError> {
    let discovery = look(path, options)?;
    let no_pack = |reason: String| {
        Err(MaintenanceError::NoPack { path: path.to_owned(), reason: Some(reason) })
    };
    match discovery.packs.as_slice() {
        [found] => Ok(found.item.clone()),
        [] => {
            let errors = discovery.findings.iter().filter(|f| f.severity == Severity::Error);
            no_pack(errors.map(|f| f.message.as_str()).collect::<Vec<_>>().join("; "))
        }
        several => {
            let names: Vec<&str> = several.iter().map(|found| found.item.name.as_str()).collect();
            no_pack(format!("there are several, name one of them: {}", names.join(", ")))
        }
    }
}

fn look(path: &Path, options: &DiscoveryOptions) -> Result<Discovery, MaintenanceError> {
    let roots = Roots { explicit: vec![path.to_owned()], ..Roots::default() };
    // Archived packs are kept in order as well, and what a cache says must not count here.
    let options = DiscoveryOptions { archived: true, cache: None, ..options.clone() };
    let discovery = discover(&roots, &options);
    if discovery.packs.is_empty() {
        // A place without a guide, even a broken one, is a wrong argument and no fault of a pack.
        let is_guide = |finding: &Finding| {
            let name = finding.path.file_name().unwrap_or_default();
            name.eq_ignore_ascii_case(GUIDE_FILE)
        };
        if !discovery.findings.iter().any(is_guide) {
            let is_place = |finding: &&Finding| {
                let codes = [codes::LOCATION_MISSING.code, codes::LOCATION_UNUSABLE.code];
                codes.contains(&finding.code)
            };
            let found = discovery.findings.iter().find(is_place);
            let reason = found.map(|finding| finding.message.clone());
            return Err(MaintenanceError::NoPack { path: path.to_owned(), reason });
        }
    }
    Ok(discovery)
}

#[cfg(test)]
mod tests;
