//! `generate`: a prompt is laid out, recorded, sent, its answer checked and recorded (AS-19 to
//! AS-23).

use super::attachments::{self, TurnAttachments};
use super::callable::{self, Callable};
use super::caller_tools;
use super::citations;
use super::fallback::{CallAccount, Failed, Place};
use super::hiding;
use super::knowledge;
use super::listener::{Listener, record_of};
use super::model_tools::ModelTools;
#[cfg(feature = "flow")]
use super::plan;
use super::prompt::{Prepared, Room, label_of, prepare, think_of};
use super::ranked::Selections;
use super::references::room::Tools;
use super::references::{Gathered, gather};
use super::run_state::{RunState, placeholder, supplied, unknown};
use super::templates::Templates;
use super::tools::RunTools;
use crate::models::{Model, Models};
use crate::observe::Progress;
use crate::run::Overrides;
use crate::run::recorded::MODEL;
use crate::run::result::{CallReport, DryPrompt};
use crate::turn::form::Form;
use crate::turn::request::{CallerTools, Hints};
use crate::turn::sites::Places;
use crate::written::OnDemand;
use contexture_answer::Shape;
use contexture_context::manifest::{Cost, PassedOver};
use contexture_context::{ContextItem, CutReason, CutRecord, Digest, Label, Trust};
use contexture_core::profile::{CURRENCY, TOOL_ROUNDS};
use contexture_llm::extractive::STAND_IN;
use contexture_llm::ledger::{Account, Amount};
use contexture_llm::{Answer, Ask, AskError, LlmError, Report, RetryPolicy, Verify, ask};
use contexture_prompt::{OpenaiChatMessage, OpenaiContentPart};
use contexture_reference::tool::Offers;
use contexture_script::host::{GenerateCall, HostError, Supplied};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The model calls of a run.
pub(crate) struct ModelCalls {
    models: Models,
    retry: RetryPolicy,
    hints: Hints,
    overrides: Overrides,
    /// The model calls whose text is the answer of a turn.
    places: Places,
    /// Answers by their requests.
    cache: Mutex<HashMap<String, (Value, Label)>>,
    /// The models that refused tools.
    without_tools: Mutex<HashSet<String>>,
    is_fallback_noted: AtomicBool,
    prompts: Mutex<Vec<DryPrompt>>,
}

/// The services that a model call uses.
#[derive(Clone, Copy)]
pub(super) struct Services<'h> {
    pub(super) run: &'h RunState,
    pub(super) references: &'h OnDemand,
    pub(super) tools: &'h RunTools,
    pub(super) templates: &'h Templates,
    pub(super) attachments: &'h TurnAttachments,
}

impl ModelCalls {
    pub(crate) fn new(models: Models, retry: RetryPolicy, overrides: Overrides) -> Self {
        Self {
            models,
            retry,
            hints: Hints::default(),
            overrides,
            places: Places::default(),
            cache: Mutex::default(),
            without_tools: Mutex::default(),
            is_fallback_noted: AtomicBool::new(false),
            prompts: Mutex::default(),
        }
    }

    /// Sets the hints of a turn's caller, and the calls whose text is the answer.
    pub(super) fn take_turn(&mut self, hints: Hints, places: Places) {
        (self.hints, self.places) = (hints, places);
    }

    /// Returns what was spent so far.
    pub(super) fn account(&self) -> Account {
        self.models.ledger().account()
    }

    /// Returns the prompts that a dry run built.
    pub(super) fn take_prompts(&self) -> Vec<DryPrompt> {
        std::mem::take(&mut locked(&self.prompts))
    }

