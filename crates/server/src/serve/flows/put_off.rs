//! Sets to resume whose places are taken (WA-11).
//!
//! Decision: a message that is sent again takes the place of its set before it reads the outcome. A set
//! that is taken over or woken in this moment is resumed after that: whoever has the place only looks, and
//! waits then for somebody to resume it.

use super::resume::{Found, resume};
use crate::serve::app::App;
use parking_lot::Mutex;
use serde_json::json;
use std::sync::Arc;

/// The sets that are to be resumed as soon as their places are free.
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

/// Resumes the sets whose places are free by now.
pub(crate) async fn look(app: &Arc<App>) {
    let waiting = app.flows.put_off.take();
    if waiting.is_empty() || app.is_ending() {
        return;
    }
    let again = Arc::clone(app);
    let resume_all = move || waiting.into_iter().for_each(|found| resume_or_tell(&again, found));
    // A panic is told by the task itself.
    let _ = tokio::task::spawn_blocking(resume_all).await;
}

fn resume_or_tell(app: &Arc<App>, found: Found) {
    let run = found.run.as_ref().map(|run| run.run.clone());
    if let Err(fault) = resume(app, found) {
        let told = json!({ "run": run, "reason": fault.to_string() });
        app.log.info("set_not_resumed", told);
    }
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
