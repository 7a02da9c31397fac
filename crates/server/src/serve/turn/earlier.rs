//! The turns of an earlier server, at the start of the next one (WA-3).
//!
//! Decision: there may be very many of them, so nothing is asked of a store for one that only waits, and
//! what is read of all at once is looked up where it is (WA-1).

use super::parked::Parked;
use super::work::TurnWork;
use crate::fault::Fault;
use crate::serve::app::App;
use crate::serve::flows::resume::{kept, unusable};
use contexture::durable::{self, StoredRun};
use contexture::store::contexts::PendingKey;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Owner, context and messageId.
type Name<'l> = (&'l str, &'l str, &'l str);

/// The turns of an earlier server.
#[derive(Default)]
pub(crate) struct Turns<'l> {
    /// The runs of those that only wait.
    parked: HashMap<Name<'l>, &'l str>,
    /// The contexts in which one waits or is taken up.
    taken: HashSet<(&'l str, &'l str)>,
    /// The owners, of whom many turns may wait.
    owners: HashMap<&'l str, Arc<str>>,
}

impl<'l> Turns<'l> {
    /// Adds the run of a turn that only waits.
    pub(crate) fn waits(&mut self, name: Name<'l>, run: &'l str) {
        self.parked.insert(name, run);
    }

    /// Leaves a turn that only waits to those who answer; false if it is not such a one.
    pub(crate) fn is_parked(&mut self, app: &Arc<App>, pending: &'l PendingKey) -> bool {
        let Some(run) = name_of(pending).and_then(|name| self.parked.get(&name).copied()) else {
            return false;
        };
        let Some(parked) = self.enter(app, pending, run) else { return false };
        parked.wait(app);
        true
    }

    /// Resumes the turns that have a journal, and begins those that were queued behind them. Returns the
    /// others.
    ///
    /// # Errors
    /// A [`Fault`] when the journals or the contexts can't be read.
    pub(crate) fn take_up(
        mut self,
        app: &Arc<App>,
        pending: Vec<&'l PendingKey>,
        journals: &HashSet<String>,
    ) -> Result<Vec<PendingKey>, Fault> {
        let known: HashSet<&str> = self.parked.values().copied().collect();
        let unknown = journals.iter().filter(|run| !known.contains(&***run)).cloned().collect();
        let stored = durable::turns(&app.project, &unknown);
        let mut runs: HashMap<Name<'_>, &StoredRun> = HashMap::new();
        for run in &stored {
            if let Some(turn) = run.turn() {
                runs.insert((&turn.owner, &turn.context, turn.message_id()), run);
            }
        }
        let mut rest = Vec::new();
        for pending in pending {
            match name_of(pending).and_then(|name| runs.remove(&name)) {
                Some(run) => match self.enter(app, pending, &run.id) {
                    Some(parked) => parked.take_up(app),
                    None => rest.push(pending.clone()),
                },
                None if self.begins_anew(app, pending)? => {}
                None => rest.push(pending.clone()),
            }
        }
        // Their turns have their answers; what a person has to look at, or wants to go on with, stays.
        let is_over = |(owner, context, message): &Name<'_>, run: &StoredRun| {
            app.turns.find_in(owner, Some(*context), message).is_none()
                && !run.is_uncertain()
                && !durable::is_wished(&app.project, &run.id)
        };
        for (_, run) in runs.iter().filter(|(name, run)| is_over(name, run)) {
            durable::forget(&app.project, &run.id);
        }
        Ok(rest)
    }

    fn enter(&mut self, app: &App, pending: &'l PendingKey, run: &str) -> Option<Parked> {
        let (context, incarnation) = (pending.context_id.as_deref()?, pending.incarnation?);
        self.taken.insert((&pending.owner, context));
        let owner = self.owners.entry(&pending.owner).or_insert_with(|| (&*pending.owner).into());
        let name = pending.key.clone();
        let key = (Arc::clone(owner), name.context_id, name.message_id);
        Some(Parked::earlier(app, key, (context.to_owned(), incarnation), run))
    }

    /// Begins a turn anew that did not begin, or can't have, as another one of its context waited.
    fn begins_anew(&self, app: &Arc<App>, pending: &PendingKey) -> Result<bool, Fault> {
        let (Some((owner, context, id)), Some(incarnation)) =
            (name_of(pending), pending.incarnation)
        else {
            return Ok(false);
        };
        if pending.has_begun && !self.taken.contains(&(owner, context)) {
            return Ok(false);
        }
        let found = kept(app, owner, context, id).map_err(|error| unusable(&error))?;
        let Some(found) = found else { return Ok(false) };
        let key = (owner.into(), pending.key.context_id.clone(), id.to_owned());
        Ok(TurnWork::anew(app, key, (context.to_owned(), incarnation), found))
    }
}

/// Returns the name of a message with the context that it went to.
pub(crate) fn name_of(pending: &PendingKey) -> Option<Name<'_>> {
    let context = pending.context_id.as_deref()?;
    Some((&pending.owner, context, &pending.key.message_id))
}

#[cfg(test)]
mod tests;
