//! Carries out the steps of a plan: tools by the policy, readings by a model without tools.

use super::actions::PendingCall;
use super::inputs::Input;
use super::written::{ANSWER, READ, named_by};
use crate::flows::origins::{Origins, outcomes_in};
use crate::flows::shape;
use crate::host::callable::{Callable, Target};
use crate::host::fallback::{CallAccount, Place};
use crate::host::generate::{ModelCalls, Services};
use crate::host::perform::{Called, Caller};
use crate::host::prompt::prepare;
use crate::host::ranked::Selections;
use crate::host::{hiding, knowledge};
use crate::models::Model;
use crate::observe::Progress;
use contexture_answer::{Extra, Shape, coerce, validate};
use contexture_context::{DeclaredItem, Keep, Label, TraceKind, Trust};
use contexture_core::policy::Influence;
use contexture_flow::Step;
use contexture_flow::action::{ActionCall, ActionFailure};
use contexture_flow::check::Plan;
use contexture_flow::run::{Control, Report};
use contexture_protocol::content::Status;
use contexture_script::host::{Event, GenerateCall, GenerateOptions, HostError, Phase};
use contexture_tools::Tools;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The most faults that are told of an answer.
const MOST_FAULTS: usize = 20;

/// Ends a plan at the first step that fails: nothing begins after it.
#[derive(Clone, Default)]
pub(super) struct Halt(Arc<(AtomicBool, OnceLock<Control>)>);

impl Halt {
    /// Sets what is stopped.
    pub(super) fn set_control(&self, control: Control) {
        // It is set once.
        let _ = self.0.1.set(control);
    }

    pub(super) fn stop(&self) {
        self.0.0.store(true, Ordering::SeqCst);
        if let Some(control) = self.0.1.get() {
            control.cancel();
        }
    }

    fn is_stopped(&self) -> bool {
        self.0.0.load(Ordering::SeqCst)
    }
}

/// The part that does the steps of one plan.
pub(super) struct Executor<'h> {
    models: &'h ModelCalls,
    services: Services<'h>,
    call: &'h GenerateCall,
    model: &'h Model,
    callables: &'h [(String, Callable)],
    inputs: &'h [Input],
    /// The steps as the plan wrote them, by id.
    steps: HashMap<String, Step>,
    /// The order of the steps.
    order: Vec<String>,
    /// The label of the plan itself.
    own: Label,
    /// The labels of results, as the journal keeps them.
    origins: Arc<Origins>,
    halt: Halt,
    state: Mutex<State>,
}

/// What the steps gave so far.
#[derive(Default)]
struct State {
    /// The labels of results and inputs, by id.
    labels: HashMap<String, Label>,
    failures: HashMap<String, HostError>,
    answer: Option<(Value, Label)>,
}

/// A value with its label, or why there is none.
type Done = Result<(Value, Label), HostError>;

