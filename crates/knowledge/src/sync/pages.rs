//! The pages of a pack, made of its sources: what did not change is taken over.

use super::PAGES;
use super::error::SyncError;
use super::formats::{self, Made};
use super::record::{Known, Outcome, Page, RECORD, Record};
use super::report::{Skipped, SyncReport};
use super::source::Source;
use super::stage::Stage;
use super::walk::{self, Stat, Walked};
use crate::files::{is_settled, now_ns};
use crate::section::sections;
use contexture_context::Digest;
use contexture_tools::FileError;
use std::collections::{BTreeMap, HashSet};

/// The most pages of a pack: a thousand less than the files that it can have.
const MAX_PAGES: usize = 99_000;

/// The pages as they are after a sync.
pub(super) struct Built {
    pub(super) record: Record,
    pub(super) report: SyncReport,
    /// The titles of new pages with their depth, for the description of a new pack.
    pub(super) titles: Vec<(usize, String)>,
    /// The present pages that stay.
    kept: Vec<String>,
}

impl Built {
    /// Completes the stage with the pages that stay, and puts it in the place of the present pages.
    pub(super) fn settle(&self, mut stage: Stage) -> Result<(), SyncError> {
        for page in &self.kept {
            stage.keep(page)?;
        }
        stage.finish(&self.record)
    }
}

/// Makes the pages of sources in a stage, from what `old` knows of them and the pages that are
/// `present`.
pub(super) fn build(
    sources: &[Source],
    old: &Record,
    present: &BTreeMap<String, Stat>,
    stage: &mut Stage,
) -> Result<Built, SyncError> {
    let known = old.of_sources(sources);
    let own: HashSet<&str> = old.pages().map(|page| page.path.as_str()).collect();
    let mut building = Building {
        known: known.files,
        own,
        present,
        stage,
        taken: HashSet::new(),
        built: Built {
            record: Record::new(sources),
            report: SyncReport::default(),
            titles: Vec::new(),
            kept: Vec::new(),
        },
    };
    for source in sources {
        building.take_source(source)?;
        source.require_present()?;
    }
    Ok(building.finish())
}

struct Building<'a> {
    /// What the last sync knew of the same sources.
    known: BTreeMap<String, Known>,
    /// The pages that the last sync made.
    own: HashSet<&'a str>,
    present: &'a BTreeMap<String, Stat>,
    stage: &'a mut Stage,
    /// The pages so far.
    taken: HashSet<String>,
    built: Built,
}

