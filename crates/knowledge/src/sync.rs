//! Packs that stand on a source: made of a folder or file of any kind, and kept in step with it
//! (MA-4).
//!
//! The pages of such a pack are in `wiki/`, under the paths that their files have in the source. A
//! hidden record beside them, [`RECORD`], says which file each page was made of, so that the next
//! sync reads only what changed.
//!
//! Decision: pages and record change together, in one exchange of folders. Until then everything is
//! written into a folder of its own, so a sync that fails or is killed leaves the pack as it was.
//! Pages that did not change are linked into the new folder: they keep their bytes and their time.
//!
//! ```
//! use contexture_knowledge::sync::{NewSource, NoWeb, SyncedPack, add};
//!
//! let folder = tempfile::tempdir()?;
//! let (docs, into) = (folder.path().join("docs"), folder.path().join(".agents/knowledge"));
//! std::fs::create_dir(&docs)?;
//! std::fs::write(docs.join("care.md"), "# Care\n\nFeed the fish twice a day.\n")?;
//!
//! let new = NewSource { name: "fish", sources: &[docs.clone()], ..NewSource::default() };
//! let report = add(&new, &into, folder.path(), &NoWeb)?;
//! assert_eq!((report.read.as_slice(), report.added), (["care.md".to_owned()].as_slice(), 1));
//!
//! std::fs::remove_file(docs.join("care.md"))?;
//! std::fs::write(docs.join("tank.md"), "# Tank\n\nAt least 60 litres.\n")?;
//! let pack = SyncedPack::open(&into.join("fish"), folder.path())?.expect("it has a source");
//! let report = pack.sync(&NoWeb, &[])?;
//! assert_eq!((report.added, report.removed), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod before;
mod error;
mod formats;
mod guide;
mod pages;
mod record;
mod report;
mod source;
mod stage;
#[cfg(test)]
mod tests;
mod unchanged;
mod walk;
#[cfg(all(feature = "formats", feature = "organization"))]
pub mod web;

pub use error::SyncError;
pub use record::RECORD;
pub use report::{Skipped, SyncReport};
pub use source::{Missed, NoWeb, Web};

use crate::approval::Approvals;
use crate::files::lock;
use crate::maintenance::{MaintenanceError, name_problem};
use before::Before;
use contexture_context::Digest;
use pages::build;
use record::Record;
use source::{Source, is_address};
use stage::Stage;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;
use unchanged::Lines;
use walk::Walked;

/// Returns the pages of a pack that a source gave, by their paths in the pack; none when the pack
/// does not stand on a source, or its record can't be read.
pub(crate) fn synced_pages(pack: &Path) -> HashSet<String> {
    let record = Record::read(pack).ok().flatten().unwrap_or_default();
    record.pages().map(|page| format!("{PAGES}/{}", page.path)).collect()
}

/// The folder of the pages in a pack.
pub const PAGES: &str = "wiki";

/// The name of the lock file in a pack.
const LOCK: &str = ".sync.lock";

/// The time that a sync waits for another one of the same pack.
const PATIENCE: Duration = Duration::from_secs(30);

/// The properties of a pack that is made of a source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewSource<'a> {
    /// Its name, which its folder gets as well.
    pub name: &'a str,
    /// The folders, files and addresses that it is made of.
    pub sources: &'a [PathBuf],
    /// Its subject and purpose; made from the titles of its pages when there is none.
    pub description: Option<&'a str>,
    /// Its type, such as `brand-product`; `domain-reference` when there is none.
    pub kind: Option<&'a str>,
    /// The beginning of the addresses that its pages have on their site, such as `/docs/`.
    pub site_root: Option<&'a str>,
    /// The types that are allowed besides the known ones.
    pub types: &'a [String],
}

/// Refuses addresses among sources that are to be watched: looking at them often would be a load for
/// their servers.
///
/// # Errors
/// [`SyncError::BadSource`], which names the address.
pub fn require_watchable(sources: &[PathBuf]) -> Result<(), SyncError> {
    match sources.iter().filter_map(|source| source.to_str()).find(|source| is_address(source)) {
        None => Ok(()),
        Some(address) => {
            let reason = format!(
                "folders and files can be watched, and `{address}` is an address; sync it when its \
                 pages change"
            );
            Err(SyncError::BadSource { reason })
        }
    }
}

