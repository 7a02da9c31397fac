//! Turns that a model service answers (WA-6).

use super::work::{Stored, TurnWork};
use crate::serve::message::answering;
use crate::serve::routed::Listening;
use crate::serve::session::Session;
use contexture::llm::CancelToken;
use contexture_protocol::content::{Control, ControlAction};
use contexture_protocol::{ErrorCode, Message, Refusal};
use serde_json::Map;
use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};

impl TurnWork {
    /// Hands the message to a model service, and waits for what it answers, which is stored then.
    pub(super) async fn ask_service(
        &mut self,
        service: &str,
        cancel: &CancelToken,
    ) -> Stored<Message> {
        service.clone_into(&mut self.model);
        let place = (Arc::clone(self.caller.owner()), self.context.clone());
        let names = (service, self.message.message_id.as_str());
        let mut listening = self.app.routed.listen(place, names, Arc::clone(&self.turn));
        let patience = Duration::from_secs(self.app.project.config.serve.turn_timeout.get());
        let mut asked = None;
        let outcome = tokio::select! {
            answer = self.served(service, &mut listening, &mut asked) => answer,
            () = cancel.cancelled() => {
                Err(Refusal::new(ErrorCode::Cancelled, "the turn was cancelled"))
            }
            () = tokio::time::sleep(patience) => {
                let text = "the turn took longer than the server allows";
                Err(Refusal::new(ErrorCode::Timeout, text))
            }
        };
        if let (Err(_), Some(session)) = (&outcome, asked) {
            let target = self.message.message_id.clone();
            let control = Control { action: ControlAction::Cancel, target, extra: Map::new() };
            let control = self.app.maker.message(Some(&self.context), control.into());
            session.send(answering(control, &self.message.message_id));
        }
        self.is_stored = outcome.is_ok();
        outcome
    }

    /// Sends the message to a process of the service, and to another when that one is gone.
    async fn served(
        &self,
        service: &str,
        listening: &mut Listening,
        asked: &mut Option<Arc<Session>>,
    ) -> Stored<Message> {
        let serve = &self.app.project.config.serve;
        let patience = Duration::from_secs(serve.limits.return_seconds.get());
        let mut gone = None;
        loop {
            let announced = self.app.sessions.announced();
            let session = self.app.sessions.model(self.caller.owner(), service);
            match &session {
                Some(session) => {
                    gone = None;
                    let is_same = asked.as_ref().is_some_and(|one| Arc::ptr_eq(one, session));
                    if !is_same {
                        session.send(self.message.clone().in_context(&self.context));
                        *asked = Some(Arc::clone(session));
                    }
                }
                None => gone = gone.or_else(|| Some(Instant::now())),
            }
            let turned = async {
                match &session {
                    Some(session) => session.turned().await,
                    None => pending().await,
                }
            };
            let late = async {
                match gone {
                    Some(gone) => tokio::time::sleep_until((gone + patience).into()).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                biased;
                answer = listening.answer() => {
                    let lost = || Refusal::new(ErrorCode::Internal, "the service is not heard");
                    return answer.ok_or_else(lost);
                }
                () = turned => {}
                () = announced => {}
                () = late => {
                    let text = format!("the model service `{service}` is not connected");
                    return Err(Refusal::new(ErrorCode::ClientUnavailable, text));
                }
            }
        }
    }
}
