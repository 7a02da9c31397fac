//! Acceptance of sets: a set is checked, stored and started, or refused with all its faults (FL-6,
//! CP-7).

use super::clients::Clients;
use super::earlier::{Before, earlier};
use super::job::{Checked, Job, Start, set_of};
use super::journal::UnfinishedRun;
use super::place::{Entered, Place};
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::exchange::failure::refusal;
use crate::serve::exchange::reply::{Reply, ReplySink};
use crate::serve::exchange::results::unkept;
use crate::serve::exchange::update::{acknowledged, once};
use crate::serve::message::{digest, stored_answer};
use crate::serve::neighbours;
use crate::serve::operations::audit::{AuditEvent, AuditRecord};
use contexture::store::contexts::{
    Answer, Applied, ContextError, Key, KeyName, NewMessage, Operation, Repeated,
};
use contexture::store::flows::{FlowStoreError, WaitFilter};
use contexture_flow::Set;
use contexture_flow::journal::Entry;
use contexture_protocol::content::Runtime;
use contexture_protocol::{Body, ErrorCode, Limits, Message, Refusal};
use std::sync::{Arc, OnceLock};

/// The most steps of a set of harmless actions and front-end tools that is checked at once: it is
/// stored before later messages.
const QUICK: usize = 200;

/// The messages that are read at once.
const PAGE: usize = 1_000;

/// Takes a TOOL_CALL_REQUEST, an INSTRUCTION, or the wish of a model; the answers are sent through
/// `reply`.
pub(crate) fn receive(app: &Arc<App>, caller: &Caller, message: Message, reply: Reply) {
    begin(app, caller, message, reply, None);
}

/// Takes the wish of a model that an update adds to its context. The update is answered when the wish is
/// stored; the answers to the wish go to the session of the caller, if there is one.
pub(crate) fn added(
    app: &Arc<App>,
    caller: &Caller,
    update: &Message,
    wish: Message,
    reply: Reply,
) {
    let sink: Arc<dyn ReplySink> = match &caller.session {
        Some(session) => Arc::clone(session) as Arc<_>,
        None => Arc::new(Nobody),
    };
    let answers = Reply::new(sink, app.maker.clone(), &wish);
    begin(app, caller, wish, answers, Some(Outer { update: update.clone(), reply }));
}

/// The update that adds a wish.
struct Outer {
    update: Message,
    reply: Reply,
}

impl Outer {
    fn stored(self, app: &App, applied: &Applied) {
        self.reply.finish(acknowledged(app, &self.update, applied));
    }
}

/// The run of a set, if it has begun, and what the journal has of it.
type LeftSet = (Option<UnfinishedRun>, Vec<Entry>);

/// The receiver of answers that are read in the context alone.
struct Nobody;

impl ReplySink for Nobody {
    fn passing(&self, _: Message) {}

    fn last(&self, _: Message) {}
}

/// Answers the update that adds a wish: it was known before, or is refused.
fn end_outer(outer: Option<Outer>, refused: Option<&Refusal>) {
    match (outer, refused) {
        (Some(outer), Some(refused)) => outer.reply.refuse(refused.clone()),
        (Some(outer), None) => outer.reply.acknowledge(),
        (None, _) => {}
    }
}

fn begin(app: &Arc<App>, caller: &Caller, message: Message, reply: Reply, outer: Option<Outer>) {
    let (Some(set), Some(context)) = (set_of(&message), message.context_id.clone()) else {
        return reply.refuse(Refusal::new(ErrorCode::ValidationFailed, "the message has no set"));
    };
    let owner = Arc::clone(caller.owner());
    let key = (Arc::clone(&owner), Some(context.clone()), message.message_id.clone());
    let digest = digest(&message);
    if let Some(known) = app.flows.find(&key) {
        end_outer(outer, None);
        return known.attach_again(&digest, reply);
    }
    if let Some(refused) = app.draining().or_else(|| app.engine.refusal()) {
        end_outer(outer, Some(&refused));
        return reply.refuse(refused);
    }
    let place = match Place::enter(app, key, digest, false) {
        Ok(Entered::New(place)) => place,
        Ok(Entered::Known(known)) => {
            end_outer(outer, None);
            return known.attach_again(&digest, reply);
        }
        Err(refused) => {
            end_outer(outer, Some(&refused));
            return reply.refuse(refused);
        }
    };
    place.running.identify(&context, &set);
    place.running.log.attach(reply);
    let (app, origin, tell) = (Arc::clone(app), caller.session.clone(), place.tell());
    let (intent, incarnation) = (None, None);
    let ledger = app.ledger(&caller.grant);
    let labels = OnceLock::new();
    let job = Job {
        app,
        owner,
        ledger,
        origin,
        context,
        incarnation,
        message,
        intent,
        labels,
        place,
        tell,
    };
    job.accept(set, caller.clone(), (digest, outer));
}

