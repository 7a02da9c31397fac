//! The pages of a pack, made of its sources: what did not change is taken over.

use super::PAGES;
use super::before::{Before, PageState, Standing};
use super::error::SyncError;
use super::formats::{self, Made};
use super::record::{Known, Outcome, Page, Record};
use super::report::{Skipped, SyncReport};
use super::source::{Missed, Source};
use super::stage::Stage;
use super::walk::{Stat, Walked};
use crate::files::{is_settled, now_ns};
use crate::section::sections;
use contexture_context::Digest;
use contexture_tools::FileError;
use std::collections::HashMap;

/// The most pages of a pack: a thousand less than the files that it can have.
const MAX_PAGES: usize = 99_000;

/// The pages as they are after a sync.
pub(super) struct Built {
    pub(super) record: Record,
    /// Whether the record is another one than before.
    pub(super) is_record_new: bool,
    pub(super) report: SyncReport,
    /// The titles of new pages with their depth, for the description of a new pack.
    pub(super) titles: Vec<(usize, String)>,
    /// The pages before and after.
    pages: HashMap<String, PageState>,
}

impl Built {
    /// Completes the stage with the pages that stay, and puts it in the place of the present pages.
    pub(super) fn settle(&self, mut stage: Stage) -> Result<(), SyncError> {
        let stays =
            |state: &PageState| matches!(state.standing, Standing::Foreign | Standing::Kept);
        for (page, _) in self.pages.iter().filter(|(_, state)| stays(state)) {
            stage.keep(page)?;
        }
        stage.finish(&self.record)
    }
}

/// Makes the pages of sources in a stage, from what they hold and what was there `before`.
pub(super) fn build(
    sources: &[Source],
    walked: Vec<Walked>,
    before: Before,
    stage: &mut Stage,
) -> Result<Built, SyncError> {
    let Before { record, pages } = before;
    let is_same = record.is_of(sources);
    let is_known = record.names(sources);
    let mut building = Building {
        known: if is_known { record.files } else { HashMap::new() },
        is_same,
        stage,
        taken: 0,
        built: Built {
            record: Record::new(sources),
            is_record_new: !is_same,
            report: SyncReport::default(),
            titles: Vec::new(),
            pages,
        },
    };
    for (source, walked) in sources.iter().zip(walked) {
        building.take_source(source, walked)?;
        source.require_present()?;
    }
    Ok(building.finish())
}

struct Building<'a> {
    /// What the last sync knew of the same sources, without the files that were looked at.
    known: HashMap<String, Known>,
    /// Whether the present formats made the pages that are known.
    is_same: bool,
    stage: &'a mut Stage,
    /// The number of pages so far.
    taken: usize,
    built: Built,
}

