//! A sync that finds nothing to do (MA-4).
//!
//! Decision: most syncs find nothing to do. They are told from the lines of the record as they stand, each
//! beside its file and its page, without the tables that a change needs. Whatever is not plainly
//! unchanged takes the other way, which also tells what is wrong with a record.

use super::formats;
use super::record::{Header, Line, parse_header};
use super::report::{Skipped, SyncReport};
use super::source::Source;
use super::walk::{Stat, Walked};
use crate::files::is_settled;
use serde::Deserialize;
use std::collections::HashMap;

/// The lines of a record, which its bytes hold.
pub(super) struct Lines<'r> {
    header: Header,
    files: Vec<Line<&'r str, &'r str, Outcome<'r>>>,
}

/// What became of a file.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome<'r> {
    /// Its page: the path, the size, the time, and the number of sections.
    #[serde(borrow)]
    Page((&'r str, u64, u64, u64)),
    #[serde(borrow)]
    Skipped(&'r str),
}

impl<'r> Lines<'r> {
    /// Reads the bytes of a record; `None` when a line is not as it is written, or has an escape.
    pub(super) fn of(bytes: &'r [u8]) -> Option<Self> {
        let mut lines = bytes.split(|byte| *byte == b'\n');
        let header = parse_header(lines.next()?).ok()?;
        let mut files = Vec::with_capacity(header.files.min(bytes.len() / 100));
        for line in lines.filter(|line| !line.is_empty()) {
            files.push(serde_json::from_slice(line).ok()?);
        }
        (files.len() == header.files).then_some(Self { header, files })
    }

    /// Returns the report of a sync in which each file and each page is as the record has it; `None` of
    /// any other one, and of several sources.
    pub(super) fn report(
        &self,
        sources: &[Source],
        walked: &[Walked],
        pages: &HashMap<String, Stat>,
    ) -> Option<SyncReport> {
        let ([source], [walked]) = (sources, walked) else { return None };
        if source.mirror.is_some() || !self.header.is_of(sources) {
            return None;
        }
        let mut report = SyncReport { skipped: walked.skipped.clone(), ..SyncReport::default() };
        let mut files: HashMap<&str, Stat> = HashMap::with_capacity(walked.files.len());
        for (path, stat) in &walked.files {
            match formats::refused(path, stat.bytes) {
                Some(reason) => report.skipped.push(Skipped::new(path, reason.to_string())),
                None => drop(files.insert(path, *stat)),
            }
        }
        if files.len() != self.files.len() {
            return None;
        }
        report.read.reserve(files.len());
        for (path, bytes, modified_ns, changed_ns, read_ns, _, outcome) in &self.files {
            let (bytes, modified_ns, changed_ns) = (*bytes, *modified_ns, *changed_ns);
            let is_same = files.get(path) == Some(&Stat { bytes, modified_ns, changed_ns });
            if !is_same || !is_settled(modified_ns, *read_ns) {
                return None;
            }
            match outcome {
                Outcome::Skipped(reason) => report.skipped.push(Skipped::new(*path, *reason)),
                Outcome::Page((page, bytes, modified_ns, sections)) => {
                    let is_there =
                        |stat: &Stat| (stat.bytes, stat.modified_ns) == (*bytes, *modified_ns);
                    pages.get(*page).filter(|stat| is_there(stat))?;
                    report.read.push((*path).to_owned());
                    report.sections += sections;
                    report.unchanged += 1;
                }
            }
        }
        report.skipped.sort();
        Some(report)
    }
}