impl Building<'_> {
    fn take_source(&mut self, source: &Source) -> Result<(), SyncError> {
        let Walked { files, skipped } = walk::source(source)?;
        for one in skipped {
            self.skip(format!("{}{}", source.prefix, one.path), one.reason);
        }
        for one in source.mirror.iter().flat_map(|mirror| &mirror.skipped) {
            self.skip(one.path.clone(), one.reason.clone());
        }
        for (path, stat) in &files {
            self.take_file(source, path, *stat)?;
            if self.taken.len() > MAX_PAGES {
                return Err(SyncError::TooMuch {
                    source_path: source.place.display().to_string(),
                    limit: MAX_PAGES as u64,
                    what: "files that become pages",
                });
            }
        }
        Ok(())
    }

    fn skip(&mut self, path: String, reason: String) {
        self.built.report.skipped.push(Skipped { path, reason });
    }

    fn take_file(&mut self, source: &Source, path: &str, stat: Stat) -> Result<(), SyncError> {
        let whole = format!("{}{path}", source.prefix);
        if let Some(reason) = formats::refused(path, stat.bytes) {
            self.skip(whole, reason.to_string());
            return Ok(());
        }
        let known = self.known.get(&whole).filter(|known| self.is_intact(known)).cloned();
        let known = match known {
            Some(known) if known.is_of(stat) => {
                self.note(whole, known);
                return Ok(());
            }
            known => known,
        };
        let read_ns = now_ns();
        let place = source.folder.resolve(path);
        let read = place.and_then(|place| source.folder.read_bytes(&place, formats::limit(path)));
        let bytes = match read {
            Ok(bytes) => bytes,
            // It was deleted after it was listed.
            Err(FileError::NotFound { .. }) => return Ok(()),
            Err(error) => {
                self.skip(whole, error.to_string());
                return Ok(());
            }
        };
        let digest = Digest::of_bytes(&bytes);
        let outcome = match known {
            Some(known) if known.digest == digest => known.outcome,
            _ => self.convert(&whole, bytes)?,
        };
        let (bytes, modified_ns) = (stat.bytes, stat.modified_ns);
        self.note(whole, Known { bytes, modified_ns, read_ns, digest, outcome });
        Ok(())
    }

    /// Reports whether the page of a file is as it was written; a person may have changed it.
    fn is_intact(&self, known: &Known) -> bool {
        match &known.outcome {
            Outcome::Skipped(_) => true,
            Outcome::Page(page) => self.present.get(&page.path) == Some(&page.stat()),
        }
    }

    /// Makes a page of a file, and writes it when it is another one than the present page.
    fn convert(&mut self, path: &str, bytes: Vec<u8>) -> Result<Outcome, SyncError> {
        let made = match formats::page(path, bytes) {
            Ok(made) => made,
            Err(reason) => return Ok(Outcome::Skipped(reason.to_string())),
        };
        if self.taken.contains(&made.path) {
            let reason = format!("another file of the source has the page `{}`", made.path);
            return Ok(Outcome::Skipped(reason));
        }
        let present = self.present.get(&made.path).copied();
        if present.is_some() && !self.own.contains(made.path.as_str()) {
            let reason = format!("the pack has a page of its own at `{PAGES}/{}`", made.path);
            return Ok(Outcome::Skipped(reason));
        }
        let stat = self.put(&made, present)?;
        let sections = sections(&format!("{PAGES}/{}", made.path), &made.text).len() as u64;
        let depth = made.path.matches('/').count();
        self.built.titles.push((depth, formats::title(&made.path, &made.text)));
        let Stat { bytes, modified_ns } = stat;
        Ok(Outcome::Page(Page { path: made.path, bytes, modified_ns, sections }))
    }

    fn put(&mut self, made: &Made, present: Option<Stat>) -> Result<Stat, SyncError> {
        if let Some(stat) = present.filter(|stat| stat.bytes == made.text.len() as u64)
            && self.stage.has(&made.path, &made.text)
        {
            return Ok(stat);
        }
        let report = &mut self.built.report;
        let count = if present.is_some() { &mut report.changed } else { &mut report.added };
        *count += 1;
        self.taken.insert(made.path.clone());
        self.stage.write(&made.path, &made.text)
    }

    fn note(&mut self, path: String, known: Known) {
        match &known.outcome {
            Outcome::Page(page) => {
                let report = &mut self.built.report;
                report.read.push(path.clone());
                report.sections += page.sections;
                if self.taken.insert(page.path.clone()) {
                    report.unchanged += 1;
                    self.built.kept.push(page.path.clone());
                }
            }
            Outcome::Skipped(reason) => self.skip(path.clone(), reason.clone()),
        }
        self.built.record.files.insert(path, known);
    }

    fn finish(self) -> Built {
        let Self { mut built, taken, own, present, .. } = self;
        built.report.removed = own.iter().filter(|page| !taken.contains(**page)).count();
        // Files that no sync made are the person's own.
        let is_foreign = |page: &&String| !own.contains(page.as_str()) && page.as_str() != RECORD;
        built.kept.extend(present.keys().filter(is_foreign).cloned());
        built.report.skipped.sort();
        built
    }
}

impl Known {
    /// Reports whether the file has not been written since it was read.
    fn is_of(&self, stat: Stat) -> bool {
        (self.bytes, self.modified_ns) == (stat.bytes, stat.modified_ns)
            && is_settled(self.modified_ns, self.read_ns)
    }
}

impl Page {
    fn stat(&self) -> Stat {
        Stat { bytes: self.bytes, modified_ns: self.modified_ns }
    }
}
