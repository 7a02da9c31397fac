//! Progress without a terminal: a line for each step that ends, in large sets for each twentieth of
//! the steps.

use super::table::{Row, micros};
use crate::output::paint::Paint;
use crate::output::text::{duration, grouped};
use contexture::flow::picture::sign;
use contexture::flow::run::Notice;
use contexture::protocol::content::Status;

/// The largest set of which each step gets a line.
const FEW: usize = 200;
/// The lines of a larger set.
const PARTS: usize = 20;

/// The progress of a run.
pub(super) struct Lines {
    pub(super) total: usize,
    pub(super) done: usize,
}

impl Lines {
    /// Returns the line for a change, if it gets one.
    pub(super) fn line(&self, row: &Row, notice: &Notice<'_>, paint: Paint) -> Option<String> {
        if self.total > FEW {
            return self.part(row);
        }
        match row.status {
            Status::Running if notice.attempt > 1 => {
                Some(format!("▶ {}  attempt {}", row.id, notice.attempt))
            }
            Status::Running | Status::Pending => None,
            status => {
                let time = row.took.map(micros).map(duration).unwrap_or_default();
                let parts =
                    [row.id.as_str(), row.action.as_str(), status.as_str(), &time, &row.text];
                let parts = parts.into_iter().filter(|part| !part.is_empty());
                let line = parts.collect::<Vec<_>>().join("  ");
                let sign = match status {
                    Status::Completed => paint.green(sign(status)),
                    Status::Skipped => paint.dim(sign(status)),
                    _ => paint.red(sign(status)),
                };
                Some(format!("{sign} {line}"))
            }
        }
    }

    fn part(&self, row: &Row) -> Option<String> {
        let every = self.total.div_ceil(PARTS).max(1);
        let is_due = row.status.is_final() && self.done.is_multiple_of(every);
        is_due.then(|| {
            format!("{} of {} steps", grouped(self.done as u64), grouped(self.total as u64))
        })
    }
}
