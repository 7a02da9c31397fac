//! The turns of an earlier server, at the start of the next one (WA-3).

use super::parked::Parked;
use super::work::TurnWork;
use crate::fault::Fault;
use crate::serve::app::App;
use crate::serve::flows::resume::{incarnation, kept, unusable};
use contexture::durable::{self, StoredRun};
use contexture::store::contexts::PendingKey;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Owner, context and messageId.
type Name = (String, String, String);

/// The turns of an earlier server.
#[derive(Default)]
pub(crate) struct Turns {
    /// The runs of those that only wait.
    pub(crate) parked: HashMap<Name, String>,
    /// The contexts in which one waits or is taken up.
    taken: HashSet<(String, String)>,
}

impl Turns {
    /// Leaves a turn that only waits to those who answer; false if it is not such a one.
    pub(crate) fn is_parked(&mut self, app: &Arc<App>, pending: &PendingKey) -> bool {
        let Some(run) = name_of(pending).and_then(|name| self.parked.get(&name).cloned()) else {
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
        pending: Vec<PendingKey>,
        journals: &HashSet<String>,
    ) -> Result<Vec<PendingKey>, Fault> {
        let known: HashSet<String> = self.parked.values().cloned().collect();
        let stored = durable::turns(&app.project, &(journals - &known));
        let mut runs: HashMap<Name, StoredRun> = HashMap::new();
        for run in stored {
            if let Some(turn) = run.turn() {
                let message = turn.message_id().to_owned();
                let name = (turn.owner.clone(), turn.context.clone(), message);
                runs.insert(name, run);
            }
        }
        let mut rest = Vec::new();
        for pending in pending {
            match name_of(&pending).and_then(|name| runs.remove(&name)) {
                Some(run) => match self.enter(app, &pending, run.id) {
                    Some(parked) => parked.take_up(app),
                    None => rest.push(pending),
                },
                None if self.begins_anew(app, &pending)? => {}
                None => rest.push(pending),
            }
        }
        // Their turns have their answers; what a person has to look at, or wants to go on with, stays.
        let is_over = |(owner, context, message): &Name, run: &StoredRun| {
            app.turns.find_in(owner, Some(context), message).is_none()
                && !run.is_uncertain()
                && !durable::is_wished(&app.project, &run.id)
        };
        for (_, run) in runs.iter().filter(|(name, run)| is_over(name, run)) {
            durable::forget(&app.project, &run.id);
        }
        Ok(rest)
    }

    fn enter(&mut self, app: &App, pending: &PendingKey, run: String) -> Option<Parked> {
        let context = pending.context_id.clone()?;
        let incarnation = incarnation(app, &pending.owner, &context)?;
        self.taken.insert((pending.owner.clone(), context.clone()));
        let name = pending.key.clone();
        let key = (pending.owner.as_str().into(), name.context_id, name.message_id);
        Some(Parked::earlier(app, key, (context, incarnation), &run))
    }

    /// Begins a turn anew that did not begin, or can't have, as another one of its context waited.
    fn begins_anew(&self, app: &Arc<App>, pending: &PendingKey) -> Result<bool, Fault> {
        let Some((owner, context, id)) = name_of(pending) else { return Ok(false) };
        if pending.has_begun && !self.taken.contains(&(owner.clone(), context.clone())) {
            return Ok(false);
        }
        let found = kept(app, &owner, &context, &id).map_err(|error| unusable(&error))?;
        let incarnation = incarnation(app, &owner, &context);
        let (Some(found), Some(incarnation)) = (found, incarnation) else { return Ok(false) };
        let key = (owner.as_str().into(), pending.key.context_id.clone(), id);
        Ok(TurnWork::anew(app, key, (context, incarnation), found))
    }
}

fn name_of(pending: &PendingKey) -> Option<Name> {
    let context = pending.context_id.clone()?;
    Some((pending.owner.clone(), context, pending.key.message_id.clone()))
}