impl Job {
    fn accept(self, set: Set, caller: Caller, (digest, outer): ([u8; 32], Option<Outer>)) {
        let run = self.app.maker.id("run");
        if self.is_quick(&set) {
            let clients = Clients::new(self.forwarder(), &run, &set);
            if let Ok(checked) = self.checked(&set, clients, Before::default()) {
                return self.keep(run, checked, &caller, outer);
            }
        }
        let (handle, running) = (self.app.handle.clone(), Arc::clone(&self.place.running));
        let task = handle.spawn(self.consider(run, set, caller, (digest, outer)));
        running.set_task(task.abort_handle());
    }

    fn is_quick(&self, set: &Set) -> bool {
        set.steps.len() <= QUICK
            && set.steps.iter().all(|step| {
                step.runtime == Some(Runtime::Frontend)
                    || self.app.flows.allowed.is_harmless(&step.action)
            })
    }

    /// Handles a set that is not accepted at once: it may be large, read files, be repeated, or name
    /// earlier steps.
    async fn consider(
        self,
        run: String,
        set: Set,
        caller: Caller,
        (digest, outer): ([u8; 32], Option<Outer>),
    ) {
        let key = KeyName {
            context_id: Some(self.context.clone()),
            message_id: self.message.message_id.clone(),
        };
        let owner = self.owner.to_string();
        let known = self.app.read(move |store| store.repeated(&owner, &key, &digest)).await;
        match known {
            Ok(None) => {}
            Ok(repeated) => {
                end_outer(outer, None);
                return self.again(repeated).await;
            }
            Err(error) => return self.fail(error),
        }
        let earlier = match earlier(&self.app, &self.owner, &self.context, &set).await {
            Ok(earlier) => earlier,
            Err(error) => return self.fail(error),
        };
        let clients = Clients::new(self.forwarder(), &run, &set);
        let work =
            tokio::task::spawn_blocking(move || (self.checked(&set, clients, earlier), self));
        match work.await {
            Ok((Ok(checked), job)) => job.keep(run, checked, &caller, outer),
            Ok((Err(refused), job)) => {
                end_outer(outer, Some(&refused));
                job.refuse(refused);
            }
            // The place sends the error.
            Err(_) => {}
        }
    }

    /// Stores the message, and starts the run unless it is repeated.
    fn keep(mut self, run: String, checked: Checked, caller: &Caller, outer: Option<Outer>) {
        let added = vec![Operation::AddMessage(NewMessage::of(&self.message))];
        let update = once(caller, &self.message, Answer::Pending, added);
        let (app, caller) = (Arc::clone(&self.app), caller.clone());
        app.update(update, move |_, outcome| match outcome {
            Ok(applied) if applied.repeated.is_some() => {
                end_outer(outer, None);
                let handle = self.app.handle.clone();
                handle.spawn(self.again(applied.repeated));
            }
            Ok(applied) => {
                self.incarnation = Some(applied.incarnation);
                self.place.running.set_kept_in(applied.incarnation);
                self.audit(&caller);
                if let Some(outer) = outer {
                    outer.stored(&self.app, &applied);
                }
                if let Some(heard) = self.heard() {
                    heard.pass(&self.message);
                }
                if self.is_async() {
                    (self.tell)(&self.ack(Some(applied.version)));
                }
                self.spawn(run, checked, Start::default());
            }
            Err(error) => {
                let refused = refusal(error, Some(&self.context));
                end_outer(outer, Some(&refused));
                self.refuse(refused);
            }
        });
    }

    fn audit(&self, caller: &Caller) {
        let record =
            AuditRecord::new(AuditEvent::SetBegun).by(caller).with("type", self.message.kind());
        let record = record.with("messageId", self.message.message_id.as_str());
        self.app.audit.note(&record.with("contextId", self.context.as_str()));
    }

    pub(super) fn spawn(self, run: String, checked: Checked, start: Start) {
        let (handle, running) = (self.app.handle.clone(), Arc::clone(&self.place.running));
        let task = handle.spawn(self.run(run, checked, start));
        running.set_task(task.abort_handle());
    }

    fn fail(self, error: ContextError) {
        let refused = refusal(error, Some(&self.context));
        self.refuse(refused);
    }

    fn refuse(self, refused: Refusal) {
        let refused = self.refusal(refused);
        self.place.refuse(refused);
    }