/// Makes a pack of a source in the folder `into`, which holds packs, or syncs the pack of that name
/// with the source. The record names sources inside `base` relative to it, and others by their
/// absolute path.
///
/// # Errors
/// [`SyncError`]; a pack that is there already stays as it was.
pub fn add(
    new: &NewSource<'_>,
    into: &Path,
    base: &Path,
    web: &dyn Web,
) -> Result<SyncReport, SyncError> {
    if let Some(reason) = name_problem(new.name) {
        return Err(MaintenanceError::BadName { name: new.name.to_owned(), reason }.into());
    }
    let sources = Source::open_all(new.sources, base, web)?;
    let root = into.join(new.name);
    if std::fs::symlink_metadata(&root).is_err() {
        match create(new, &sources, into, &root) {
            // Another process made the pack meanwhile: then this is a sync like any other.
            Err(SyncError::Pack(MaintenanceError::Exists { .. })) => {}
            made => return made,
        }
    }
    if Record::read_sources(&root)?.is_none() {
        return Err(SyncError::NotSynced { path: root });
    }
    update(&root, &sources, new.types)
}

/// Makes the folder of a new pack beside its place and moves it there when it is whole.
fn create(
    new: &NewSource<'_>,
    sources: &[Source],
    into: &Path,
    root: &Path,
) -> Result<SyncReport, SyncError> {
    let not_written = |error| SyncError::not_written(root, &error);
    std::fs::create_dir_all(into).map_err(not_written)?;
    let work = tempfile::Builder::new().prefix(".new-").tempdir_in(into).map_err(not_written)?;
    let pack = work.path().join(new.name);
    std::fs::create_dir(&pack).map_err(not_written)?;
    let mut stage = Stage::of(&pack);
    let walked = walk_all(sources, work.path())?.into_iter().map(Walked::sorted).collect();
    let built = build(sources, walked, Before::default(), &mut stage)?;
    if built.report.read.is_empty() {
        return Err(SyncError::Nothing { skipped: built.report.skipped });
    }
    guide::write(new, sources, &built.titles, &pack)?;
    built.settle(stage)?;
    match std::fs::rename(&pack, root) {
        Ok(()) => Ok(built.report),
        Err(_) if std::fs::symlink_metadata(root).is_ok() => {
            Err(MaintenanceError::Exists { path: root.to_owned() }.into())
        }
        Err(error) => Err(not_written(error)),
    }
}

/// A pack that stands on a source.
#[derive(Debug)]
pub struct SyncedPack {
    root: PathBuf,
    base: PathBuf,
    sources: Vec<String>,
}

impl SyncedPack {
    /// Opens the pack in a folder; `None` when it does not stand on a source. Relative sources
    /// of its record are found from `base`.
    ///
    /// # Errors
    /// [`SyncError::BadRecord`] when its record can't be read.
    pub fn open(root: &Path, base: &Path) -> Result<Option<Self>, SyncError> {
        let Some(sources) = Record::read_sources(root)? else { return Ok(None) };
        let (root, base) = (root.to_owned(), base.to_owned());
        Ok(Some(Self { root, base, sources }))
    }

    /// Refuses sources outside the base that no person named for this pack: a record that came with
    /// a project must not decide what is read of a computer.
    ///
    /// # Errors
    /// [`SyncError::NotNamed`]; [`SyncError::Approvals`] when the record of approvals can't be read.
    pub fn require_approved(&self, approvals: Option<&Approvals>) -> Result<(), SyncError> {
        for place in self.outside() {
            let is_approved = match approvals {
                Some(approvals) => approvals.has(&self.name(), &self.consent(&place))?,
                None => false,
            };
            if !is_approved {
                return Err(SyncError::NotNamed { pack: self.name(), place });
            }
        }
        Ok(())
    }

    /// Approves its sources outside the base, which a person named.
    ///
    /// # Errors
    /// [`SyncError::Approvals`] when the record of approvals can't be written.
    pub fn approve(&self, approvals: &Approvals) -> Result<(), SyncError> {
        for place in self.outside() {
            approvals.add(&self.name(), &self.consent(&place))?;
        }
        Ok(())
    }

