//! `contexture knowledge add --watch`: a pack that is synced whenever its source changes (MA-4).
//!
//! Decision: the source is looked at again and again, by the check with which a sync finds what changed.
//! Events of the system would save looks, and not the sync that follows them.

use super::sync::{self, Synced};
use crate::prelude::*;
use crate::support::runtime::multi_threaded;
use crate::support::signals::asked_to_end;
use contexture::knowledge::sync::{SyncError, SyncReport};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The shortest time between two looks at a source.
const PAUSE: Duration = Duration::from_millis(500);

/// The least multiple of the time that a look took for the pause after it: a large source takes a
/// twentieth of a processor.
const PAUSE_BY_LOOK: u32 = 19;

/// A watch over the source of a pack, which ends with Ctrl-C: a sync under way is completed first.
pub(super) struct Watch {
    runtime: Runtime,
    end: JoinHandle<()>,
}

impl Watch {
    /// Begins to listen for Ctrl-C.
    pub(super) fn begin() -> Result<Self, Abort> {
        let runtime = multi_threaded()?;
        let end = {
            let _context = runtime.enter();
            asked_to_end()
        };
        let end = runtime.spawn(end);
        Ok(Self { runtime, end })
    }

    /// Prints the first sync of a pack, then syncs again and again until the end is asked for, and
    /// prints what is new. A sync that fails is printed once for its reason, and tried again: a source
    /// may come back.
    pub(super) fn keep(
        mut self,
        first: Synced,
        json: bool,
        terminal: &Terminal,
        sync: impl Fn() -> Result<SyncReport, SyncError>,
    ) -> CommandResult {
        sync::print(std::slice::from_ref(&first), json, terminal)?;
        terminal.note("watching the source; Ctrl-C ends it");
        let Synced { pack, root, result } = first;
        let mut said = Said { report: result.unwrap_or_default(), fault: None };
        let mut pause = PAUSE;
        while !self.ends_within(pause) {
            let begun = Instant::now();
            let result = sync();
            pause = PAUSE.max(begun.elapsed() * PAUSE_BY_LOOK);
            if let Some(result) = said.news(result, !json) {
                let synced = Synced { pack: pack.clone(), root: root.clone(), result };
                sync::print(&[synced], json, terminal)?;
            }
        }
        Ok(Exit::Done)
    }

    /// Waits; returns true as soon as the end is asked for.
    fn ends_within(&mut self, pause: Duration) -> bool {
        let Self { runtime, end } = self;
        runtime.block_on(async { timeout(pause, end).await.is_ok() })
    }
}

/// What was printed of the last sync.
struct Said {
    report: SyncReport,
    fault: Option<SyncError>,
}

impl Said {
    /// Takes the result of a sync, and returns what of it to print: nothing when nothing is new. A
    /// person has read of entries that were skipped before: `is_brief` leaves them out.
    fn news(
        &mut self,
        result: Result<SyncReport, SyncError>,
        is_brief: bool,
    ) -> Option<Result<SyncReport, SyncError>> {
        let fault = self.fault.take();
        match result {
            Ok(report) if fault.is_some() || report.has_news_since(&self.report) => {
                let mut news = report.clone();
                if is_brief {
                    news.skipped.retain(|one| !self.report.skipped.contains(one));
                }
                self.report = report;
                Some(Ok(news))
            }
            Ok(_) => None,
            Err(error) => {
                let is_new = fault.as_ref() != Some(&error);
                self.fault = Some(error.clone());
                is_new.then_some(Err(error))
            }
        }
    }
}