    /// Repeats the answer of a message; of an asynchronous request, all responses.
    async fn again(self, repeated: Option<Repeated>) {
        if let Some((run, entries)) = self.parked().await {
            return self.take_up(Some(run), entries).await;
        }
        if repeated == Some(Repeated::Pending) {
            if self.app.database.is_some() {
                return self.wait_for_other();
            }
            match self.left().await {
                Ok(Some((run, entries))) => return self.take_up(run, entries).await,
                Ok(None) => {}
                Err(error) => {
                    let refused = unkept(&self.app, &error);
                    return self.refuse(refused);
                }
            }
        }
        let answer = match repeated {
            Some(Repeated::Done(answer)) => stored_answer(&answer),
            _ => {
                let text = "the set was interrupted, and its effects are not known";
                Err(Refusal::new(ErrorCode::OutcomeUncertain, text))
            }
        };
        match answer {
            Ok(ack) if matches!(ack.body, Body::Ack(_)) => {
                let mut responses = self.responses().await;
                let last = responses.pop();
                if last.is_some() {
                    (self.tell)(&ack);
                }
                responses.iter().for_each(|message| (self.tell)(message));
                self.place.refuse(last.unwrap_or(ack));
            }
            Ok(answer) => self.place.refuse(answer),
            Err(refused) => self.refuse(refused),
        }
    }

    /// Waits for the answer of a set that another server works on. Until then nothing works on it here, so
    /// that this server can take it over.
    fn wait_for_other(self) {
        let Self { app, place, message, .. } = self;
        let (key, running) = (place.key.clone(), Arc::clone(&place.running));
        place.park();
        app.handle.clone().spawn(async move {
            let answer = neighbours::answer_of(&app, &key, digest(&message)).await;
            if running.unpark() {
                let answer = answer.unwrap_or_else(|refused| {
                    let context_id = message.context_id.clone();
                    let message_id = Some(key.2.clone());
                    app.maker.refusal(Refusal { message_id, context_id, ..refused })
                });
                app.flows.tables.lock().forget(&key, &running);
                running.log.finish(answer);
            }
        });
    }

    /// Finds the run of a set that only waits, which nothing works on.
    async fn parked(&self) -> Option<(UnfinishedRun, Vec<Entry>)> {
        if !self.app.calls.has_open(&self.owner) {
            return None;
        }
        let filter = WaitFilter {
            owner: Some(self.owner.to_string()),
            context: Some(self.context.clone()),
            message: Some(self.answers().to_owned()),
            parked: true,
            limit: 1,
            ..WaitFilter::default()
        };
        let found = self.app.calls.find(filter).await.ok()?;
        let run = UnfinishedRun::parked(found.into_iter().next()?);
        let app = Arc::clone(&self.app);
        if !app.calls.take_parked(&run.run).await {
            return None;
        }
        let read = tokio::task::spawn_blocking(move || {
            let entries = app.flows.journals.entries(&run).ok()?;
            Some((run, entries))
        });
        read.await.ok()?
    }

    /// Finds what the journal has of a set that has no answer and that nothing works on, as its store failed;
    /// `None` if another process runs it.
    async fn left(&self) -> Result<Option<LeftSet>, FlowStoreError> {
        let (app, owner) = (Arc::clone(&self.app), Arc::clone(&self.owner));
        let (context, message) = (self.context.clone(), self.answers().to_owned());
        let read = tokio::task::spawn_blocking(move || {
            let journals = &app.flows.journals;
            match journals.of_message(&owner, &context, &message)? {
                Some(run) if run.is_held => Ok(None),
                Some(run) => {
                    let entries = journals.entries(&run)?;
                    Ok(Some((Some(run), entries)))
                }
                None => Ok(Some((None, Vec::new()))),
            }
        });
        read.await.unwrap_or(Err(FlowStoreError::Closed))
    }

    /// Goes on with a set that nothing works on, for the client that sent it again.
    async fn take_up(self, run: Option<UnfinishedRun>, entries: Vec<Entry>) {
        self.place.running.mark_resumed();
        if self.is_async() {
            (self.tell)(&self.ack(None));
        }
        self.resume(run, entries).await;
    }

    /// Returns the stored responses to an asynchronous request.
    async fn responses(&self) -> Vec<Message> {
        let (owner, context) = (self.owner.to_string(), self.context.clone());
        let id = self.answers().to_owned();
        let read = self.app.read(move |store| {
            let mut found = Vec::new();
            let mut after = Some(0);
            while let Some(from) = after {
                let key = Key { owner: &owner, context: &context };
                let page = store.messages(key, from, PAGE)?;
                let likely = page.messages.iter().filter(|one| one.text.contains(&id));
                let read =
                    likely.map(|one| (one.seq, Message::parse(one.text.as_bytes(), &Limits::FILE)));
                for (seq, message) in read {
                    let Ok(mut message) = message else { continue };
                    let is_response = matches!(message.body, Body::ToolCallResponse(_));
                    if is_response && message.in_reply_to() == Some(&id) {
                        message.set_meta("seq", seq);
                        found.push(message.in_context(&*context));
                    }
                }
                after = page.next;
            }
            Ok(found)
        });
        // Without the responses, the ACK is sent.
        read.await.unwrap_or_default()
    }
}