    /// Answers a `generate` with the first of its models that can (CA-3).
    pub(super) async fn generate(
        &self,
        services: Services<'_>,
        mut call: GenerateCall,
    ) -> Result<Supplied, HostError> {
        self.hint(&mut call);
        #[cfg(not(feature = "flow"))]
        if call.options.plan {
            return Err(no_plans());
        }
        let run = services.run;
        run.goes_on()?;
        let number = run.count_model_call()?;
        let limit = call.options.timeout_ms.map(Duration::from_millis);
        let until = limit.and_then(|limit| Instant::now().checked_add(limit));
        let (mut passed, account) = (Vec::new(), CallAccount::default());
        let models = self.models.candidates(call.model.as_deref());
        let mut left = models.as_slice();
        // The one with the most room of those that had too little.
        let mut spare: Option<(u64, &Option<String>)> = None;
        loop {
            let (uri, rest) = match left.split_first() {
                Some(next) => next,
                None => match spare.take() {
                    Some((_, uri)) => (uri, left),
                    None => break,
                },
            };
            left = rest;
            let has_next = !rest.is_empty() || spare.is_some();
            let place = Place { passed: &passed, rest, has_next, until, account: &account };
            let asked = self.with_model(services, &call, (uri.as_deref(), number, place)).await;
            let failed = match asked {
                Ok(supplied) => return Ok(supplied),
                Err(failed) => failed,
            };
            if let Some(room) = failed.room
                && spare.is_none_or(|(most, _)| room > most)
            {
                spare = Some((room, uri));
            }
            let uri = uri.as_deref().unwrap_or_else(|| self.models.default_uri()).to_owned();
            if !place.passes_on(&failed) {
                if failed.requests.is_none() && !passed.is_empty() {
                    run.add_call(report(&call, &uri, (number, place), &Report::default()));
                }
                return Err(failed.after(&passed, &uri));
            }
            self.models.ledger().write_off(failed.took);
            let time = until.map(|until| until.saturating_duration_since(Instant::now()));
            call.options.timeout_ms = time.map(|time| millis(time).max(1));
            let requests = failed.requests.unwrap_or_default();
            let HostError { code, message: reason, .. } = failed.error;
            run.warn(format!("{}: {uri} is passed over: {reason}", call.site));
            passed.push(PassedOver { uri, code, reason, requests });
        }
        Err(HostError::new("settings", "the call has no model"))
    }

