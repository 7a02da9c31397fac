//! Sets to resume later: their places are taken, or their store failed (WA-11).
//!
//! Decision: a message that is sent again takes the place of its set before it reads the outcome. A set
//! that is taken over or woken in this moment is resumed after that: whoever has the place only looks, and
//! waits then for somebody to resume it.
//!
//! Decision: a database that is away comes back, and the callers of a set wait for it. A folder that takes
//! no writes has to be mended by a person first, so its callers are told at once; the message stays without an
//! answer, and is gone on with when it is sent again.

use super::job::Job;
use super::resume::{Found, resume};
use crate::serve::app::App;
use contexture::store::contexts::KeyName;
use contexture::store::flows::FlowStoreError;
use contexture_protocol::Refusal;
use parking_lot::Mutex;
use serde_json::json;
use std::sync::Arc;

/// The sets that are to be resumed as soon as they can be.
#[derive(Default)]
pub(crate) struct PutOff(Mutex<Vec<Found>>);

impl PutOff {
    pub(super) fn add(&self, found: Found) {
        self.0.lock().push(found);
    }

    fn take(&self) -> Vec<Found> {
        std::mem::take(&mut *self.0.lock())
    }
}

impl Job {
    /// Leaves a set whose store failed: it is resumed by this server, or by its caller.
    pub(super) fn unkept(self, refused: Refusal) {
        if self.app.is_ending() {
            // Who waits learns that the server ends.
            return;
        }
        if self.app.database.is_none() {
            let refused = self.refusal(refused);
            return self.place.refuse(refused);
        }
        self.put_off();
    }

    fn put_off(self) {
        let Self { app, owner, message, place, .. } = self;
        let (_, context_id, message_id) = place.key.clone();
        let answers = KeyName { context_id, message_id };
        place.park();
        let owner = owner.to_string();
        // Whether its run is in the journal is looked up then.
        app.flows.put_off.add(Found { owner, answers, message, run: None, ack: None });
    }
}

/// Resumes the sets that can be by now.
pub(crate) async fn look(app: &Arc<App>) {
    let waiting = app.flows.put_off.take();
    if waiting.is_empty() || app.is_ending() {
        return;
    }
    let again = Arc::clone(app);
    let resume_all = move || waiting.into_iter().for_each(|found| resume_or_keep(&again, found));
    // A panic is told by the task itself.
    let _ = tokio::task::spawn_blocking(resume_all).await;
}

fn resume_or_keep(app: &Arc<App>, found: Found) {
    let Err(error) = resume_known(app, found.clone()) else { return };
    if FlowStoreError::is_passing(error.code()) {
        return app.flows.put_off.add(found);
    }
    let run = found.run.as_ref().map(|run| run.run.clone());
    app.log.info("set_not_resumed", json!({ "run": run, "reason": error.to_string() }));
}

/// Resumes a set from its run, if it has one.
fn resume_known(app: &Arc<App>, mut found: Found) -> Result<(), FlowStoreError> {
    if found.run.is_none() {
        let KeyName { context_id, message_id } = &found.answers;
        let context = context_id.as_deref().unwrap_or_default();
        found.run = app.flows.journals.of_message(&found.owner, context, message_id)?;
    }
    resume(app, found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::flows::place::{Entered, Place};
    use crate::serve::message::digest;
    use crate::serve::testing::{found, server};
    use contexture::store::contexts::Repeated;
    use std::time::Duration;

    #[tokio::test]
    async fn wa_11_set_taken_over_while_its_message_is_repeated_is_resumed_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let (serve, message) = server(folder.path(), |store| store);
        let app = &serve.0;
        let key = ("ann".into(), message.context_id.clone(), message.message_id.clone());
        // The message was sent again, and is about to read the outcome.
        let entered = Place::enter(app, key, digest(&message), false).unwrap();
        let Entered::New(repeated) = entered else { panic!("nothing has the place") };
        resume(app, found(&message)).unwrap();
        look(app).await;
        let name = found(&message).answers;
        let state = || app.store.repeated("ann", &name, &digest(&message)).unwrap();
        assert_eq!(state(), Some(Repeated::Pending));
        assert_eq!(app.flows.put_off.0.lock().len(), 1, "it is not forgotten");
        // It found that another server works on it, and waits for that one.
        repeated.park();
        look(app).await;
        let is_done =
            || matches!(state(), Some(Repeated::Done(answer)) if answer.contains("COMPLETED"));
        for _ in 0..400 {
            if is_done() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert!(is_done(), "{:?}", state());
        assert!(app.flows.put_off.take().is_empty());
    }
}
