//! The way of a turn to its beginning, over all servers (WA-11).

use super::TurnWork;
use crate::serve::neighbours;
use crate::serve::turn::parked;
use crate::serve::turn::queues::Place;

/// Where a turn begins.
pub(super) enum Begins {
    /// Here, now: those before it in its context have their answers.
    Now,
    /// On the next server, or on another one that works on its context.
    Elsewhere,
    /// Nowhere: it was cancelled before.
    Cancelled,
}

impl TurnWork {
    /// Waits until the turn may begin: the next one of a context begins when the answer before it is stored
    /// and sent.
    pub(super) async fn begins(&self, place: &mut Place) -> Begins {
        let is_new = self.resumes.is_none();
        let first = async {
            place.reached().await;
            !is_new || neighbours::comes_first(&self.app, &self.key, self.incarnation).await
        };
        tokio::select! {
            is_first = first => if is_first { Begins::Now } else { Begins::Elsewhere },
            () = self.turn.cancel.cancelled() => Begins::Cancelled,
            () = parked::put_off(&self.app, &self.key.0, &self.context) => Begins::Elsewhere,
        }
    }

    /// Leaves a turn that did not begin to the next server, which finds its message.
    pub(super) fn turn_to_next_server(self) {
        parked::tell_draining(&self.app, &self.key, &self.turn);
        self.app.turns.ended();
    }
}
