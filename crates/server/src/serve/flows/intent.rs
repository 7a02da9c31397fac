//! Instruction sets that answer intents (CP-5, 9.2).

use super::clients::Clients;
use super::earlier::{Before, earlier};
use super::intent_set::{INPUT, INTENT, IntentSet, user_input};
use super::job::{Job, Start, Tell, Unanswered, set_of};
use super::place::{Entered, Place};
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::exchange::failure::refusal;
use crate::serve::message::digest;
use crate::serve::turn::turns::TurnKey;
use contexture::context::{Label, Trust};
use contexture_protocol::content::UserInput;
use contexture_protocol::{Body, ErrorCode, Message, Refusal};
use serde_json::json;
use std::sync::{Arc, OnceLock};

impl IntentSet {
    /// Creates the message with the instructions that answer the user.
    pub(crate) fn message(&self, app: &App, context: &str, input: &UserInput) -> Message {
        let body = Body::Instruction(self.set.clone());
        let mut message = app.maker.message(Some(context), body);
        message.set_meta(INTENT, self.name.as_str());
        let attachments = input.attachments.as_ref().map(|all| json!(all)).unwrap_or(json!([]));
        message.set_meta(INPUT, json!({ "text": input.text, "attachments": attachments }));
        message
    }

    /// Runs the set of a stored message; the answer is not stored yet.
    pub(crate) async fn answer(
        &self,
        app: &Arc<App>,
        caller: &Caller,
        (key, incarnation): (TurnKey, u64),
        message: Message,
        tell: Tell,
    ) -> Result<(Message, Label), Refusal> {
        let context = message.context_id.clone().unwrap_or_default();
        let Ok(Entered::New(place)) = Place::enter(app, key, digest(&message), true) else {
            return Err(Refusal::new(ErrorCode::Internal, "the set runs already"));
        };
        if let Some(set) = set_of(&message) {
            place.running.identify(&context, &set);
        }
        place.running.set_kept_in(incarnation);
        let job = Job {
            app: Arc::clone(app),
            owner: Arc::clone(caller.owner()),
            ledger: app.ledger(&caller.grant),
            origin: caller.session.clone(),
            context,
            incarnation: Some(incarnation),
            message,
            intent: Some(self.name.clone()),
            labels: OnceLock::new(),
            place,
            tell,
        };
        let answer = job.answer_intent().await;
        let answer = answer.map(|answer| {
            let label = job.label_of(&answer);
            (answer, label)
        });
        job.place.leave();
        answer
    }
}

impl Job {
    async fn answer_intent(&self) -> Result<Message, Refusal> {
        let set = set_of(&self.message);
        let set = set.ok_or_else(|| Refusal::new(ErrorCode::Internal, "the intent has no set"))?;
        let earlier = earlier(&self.app, &self.owner, &self.context, &set).await;
        let mut earlier = earlier.map_err(|error| refusal(error, Some(&self.context)))?;
        self.hear(&mut earlier);
        let run = self.app.maker.id("run");
        let clients = Clients::new(self.forwarder(), &run, &set);
        let checked = self.checked(&set, clients, earlier)?;
        let answer = self.work(&run, checked, Start::default()).await;
        // It ends with its turn.
        let answer = answer.map_err(Unanswered::into_refusal)?;
        answer.ok_or_else(|| Refusal::new(ErrorCode::Internal, "the set was left"))
    }

    /// Adds the user input to the dependencies of the set of an intent.
    pub(super) fn hear(&self, earlier: &mut Before) {
        if self.intent.is_some()
            && let Some(input) = self.message.meta(INPUT)
        {
            earlier.outcomes.add(&user_input(input));
            earlier.labels.push((INPUT.to_owned(), Trust::User.into()));
        }
    }
}