    /// Fails when the window cut a prompt, and a model behind has more room for it (CA-3).
    pub(super) async fn look_for_room(
        &self,
        run: &RunState,
        (call, model, place): (&GenerateCall, &Model, Place<'_>),
        prepared: &Prepared,
    ) -> Result<(), Failed> {
        let Some(room) = prepared.cut_to else { return Ok(()) };
        for uri in place.rest {
            let Ok(other) = self.models.get(uri.as_deref()) else { continue };
            if Room::of(run, call, &other).await.most.is_none_or(|more| more > room) {
                return Err(Failed::of_room(&model.uri, room));
            }
        }
        Ok(())
    }

    /// Answers a `generate` with one of its models.
    async fn with_model(
        &self,
        services: Services<'_>,
        call: &GenerateCall,
        (uri, number, place): (Option<&str>, u64, Place<'_>),
    ) -> Result<Supplied, Failed> {
        let Services { run, references, tools, templates, attachments } = services;
        let whole = call;
        let model = self.models.get(uri).map_err(|error| Failed::of_model(&error))?;
        let shown = knowledge::show(run, references.packs(), call, &model)?;
        let mut attached = attachments.show(run, references, &shown.call, &model).await?;
        let mut ranked = Selections::default();
        if attached.call.items.iter().any(|item| item.question.is_some()) {
            ranked.in_call(run, attached.call.to_mut(), model.provider.tokenizer())?;
        }
        let media = attached.parts;
        let calls_tools = !call.options.plan
            && model.provider.calls_tools()
            && !locked(&self.without_tools).contains(&model.uri);
        let mut callables = match call.options.plan {
            true => Vec::new(),
            false => callable::granted(run, tools, &call.options.tools).await?,
        };
        let offered = Tools { offered: &callables, loads: calls_tools };
        let Gathered { mut call, offers, packs: of_references, answers } =
            gather(run, references, &attached.call, (&model, offered, &mut ranked)).await?;
        let offers = if calls_tools { offers } else { Offers::default() };
        if !offers.is_empty() {
            callables.push(Callable::loading());
        }
        caller_tools::offer(&mut callables, self.caller_tools(&call));
        let mut packs = shown.packs;
        packs.add(answers);
        let mut fenced = templates.fenced();
        let masked = hiding::in_call(run, &mut call, &mut fenced);
        #[cfg(feature = "flow")]
        if call.options.plan {
            let mut packs = packs.kept(&[])?;
            packs.extend(of_references);
            let (call, has_media) = (call.into_owned(), !media.is_empty());
            let model = (&model, number, place);
            let asked = plan::Asked { call, model, fenced, packs, masked, has_media };
            // Plans are rare: their future is not a part of each call's.
            return Box::pin(plan::run(self, services, asked)).await;
        }
        let about = (&*call, &model, number);
        let mut prepared =
            prepare(run, about, &fenced, (&callables, &media), (&mut packs, &mut ranked)).await?;
        self.look_for_room(run, (&call, &model, place), &prepared).await?;
        prepared.manifest.masked = masked;
        prepared.manifest.passed_over = place.passed.to_vec();
        let mut packs = packs.kept(&prepared.items)?;
        packs.extend(of_references);
        packs.extend(knowledge::of_imports(references.packs(), &call.items, &prepared.items)?);
        prepared.manifest.packs = std::mem::take(&mut packs.records);
        prepared.manifest.expanded = std::mem::take(&mut packs.expanded);
        let mut ranked = ranked.records(&prepared.items, model.provider.tokenizer());
        ranked.append(&mut packs.ranked);
        prepared.keep_ranked(ranked);
        self.note_call(run, &call, &model, &prepared);
        if run.dry_run {
            if !run.is_asked(&prepared.manifest)? {
                return Ok(self.dry_run(run, &call, &mut prepared));
            }
            if run.asked_model().is_some_and(|asked| uri != Some(asked)) {
                // Rechecks are rare: their future is not a part of each call's.
                let asked = self.with_model(services, whole, (run.asked_model(), number, place));
                return Box::pin(asked).await;
            }
        } else {
            knowledge::log(run, references.packs(), &packs.found);
        }
        record(run, &call, &mut prepared);
        let answer = format!("answer {number}");
        let label = label_of(&call, &prepared.items);
        let key = cache_key(&call, &model, &prepared);
        let known = key.as_ref().and_then(|key| locked(&self.cache).get(key).cloned());
        if let Some((value, seen)) = known {
            run.recorder.amend(call.event, json!({ "from_cache": true }));
            return Ok(supplied(value, label.join(&seen).answered(&answer)));
        }
        if !call.options.tools.is_empty() && model.uri.starts_with("builtin:") {
            run.warn(format!(
                "{}: {} calls no tools, and answers from what it is shown alone",
                call.site, model.uri
            ));
        }
        let is_cited = callables.is_empty() && !self.models.is_mock(&model);
        let citable = is_cited.then(|| citations::shown(&call, &prepared.items)).flatten();
        let cited = |value: &Value| {
            citable.as_ref().map(|citable| citations::faults(citable, value)).unwrap_or_default()
        };
        let offered = ((offers, callables), label);
        let extra = (media, citable.as_ref().map(|_| &cited as Verify<'_>));
        let (outcome, seen) =
            self.send(services, &call, (&model, place), prepared, offered, extra).await;
        let value = finish(run, (&call, &model, number, place), outcome)?;
        let value = if self.form(&call).is_some() { value.to_string().into() } else { value };
        if let Some(key) = key {
            locked(&self.cache).insert(key, (value.clone(), seen.clone()));
        }
        Ok(supplied(value, seen.answered(&answer)))
    }

    /// Applies the hints of the caller: the program's own temperature wins, and of two limits of
    /// the answer the lower one.
    fn hint(&self, call: &mut GenerateCall) {
        self.overrides.apply(&mut call.options);
        let Hints { max_output, temperature, .. } = self.hints;
        let is_answer = self.is_answer(call);
        let options = &mut call.options;
        options.temperature = options.temperature.or(temperature);
        if let Some(form) = self.hints.form.as_ref().filter(|_| is_answer) {
            call.shape = Some(form.shape().clone());
        }
        if let Some(wished) = max_output.filter(|_| is_answer) {
            options.max_output = Some(options.max_output.map_or(wished, |own| own.min(wished)));
            options.most_output = options.most_output.map(|own| own.min(wished));
        }
    }

    /// Reports whether the text of a call is the answer of a turn.
    fn is_answer(&self, call: &GenerateCall) -> bool {
        !call.options.plan && self.places.has(&call.site.position)
    }

    /// Returns the form that the caller asks for, for a call.
    fn form(&self, call: &GenerateCall) -> Option<&Form> {
        self.hints.form.as_ref().filter(|_| self.is_answer(call))
    }

    /// Returns the tools of the caller for a call.
    fn caller_tools(&self, call: &GenerateCall) -> Option<&CallerTools> {
        self.hints.tools.as_ref().filter(|_| self.is_answer(call))
    }

    /// Asks without tools, and returns the value with its label.
    #[cfg(feature = "flow")]
    pub(super) async fn ask_alone(
        &self,
        services: Services<'_>,
        (call, model, number, place): (&GenerateCall, &Model, u64, Place<'_>),
        mut prepared: Prepared,
        verify: Option<Verify<'_>>,
    ) -> Result<(Value, Label), Failed> {
        let run = services.run;
        prepared.manifest.passed_over = place.passed.to_vec();
        record(run, call, &mut prepared);
        let label = label_of(call, &prepared.items);
        let offered = ((Offers::default(), Vec::new()), label);
        let extra = (Vec::new(), verify);
        let (outcome, seen) =
            self.send(services, call, (model, place), prepared, offered, extra).await;
        Ok((
            finish(run, (call, model, number, place), outcome)?,
            seen.answered(&format!("answer {number}")),
        ))
    }

    async fn send(
        &self,
        Services { run, references, tools, .. }: Services<'_>,
        call: &GenerateCall,
        (model, place): (&Model, Place<'_>),
        prepared: Prepared,
        (offered, seen): ((Offers, Vec<Callable>), Label),
        (media, verify): (Vec<OpenaiContentPart>, Option<Verify<'_>>),
    ) -> (Result<Answer, AskError>, Label) {
        run.observer.notify(Progress::GenerateStarted {
            event: call.event,
            call: prepared.manifest.call,
            site: call.site.clone(),
            model: model.uri.clone(),
            prompt_tokens: prepared.manifest.tokens,
            is_exact: prepared.manifest.model.tokenizer_exact,
        });
        let options = &call.options;
        let services = (run, tools, references);
        let room = prepared.manifest.max_input;
        let tools = ModelTools::new(services, call, model, prepared.manifest, offered, seen);
        let definitions = tools.definitions();
        let caller = self.caller_tools(call);
        let earlier = match tools.earlier(caller) {
            Ok(earlier) => earlier,
            Err(error) => return (Err(caller_tools::no_room(model, error)), tools.seen()),
        };
        let mut messages = prepared.laid.messages;
        attachments::put(&mut messages, media);
        let form = self.form(call);
        let own = |value: &Value| form.map(|form| form.faults(value)).unwrap_or_default();
        let question = Ask {
            messages,
            earlier,
            key: Some(call.key.clone()),
            shape: call.shape.as_ref(),
            schema: form.map_or(prepared.schema, |form| Some(form.hint())),
            verify: if form.is_some() { Some(&own) } else { verify },
            attempts: options.attempts,
            strict: options.strict,
            max_input: options.max_input,
            room,
            max_output: options.max_output,
            most_output: options.most_output,
            keep_cut: options.keep_cut,
            temperature: options.temperature,
            think: options.think.map(think_of),
            timeout: options.timeout_ms.map(Duration::from_millis),
            retry: self.retry,
            executor: (!definitions.is_empty()).then_some(&tools),
            tool_choice: tools.choice(caller),
            parallel_tool_calls: caller.and_then(|caller| caller.parallel),
            stop: if self.is_answer(call) { self.hints.stop.clone() } else { Vec::new() },
            tools: definitions,
            tool_rounds: TOOL_ROUNDS,
        };
        let base = question.messages.len();
        let mut listener = Listener::new(run, &tools, (call.event, options.plan), base);
        let provider = model.metered.paid_by(Arc::clone(&place.account.ledger));
        let outcome = ask(&provider, &question, &mut listener, &run.cancel).await;
        // A program that lists tools means them; what is offered beside it can be left out.
        let outcome = match &outcome {
            Err(error)
                if options.tools.is_empty()
                    && caller.is_none()
                    && refuses_tools(&question, error) =>
            {
                run.warn(format!("{} takes no tools: what is pending can't be loaded", model.uri));
                locked(&self.without_tools).insert(model.uri.clone());
                tools.withdraw();
                let question = Ask { tools: Vec::new(), executor: None, ..question };
                ask(&provider, &question, &mut listener, &run.cancel).await
            }
            _ => outcome,
        };
        note_cost(run, call, model, &place.account.ledger.account());
        let outcome = tools.leave(caller, outcome);
        let seen = tools.seen();
        (outcome, seen)
    }

    /// Reports what a person should know of a call before it is made.
    pub(super) fn note_call(
        &self,
        run: &RunState,
        call: &GenerateCall,
        model: &Model,
        prepared: &Prepared,
    ) {
        if call.instruction_label.trust.is_fenced() {
            let trust = call.instruction_label.trust;
            run.warn(format!(
                "{}: the instruction holds text of trust `{trust}`; show data with `use` instead, so that it stays data",
                call.site
            ));
        }
        // Of resources that share the budget of a `use` this was reported once for all.
        let is_shared = |item: &ContextItem| {
            let same = |other: &&ContextItem| other.position == item.position;
            item.position.is_some() && prepared.items.iter().filter(same).nth(1).is_some()
        };
        let is_lost = |item: &&ContextItem| {
            let by_budget = |cut: &CutRecord| cut.reason == CutReason::ItemBudget;
            item.cuts.iter().any(|cut| by_budget(cut) && cut.left_nothing())
        };
        for item in prepared.items.iter().filter(is_lost).filter(|item| !is_shared(item)) {
            run.warn(format!(
                "{}: nothing of `{}` fits its budget; raise `max`, or use a part of the value",
                call.site, item.source
            ));
        }
        let is_news = || !self.is_fallback_noted.swap(true, Ordering::Relaxed);
        if model.fallback && !run.dry_run && is_news() {
            run.observer.notify(Progress::Note(format!(
                "no model is set: {} answers from the text itself (set one with --model)",
                model.uri
            )));
        }
        if call.options.debug {
            let text = |message: &OpenaiChatMessage| {
                (message.role.to_string(), message.text().into_owned())
            };
            let messages = prepared.laid.messages.iter().map(text).collect();
            run.observer.notify(Progress::DebugPrompt { site: call.site.clone(), messages });
        }
    }

    /// Keeps the prompt, and returns the stand-in for its answer: a value of the right type.
    pub(super) fn dry_run(
        &self,
        run: &RunState,
        call: &GenerateCall,
        prepared: &mut Prepared,
    ) -> Supplied {
        if run.is_on_record() {
            record(run, call, prepared);
        }
        if let Some(value) = run.recorded(&call.site, MODEL) {
            run.recorder.amend(call.event, json!({ "from_record": true }));
            let answer = format!("answer {}", prepared.manifest.call);
            return supplied(value, label_of(call, &prepared.items).answered(&answer));
        }
        let after = if call.on_placeholders { run.placeholders() } else { Vec::new() };
        locked(&self.prompts).push(prepared.dry(call, after));
        run.note_answer(&call.site);
        let Some(shape) = &call.shape else {
            return placeholder("dry-run answer".into(), Trust::Model);
        };
        let answer = contexture_llm::mock::placeholder(&shape.to_json_schema());
        if is_open(shape) {
            unknown(answer, Trust::Model)
        } else {
            placeholder(answer, Trust::Model)
        }
    }
}

/// Records what the requests of a call cost, as the account of its run has it, unless a model that
/// took something has no price; and the part that is the worst case of those that broke off.
fn note_cost(run: &RunState, call: &GenerateCall, model: &Model, account: &Account) {
    if !account.is_unpriced {
        let cost = Cost {
            micros: account.spent.money.micros(),
            currency: CURRENCY.to_owned(),
            source: model.price_source.as_ref().to_owned(),
        };
        run.recorder.amend_field(call.event, "cost", &cost);
    }
    let Amount { tokens, money, calls } = account.lost;
    if calls > 0 {
        let lost = json!({ "requests": calls, "tokens": tokens, "micros": money.micros() });
        run.recorder.amend(call.event, json!({ "lost": lost }));
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(not(feature = "flow"))]
fn no_plans() -> HostError {
    use contexture_diagnostic::MissingFeature;
    let missing = MissingFeature { part: "mode for plans", feature: "flow" };
    HostError::new(MissingFeature::CODE, missing.to_string())
}

/// Records a prompt before it is sent.
fn record(run: &RunState, call: &GenerateCall, prepared: &mut Prepared) {
    run.recorder.keep(std::mem::take(&mut prepared.blobs));
    run.recorder.amend_manifest(call.event, &prepared.manifest);
}

/// Reports whether a server refused a request because of the tools in it.
fn refuses_tools(question: &Ask<'_>, error: &AskError) -> bool {
    let AskError::Provider { error, .. } = error else { return false };
    match error {
        LlmError::BadRequest { message, .. } | LlmError::Server { message, .. } => {
            !question.tools.is_empty() && message.to_lowercase().contains("tool")
        }
        _ => false,
    }
}

/// Records what the call took, reports its end, and turns a failure into the program's.
fn finish(
    run: &RunState,
    (call, model, number, place): (&GenerateCall, &Model, u64, Place<'_>),
    outcome: Result<Answer, AskError>,
) -> Result<Value, Failed> {
    let report = match &outcome {
        Ok(answer) => &answer.report,
        Err(error) => error.report(),
    };
    note_report(run, call, report, place.account);
    let requests = place.requests() + report.requests();
    let limited = |error: &AskError| {
        matches!(error, AskError::Provider { error: LlmError::CostLimit { .. }, .. })
    };
    let is_refused = requests == 0 && outcome.as_ref().is_err_and(limited);
    if is_refused {
        run.recorder.amend(call.event, json!({ "refused": true }));
    }
    let goes_on = |error| place.passes_on(&Failed::of_ask(error, &place));
    if !outcome.as_ref().err().is_some_and(goes_on) {
        let ended = self::report(call, &model.uri, (number, place), report);
        run.add_call(CallReport { is_refused, ..ended });
    }
    let nothing = |error: &AskError| {
        matches!(error, AskError::Provider { error: LlmError::NothingSupports { .. }, .. })
    };
    let says = |warning: &String| warning == STAND_IN;
    if report.warnings.iter().any(says) || outcome.as_ref().is_err_and(nothing) {
        run.note_stand_in(call.event);
    }
    run.observer.notify(Progress::GenerateEnded {
        event: call.event,
        usage: report.usage,
        ok: outcome.is_ok(),
        finish: report.attempts.last().and_then(|attempt| attempt.finish_reason.clone()),
    });
    outcome.map(|answer| answer.value).map_err(|error| {
        let usage = error.report().usage;
        let money = model.provider.profile().price.map(|price| price.of(usage));
        let calls =
            error.report().attempts.iter().map(|attempt| attempt.requests.len() as u64).sum();
        let (tokens, money) = (usage.total_tokens, money.unwrap_or_default());
        let took = Amount { tokens, money, calls };
        Failed { took, ..Failed::of_ask(&error, &place) }
    })
}

/// Returns what became of a call whose last model is `uri`.
fn report(
    call: &GenerateCall,
    uri: &str,
    (number, place): (u64, Place<'_>),
    report: &Report,
) -> CallReport {
    CallReport {
        call: number,
        site: call.site.to_string(),
        model: uri.to_owned(),
        passed_over: place.passed.to_vec(),
        attempts: report.attempts.iter().map(record_of).collect(),
        requests: place.requests() + report.requests(),
        is_refused: false,
    }
}

fn note_report(run: &RunState, call: &GenerateCall, report: &Report, account: &CallAccount) {
    run.add_usage(report.usage, report.usage_estimated);
    let (usage, is_estimated) = account.add(report.usage, report.usage_estimated);
    run.recorder.amend_field(call.event, "usage", &usage);
    run.recorder.amend_field(call.event, "usage_estimated", &is_estimated);
    if call.options.debug {
        for warning in report.warnings.iter().filter(|warning| *warning != STAND_IN) {
            run.warn(format!("{}: {warning}", call.site));
        }
    }
}

/// Reports whether a shape leaves a part of the answer open.
fn is_open(shape: &Shape) -> bool {
    match shape {
        Shape::Bounded(bounds) => is_open(&bounds.shape),
        Shape::Defined(defined) => {
            is_open(&defined.shape) || defined.definitions.values().any(is_open)
        }
        Shape::Json | Shape::List(None) => true,
        Shape::List(Some(item)) => is_open(item),
        Shape::Object(fields) => fields.iter().any(|field| is_open(&field.shape)),
        _ => false,
    }
}

/// Returns the key of a request; equal requests have equal keys; `None` unless `cache: true`.
fn cache_key(call: &GenerateCall, model: &Model, prepared: &Prepared) -> Option<String> {
    if !call.options.cache {
        return None;
    }
    let manifest = &prepared.manifest;
    let messages: Vec<&Digest> = manifest.messages.iter().map(|one| &one.digest).collect();
    Some(json!([model.uri, messages, manifest.schema, manifest.options]).to_string())
}