impl<'h> Executor<'h> {
    pub(super) fn new(
        (models, services): (&'h ModelCalls, Services<'h>),
        (call, model): (&'h GenerateCall, &'h Model),
        (callables, inputs): (&'h [(String, Callable)], &'h [Input]),
        (plan, origins): (&Plan, Arc<Origins>),
        (own, halt): (Label, Halt),
    ) -> Self {
        let steps = &plan.set().steps;
        let labels = inputs.iter().map(|input| (input.id.clone(), input.label.clone())).collect();
        Self {
            models,
            services,
            call,
            model,
            callables,
            inputs,
            steps: steps.iter().map(|step| (step.id.clone(), step.clone())).collect(),
            order: steps.iter().map(|step| step.id.clone()).collect(),
            own,
            origins,
            halt,
            state: Mutex::new(State { labels, ..State::default() }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does a step, unless nobody waits for it any more.
    pub(super) async fn serve(&self, pending: PendingCall) {
        let PendingCall { call, mut result } = pending;
        let done = tokio::select! {
            done = self.act(call) => Some(done),
            () = result.closed() => None,
        };
        if let Some(done) = done {
            // Nobody waits for the result of a step that was stopped.
            let _ = result.send(done);
        }
    }

    async fn act(&self, call: ActionCall) -> Result<Value, ActionFailure> {
        let Some(step) = self.steps.get(&call.id).filter(|_| !self.halt.is_stopped()) else {
            return Err(ActionFailure::new("CANCELLED", "a step before it failed"));
        };
        let decision = self.label_of(&step.condition.as_deref().map(named_by).unwrap_or_default());
        let done = match step.action.as_str() {
            READ => self.read(step, call.parameters, decision).await,
            ANSWER => self.answer(step, call.parameters, &decision),
            _ => self.tool(step, call.parameters, decision).await,
        };
        let mut state = self.state();
        match done {
            Ok((value, label)) => {
                self.origins.note(&call.id, label.clone());
                state.labels.insert(call.id, label);
                Ok(value)
            }
            Err(error) => {
                let failure = ActionFailure::new(error.code.clone(), error.message.clone());
                state.failures.insert(call.id, error);
                Err(failure)
            }
        }
    }

    /// Returns the label of what is made of the plan's words and these outcomes.
    fn label_of(&self, outcomes: &[String]) -> Label {
        let state = self.state();
        outcomes.iter().fold(self.own.clone(), |all, id| match state.labels.get(id) {
            Some(label) => all.join(label),
            None => all.join(&Label::of(id.clone(), Trust::Tool)),
        })
    }

    fn label_of_parameter(&self, step: &Step, name: &str) -> Label {
        let named = step.parameters.get(name).map(outcomes_in).unwrap_or_default();
        self.label_of(&named)
    }

    /// Calls a tool; whatever decides what it does is as low as what the plan made it of.
    async fn tool(&self, step: &Step, parameters: Map<String, Value>, decision: Label) -> Done {
        let run = self.services.run;
        let found = self.callables.iter().find(|(name, _)| *name == step.action);
        let Some((name, callable)) = found else {
            return Err(HostError::new(
                "tool_unknown",
                format!("there is no tool `{}`", step.action),
            ));
        };
        run.count_tool_call()?;
        let label = |name: &String| (name.clone(), self.label_of_parameter(step, name));
        let influence = Influence { decision, arguments: parameters.keys().map(label).collect() };
        let given = Value::Object(parameters);
        if let Target::Own(binding) = &callable.target {
            run.recorder.add_secrets(Tools::secrets_in(&binding.uri, &given));
        }
        let about = json!({ "name": callable.tool, "method": callable.method, "arguments": given });
        let event = self.begin(step, TraceKind::Tool, about);
        run.observer.notify(Progress::ToolCalled { name: name.clone() });
        let key = run.below(&self.call.key);
        let caller = Caller { run, tools: self.services.tools, event, key: &key };
        let called = caller.call(callable, given, &influence, (run.minted(&key), false)).await;
        let done = match called {
            Ok(called) => {
                let label = self.label_of_call(event, &called, &influence);
                Ok((called.value, label))
            }
            Err(failure) => {
                let error = HostError::new(failure.code, failure.message);
                Err(HostError { help: failure.help, details: failure.details, ..error })
            }
        };
        self.end(event, TraceKind::Tool, &done);
        done
    }

    /// Returns the label of what a tool gave: as low as what it was given, unless it validates that.
    fn label_of_call(&self, event: u64, called: &Called, influence: &Influence) -> Label {
        let Influence { decision, arguments } = influence;
        let given = arguments.iter().fold(called.label.clone(), |all, (_, one)| all.join(one));
        let Some(validation) = &called.validation else { return given.join(decision) };
        if given.is_below_user() {
            let (id, parent) = (self.call.events.next(), Some(event));
            let (kind, phase) = (TraceKind::Release, Phase::Instant);
            let data = validation.record(&given);
            self.services.run.recorder.record(Event {
                id,
                parent,
                kind,
                phase,
                data,
                texts: Vec::new(),
            });
        }
        validation.up(given).join(decision)
    }

    /// Has a text read into a hole.
    async fn read(&self, step: &Step, mut parameters: Map<String, Value>, decision: Label) -> Done {
        let run = self.services.run;
        let number = run.count_model_call()?;
        let written = parameters.get("shape").cloned().unwrap_or_default();
        let (shape, is_strict) = shape::read(&written, &run.limits)
            .map_err(|fault| HostError::new("plan_refused", fault))?;
        let event = self.begin(step, TraceKind::Generate, json!({}));
        let text = parameters.remove("text").unwrap_or_default();
        let question = parameters.get("question").and_then(Value::as_str).unwrap_or_default();
        let item = self.item(step, text);
        let mut reading = self.reading((event, decision), question, shape, item);
        reading.options.strict |= is_strict;
        let mut reading = Cow::Owned(reading);
        let masked = hiding::in_call(run, &mut reading, &mut []);
        let reading = reading.into_owned();
        let packs = self.services.references.packs();
        let done = async {
            let mut none = knowledge::show(run, packs, &reading, self.model)?.packs;
            let about = (&reading, self.model, number);
            let mut prepared =
                prepare(run, about, &[], (&[], &[]), (&mut none, &mut Selections::default()))
                    .await
                    .map_err(|failed| failed.error)?;
            prepared.manifest.masked = masked;
            self.models.note_call(run, &reading, self.model, &prepared);
            let account = CallAccount::default();
            let asked = (&reading, self.model, number, Place::alone(&account));
            let asked = self.models.ask_alone(self.services, asked, prepared, None).await;
            asked.map_err(|failed| failed.error)
        };
        let done = done.await;
        self.end(event, TraceKind::Generate, &done);
        done
    }

    /// Returns the text of a reading as an item, under the budget of the input that it is.
    fn item(&self, step: &Step, text: Value) -> DeclaredItem {
        let named = step.parameters.get("text").map(outcomes_in).unwrap_or_default();
        let input = self.inputs.iter().find(|input| named == [input.id.as_str()]);
        DeclaredItem {
            label: Some("text".to_owned()),
            source: named.join(", "),
            position: Some(self.call.site.position.clone()),
            value: text,
            budget: input.and_then(|input| input.budget),
            keep: input.map_or(Keep::Head, |input| input.keep),
            priority: 0,
            question: None,
            origin: self.label_of(&named),
            fence: None,
        }
    }

    fn reading(
        &self,
        (event, decision): (u64, Label),
        question: &str,
        shape: Option<Shape>,
        item: DeclaredItem,
    ) -> GenerateCall {
        GenerateCall {
            event,
            items: vec![item],
            role: None,
            description: None,
            resources: Vec::new(),
            packs: Vec::new(),
            literals: Arc::default(),
            instruction: question.to_owned(),
            // The label of the plan is in that of the decision.
            instruction_label: Trust::Model.into(),
            decision,
            shape,
            options: GenerateOptions {
                tools: Vec::new(),
                plan: false,
                ..self.call.options.clone()
            },
            placeholders: Vec::new(),
            ..self.call.clone()
        }
    }

    /// Takes the answer, in the shape of the `generate`.
    fn answer(&self, step: &Step, mut parameters: Map<String, Value>, decision: &Label) -> Done {
        let mut value = parameters.remove("value").unwrap_or_default();
        let label = self.label_of_parameter(step, "value").join(decision);
        match &self.call.shape {
            Some(shape) => fitting(&mut value, shape, self.call.options.strict)?,
            None if value.is_string() => {}
            None => value = Value::from(value.to_string()),
        }
        self.state().answer = Some((value.clone(), label.clone()));
        Ok((value, label))
    }

    /// Begins the event of a step below that of the plan.
    fn begin(&self, step: &Step, kind: TraceKind, mut data: Value) -> u64 {
        let id = self.call.events.next();
        self.services.run.narrow(id, &self.call.narrowed);
        if let (Value::Object(data), Value::Object(site)) = (&mut data, json!(self.call.site)) {
            data.insert("step".to_owned(), step.id.as_str().into());
            data.extend(site);
        }
        let parent = Some(self.call.event);
        let phase = Phase::Begin;
        let event = Event { id, parent, kind, phase, data, texts: Vec::new() };
        self.services.run.recorder.record(event);
        id
    }

    fn end(&self, id: u64, kind: TraceKind, done: &Done) {
        let data = match done {
            Ok((value, _)) => json!({ "value": value }),
            Err(error) => json!({ "error": { "code": error.code, "message": error.message } }),
        };
        let parent = Some(self.call.event);
        let phase = Phase::End;
        let event = Event { id, parent, kind, phase, data, texts: Vec::new() };
        self.services.run.recorder.record(event);
    }

    /// Returns the answer of the plan, or the failure that ended it.
    pub(super) fn outcome(&self, report: &Report) -> Done {
        let mut state = self.state();
        let is_bad = |status: Status| matches!(status, Status::Failed | Status::Timeout);
        let outcomes: Vec<_> = report.outcomes().collect();
        let is_own = |code: &str| code != "CANCELLED";
        let failed = outcomes.iter().find(|outcome| {
            is_bad(outcome.status) && outcome.error.as_ref().is_none_or(|error| is_own(&error.code))
        });
        if let Some(outcome) = failed {
            let error = state.failures.remove(&outcome.instruction_id).or_else(|| {
                let error = outcome.error.as_ref()?;
                let own = HostError::new(error.code.clone(), error.message.clone());
                Some(HostError { details: error.details.clone(), ..own })
            });
            let error = error.unwrap_or_else(|| HostError::new("plan_failed", "it failed"));
            return Err(self.of_step(&outcome.instruction_id, error));
        }
        if let Some(answer) = state.answer.take() {
            return Ok(answer);
        }
        let why = outcomes.last().and_then(|outcome| outcome.reason.as_ref());
        let why = why.map_or("it was given up", |reason| reason.message.as_str());
        let message = format!("the plan ended without an answer: {why}");
        let help = "ask again, or say in the instruction what to answer when a step is not done";
        Err(HostError::new("plan_failed", message).with_help(help))
    }

    /// Tells which step an error is of.
    fn of_step(&self, id: &str, error: HostError) -> HostError {
        let action = self.steps.get(id).map_or("", |step| step.action.as_str());
        let at = self.order.iter().position(|own| own == id).unwrap_or_default() + 1;
        let message = format!("step {at} of the plan, `{id}` ({action}): {}", error.message);
        let mut details = error.details.unwrap_or_else(|| json!({}));
        if let Value::Object(details) = &mut details {
            details.insert("step".to_owned(), id.into());
        }
        HostError { message, details: Some(details), ..error }
    }
}

/// Checks an answer against its shape, with the small faults of models mended.
fn fitting(value: &mut Value, shape: &Shape, is_strict: bool) -> Result<(), HostError> {
    let extra = if is_strict { Extra::Refused } else { Extra::Kept };
    if !is_strict {
        coerce(value, shape);
    }
    let faults = validate(value, shape, extra, MOST_FAULTS);
    if faults.is_empty() {
        return Ok(());
    }
    let told: Vec<String> = faults.errors.iter().map(ToString::to_string).collect();
    let details = json!({ "errors": faults.errors, "answer": value.to_string(), "attempts": 1 });
    let error = HostError::new("unusable_answer", told.join("; "));
    Err(HostError { details: Some(details), ..error })
}
