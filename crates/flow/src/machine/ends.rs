//! The end of a step, and what becomes ready by it.

use super::cell::{Ended, Phase};
use super::{Change, Machine};
use contexture_protocol::content::Status;

impl Machine {
    /// Ends a step and releases its dependents.
    pub(super) fn end(&mut self, step: u32, status: Status, mut ended: Ended) {
        let Some(cell) = self.cells.get_mut(step as usize) else { return };
        if cell.status.is_final() {
            return;
        }
        let was_running = cell.status == Status::Running;
        if let Some(started) = cell.started {
            ended.took = self.now.saturating_sub(started);
        }
        cell.status = status;
        cell.phase = Phase::Idle;
        cell.ended = Some(Box::new(ended));
        let attempt = cell.attempt;
        self.done += 1;
        let lane = self.lanes.lane(step);
        lane.left -= 1;
        lane.running -= usize::from(was_running);
        self.record(Change::Ended { step, attempt });
        self.release(step);
    }

    fn release(&mut self, step: u32) {
        let plan = self.plan.clone();
        for next in plan.dependents.of(step) {
            let Some(cell) = self.cells.get_mut(*next as usize) else { continue };
            cell.waiting = cell.waiting.saturating_sub(1);
            if cell.waiting == 0 && cell.status == Status::Pending {
                self.lanes.push(*next);
            }
        }
    }

    /// Finds the steps whose dependencies have ended.
    pub(super) fn find_ready(&mut self) {
        let plan = self.plan.clone();
        for number in 0..crate::graph::number(self.cells.len()) {
            let is_open = |node: &&u32| {
                self.cells.get(**node as usize).is_some_and(|cell| !cell.status.is_final())
            };
            let waiting = plan.dependencies.of(number).iter().filter(is_open).count();
            let Some(cell) = self.cells.get_mut(number as usize) else { continue };
            cell.waiting = crate::graph::number(waiting);
            if waiting == 0 && cell.status == Status::Pending {
                self.lanes.push(number);
            }
        }
    }
}
