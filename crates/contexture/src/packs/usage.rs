//! The log of the use of packs (KN-15).

use crate::config::UsagePlace;
use crate::project::Project;
use contexture_knowledge::item::CatalogItem;
use contexture_knowledge::resolve::Resolution;
use contexture_knowledge::usage::{self, UsageError, UsageLine, UsageLog};
use contexture_store::home;
use contexture_store::stamp::{Ids, iso_time};
use serde_json::json;
use std::io;
use std::path::{Path, PathBuf};

/// The destination of lines, and the clock for their time.
pub(super) struct Log {
    place: UsagePlace,
    folder: PathBuf,
    clock: Ids,
}

impl Log {
    pub(super) fn of(project: &Project) -> Self {
        let place = project.config.knowledge.usage;
        Self { place, folder: project.state_folder(), clock: contexture_store::stamp::system() }
    }

    fn path(&self, item: &CatalogItem) -> Option<PathBuf> {
        match self.place {
            // A built-in pack has no folder.
            UsagePlace::Pack if item.pack_root.is_dir() => {
                Some(item.pack_root.join("runs").join(usage::FILE))
            }
            UsagePlace::Workspace | UsagePlace::Pack => Some(self.of_workspace()),
            UsagePlace::Off => None,
        }
    }

    /// Writes a line for each pack that was resolved.
    pub(super) fn write(&self, resolution: &Resolution) -> Result<(), UsageError> {
        for used in &resolution.uses {
            let Some(path) = self.path(&used.item) else { continue };
            let line = UsageLine {
                selected_files: used.selected_files.clone(),
                grounding: used.grounding,
                citation_gaps: used.citation_gaps.iter().map(|gap| json!(gap)).collect(),
                warnings: used.warnings.clone(),
                ..UsageLine::of(&used.item, self.now())
            };
            refuse_links(&path)?;
            UsageLog::append(&path, &line)?;
            home::mark(&path);
        }
        Ok(())
    }

    /// Returns the log of the workspace, whether or not anything is written to it.
    pub(super) fn of_workspace(&self) -> PathBuf {
        self.folder.join(usage::FILE)
    }

    /// Returns the time, as in `2026-05-01T00:00:00Z`.
    fn now(&self) -> String {
        let time = iso_time(self.clock.now_us());
        time.split_once('.').map_or(time.clone(), |(seconds, _)| format!("{seconds}Z"))
    }
}

/// Refuses a link in place of the log or its folder: the author of the workspace or the pack could
/// use it to have lines written elsewhere.
fn refuse_links(path: &Path) -> Result<(), UsageError> {
    let link = path.ancestors().take(2).find(|part| part.is_symlink());
    let refused = |link: &Path| UsageError::Io {
        action: "write a line to",
        path: link.to_owned(),
        source: io::Error::other("it is a symlink"),
    };
    link.map_or(Ok(()), |link| Err(refused(link)))
}