impl Building<'_> {
    fn take_source(&mut self, source: &Source, walked: Walked) -> Result<(), SyncError> {
        let Walked { files, skipped } = walked;
        for one in skipped {
            self.skip(format!("{}{}", source.prefix, one.path), one.reason);
        }
        for one in source.mirror.iter().flat_map(|mirror| &mirror.missed) {
            self.miss(source, one);
        }
        for (path, stat) in files {
            self.take_file(source, path, stat)?;
            if self.taken > MAX_PAGES {
                return Err(SyncError::TooMuch {
                    source_path: source.place.display().to_string(),
                    limit: MAX_PAGES as u64,
                    what: "files that become pages",
                });
            }
        }
        self.require_pages(source)
    }

    /// Refuses a source none of whose files is a page, though some were: a folder is empty as well when
    /// what it stands for is not there.
    fn require_pages(&self, source: &Source) -> Result<(), SyncError> {
        let is_page = |(path, known): (&String, &Known)| {
            path.starts_with(&source.prefix) && matches!(known.outcome, Outcome::Page(_))
        };
        if self.built.record.files.iter().any(is_page) || !self.known.iter().any(is_page) {
            return Ok(());
        }
        Err(SyncError::Nothing { skipped: self.built.report.skipped.clone() })
    }

    /// Notes a page of the web that was not fetched.
    fn miss(&mut self, source: &Source, missed: &Missed) {
        let Skipped { path, reason } = missed.skipped.clone();
        let whole = |path: &String| format!("{}{path}", source.prefix);
        let known = missed.paths.iter().map(whole).find_map(|path| self.known.remove_entry(&path));
        self.skip_now(path, reason, known);
    }

    /// Notes what can't be read now; what is known of it stays.
    fn skip_now(&mut self, path: String, reason: String, known: Option<(String, Known)>) {
        let is_kept = known.is_some_and(|(file, known)| self.keep(file, known));
        self.skip(path, if is_kept { stays(&reason) } else { reason });
    }

    /// Keeps the page of a file that can't be read now, and returns whether it had one.
    fn keep(&mut self, file: String, known: Known) -> bool {
        let Outcome::Page(page) = &known.outcome else { return false };
        let Some(state) = self.built.pages.get_mut(&page.path) else { return false };
        if state.standing != Standing::Own || state.present.is_none() {
            return false;
        }
        state.standing = Standing::Kept;
        self.taken += 1;
        self.built.report.sections += page.sections;
        self.built.report.unchanged += 1;
        self.built.record.files.insert(file, known);
        true
    }

    fn skip(&mut self, path: String, reason: String) {
        self.built.report.skipped.push(Skipped { path, reason });
    }

    fn take_file(&mut self, source: &Source, path: String, stat: Stat) -> Result<(), SyncError> {
        if let Some(reason) = formats::refused(&path, stat.bytes) {
            self.skip(format!("{}{path}", source.prefix), reason.to_string());
            return Ok(());
        }
        let whole = match source.prefix.as_str() {
            "" => path,
            prefix => format!("{prefix}{path}"),
        };
        let known = self.known.remove(&whole).filter(|known| self.is_intact(known));
        let known = match known {
            Some(known) if self.is_same && known.is_of(stat) => {
                self.note(whole, known);
                return Ok(());
            }
            known => known,
        };
        self.built.is_record_new = true;
        let read_ns = now_ns();
        let inner = whole.get(source.prefix.len()..).unwrap_or_default();
        let place = source.folder.resolve(inner);
        let read = place.and_then(|place| source.folder.read_bytes(&place, formats::limit(inner)));
        let bytes = match read {
            Ok(bytes) => bytes,
            // It was deleted after it was listed.
            Err(FileError::NotFound { .. }) => return Ok(()),
            Err(error) => {
                let known = known.map(|known| (whole.clone(), known));
                self.skip_now(whole, error.to_string(), known);
                return Ok(());
            }
        };
        let digest = Digest::of_bytes(&bytes);
        let outcome = match known {
            Some(known) if self.is_same && known.digest == digest => known.outcome,
            known => match formats::page(&whole, bytes) {
                Ok(made) => self.make(made)?,
                Err(reason) => {
                    let known = known.filter(|_| reason.may_pass());
                    if known.is_some_and(|known| self.keep(whole.clone(), known)) {
                        self.skip(whole, stays(&reason.to_string()));
                        return Ok(());
                    }
                    Outcome::Skipped(reason.to_string())
                }
            },
        };
        self.note(whole, Known { stat, read_ns, digest, outcome });
        Ok(())
    }

    /// Reports whether the page of a file is as it was written, and not taken by another file: a
    /// person may have changed it.
    fn is_intact(&self, known: &Known) -> bool {
        match &known.outcome {
            Outcome::Skipped(_) => true,
            Outcome::Page(page) => self.built.pages.get(&page.path).is_some_and(|state| {
                state.standing == Standing::Own && state.present.is_some_and(|stat| page.is(stat))
            }),
        }
    }

    /// Takes the page that a file becomes, and writes it when it is another one than the present page.
    fn make(&mut self, made: Made) -> Result<Outcome, SyncError> {
        let state = self.built.pages.get(&made.path).copied().unwrap_or_default();
        match state.standing {
            Standing::Own => {}
            Standing::Kept | Standing::Written => {
                let reason = format!("another file of the source has the page `{}`", made.path);
                return Ok(Outcome::Skipped(reason));
            }
            Standing::Foreign => {
                let reason = format!("the pack has a page of its own at `{PAGES}/{}`", made.path);
                return Ok(Outcome::Skipped(reason));
            }
        }
        let stat = self.put(&made, state.present)?;
        let sections = sections(&format!("{PAGES}/{}", made.path), &made.text).len() as u64;
        let depth = made.path.matches('/').count();
        self.built.titles.push((depth, formats::title(&made.path, &made.text)));
        let Stat { bytes, modified_ns, .. } = stat;
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
        self.taken += 1;
        let state = PageState { present, standing: Standing::Written };
        self.built.pages.insert(made.path.clone(), state);
        self.stage.write(&made.path, &made.text)
    }

    fn note(&mut self, path: String, known: Known) {
        match &known.outcome {
            Outcome::Page(page) => {
                let report = &mut self.built.report;
                report.read.push(path.clone());
                report.sections += page.sections;
                if let Some(state) = self.built.pages.get_mut(&page.path)
                    && state.standing == Standing::Own
                {
                    state.standing = Standing::Kept;
                    self.taken += 1;
                    report.unchanged += 1;
                }
            }
            Outcome::Skipped(reason) => self.skip(path.clone(), reason.clone()),
        }
        self.built.record.files.insert(path, known);
    }

    fn finish(self) -> Built {
        let Self { mut built, known, .. } = self;
        built.is_record_new |= !known.is_empty();
        let is_left = |state: &&PageState| state.standing == Standing::Own;
        built.report.removed = built.pages.values().filter(is_left).count();
        built.report.skipped.sort();
        built
    }
}

/// Returns why a file can't be read whose page of the last sync stays.
fn stays(reason: &str) -> String {
    format!("{reason}; the page of the last sync stays")
}

impl Known {
    /// Reports whether the file has not been written since it was read.
    fn is_of(&self, stat: Stat) -> bool {
        self.stat == stat && is_settled(stat.modified_ns, self.read_ns)
    }
}

impl Page {
    /// Reports whether a page of that size and time is this one. The time of its entry is not looked
    /// at: taking a page over gives it a second name.
    fn is(&self, stat: Stat) -> bool {
        (self.bytes, self.modified_ns) == (stat.bytes, stat.modified_ns)
    }
}