    fn name(&self) -> String {
        self.root.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns what an approval of a source names: the source and the pack at its place.
    fn consent(&self, place: &Path) -> Digest {
        let root = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
        let (root, place) = (root.display().to_string(), place.display().to_string());
        Digest::of_json(&serde_json::json!({ "pack": root, "source": place }))
    }

    /// Returns the places of its sources that are not inside the base.
    fn outside(&self) -> Vec<PathBuf> {
        let is_inside = |place: &PathBuf| {
            !place.to_str().is_some_and(is_address) && source::is_inside(place, &self.base)
        };
        self.places().filter(|place| !is_inside(place)).collect()
    }

    /// Brings the pages in step with the sources. `types` are allowed besides the known ones.
    ///
    /// # Errors
    /// [`SyncError`]; the pack stays as it was.
    pub fn sync(&self, web: &dyn Web, types: &[String]) -> Result<SyncReport, SyncError> {
        let places: Vec<PathBuf> = self.places().collect();
        update(&self.root, &Source::open_all(&places, &self.base, web)?, types)
    }

    fn places(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.sources.iter().map(|source| match is_address(source) {
            true => PathBuf::from(source),
            false => self.base.join(source),
        })
    }
}

/// Brings the pages of a pack in step with sources, alone.
fn update(root: &Path, sources: &[Source], types: &[String]) -> Result<SyncReport, SyncError> {
    guide::require_trust(sources, types, root)?;
    for source in sources {
        source.require_apart_from(root)?;
    }
    let _lock = hold(root)?;
    stage::remove_leftovers(root);
    let (walked, before) = match look(root, sources)? {
        Found::Unchanged(report) => return Ok(report),
        Found::Other(walked, before) => (walked, before),
    };
    let mut stage = Stage::of(root);
    let built = build(sources, walked, before, &mut stage)?;
    if !built.report.is_unchanged() {
        built.settle(stage)?;
    } else if built.is_record_new {
        built.record.write(&root.join(PAGES))?;
    }
    Ok(built.report)
}

/// What a look at the sources and the pack has found.
enum Found {
    Unchanged(SyncReport),
    Other(Vec<Walked>, Before),
}

/// Looks at the sources and at the pack, both at once: a sync that finds nothing to do takes nearly
/// all of its time for this.
fn look(root: &Path, sources: &[Source]) -> Result<Found, SyncError> {
    let bytes = Record::bytes(root)?;
    let (walked, (pages, lines)) = thread::scope(|scope| {
        let pack =
            scope.spawn(|| (walk::pages(&root.join(PAGES)), bytes.as_deref().and_then(Lines::of)));
        let walked = walk_all(sources, root);
        let pack = pack.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok::<_, SyncError>((walked?, pack))
    })?;
    if let Some(report) = lines.and_then(|lines| lines.report(sources, &walked, &pages)) {
        sources.iter().try_for_each(Source::require_present)?;
        return Ok(Found::Unchanged(report));
    }
    let record = bytes.map_or_else(|| Ok(Record::default()), |bytes| Record::of(root, &bytes))?;
    let walked = walked.into_iter().map(Walked::sorted).collect();
    Ok(Found::Other(walked, Before::of(record, pages)))
}

/// Walks all sources. The pack itself is not part of a source that it lies in.
fn walk_all(sources: &[Source], pack: &Path) -> Result<Vec<Walked>, SyncError> {
    let pack = pack.canonicalize().unwrap_or_else(|_| pack.to_owned());
    sources.iter().map(|source| walk::source(source, &pack)).collect()
}

/// Returns the right to sync a pack.
fn hold(root: &Path) -> Result<std::fs::File, SyncError> {
    let file = root.join(LOCK);
    match lock(&file, PATIENCE) {
        Ok(Some(held)) => Ok(held),
        Ok(None) => Err(SyncError::Busy { path: root.to_owned(), seconds: PATIENCE.as_secs() }),
        Err(error) => Err(SyncError::not_written(&file, &error)),
    }
}
