//! Plan mode: the trusted request alone gives a plan, which is then carried out (GU-7).
//!
//! Decision: a plan is the option of a `generate` with tools, since what may be planned is what the
//! program grants there. The planner sees the instruction and the items that are the user's or
//! higher; all other data it knows by name. The plan is an instruction set: the check and the
//! scheduler of flows run it, and each call of a tool goes the way of any other, through the policy.
//! What depends on data is a hole: a model without tools reads a text into a value of a shape that
//! the plan wrote before. So data decides about values, never about steps; where a value decides
//! what an effect does, or a condition on it whether, the policy asks or refuses as always.

mod actions;
mod executor;
mod guide;
mod inputs;
mod written;

use super::callable::{self, Callable};
use super::fallback::{Failed, Place};
use super::generate::{ModelCalls, Services};
use super::knowledge::{self, Kept};
use super::prompt::{Prepared, prepare};
use super::ranked::Selections;
use super::run_state::{RunState, supplied};
use crate::flows::origins::Origins;
use crate::flows::planned::KeptPlan;
use crate::models::Model;
use crate::observe::Progress;
use actions::{PendingCall, PlanActions};
use contexture_context::build::build_item;
use contexture_context::item::CutRecord;
use contexture_context::manifest::{Blob, ItemRecord, MaskedRecord};
use contexture_context::{Budget, CutReason, DeclaredItem, Digest, Label};
use contexture_flow::action::Actions as _;
use contexture_flow::check::{Earlier, Plan};
use contexture_flow::journal::{Journal, Unkept};
use contexture_flow::picture::Picture;
use contexture_flow::run::{Limits, Options, Report, Run};
use contexture_protocol::content::{Outcome, Status};
use contexture_script::host::{GenerateCall, HostError, Supplied};
use executor::{Executor, Halt};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use inputs::Input;
use serde_json::{Value, json};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use written::Check;

/// A `generate` that is to be planned, with all that its program shows.
pub(super) struct Asked<'r> {
    pub(super) call: GenerateCall,
    /// The model, the number of the call, and the place of the model among those of the call.
    pub(super) model: (&'r Model, u64, Place<'r>),
    pub(super) fenced: Vec<Arc<str>>,
    pub(super) packs: Kept,
    pub(super) masked: Vec<MaskedRecord>,
    /// True if there are pictures and the like, which no plan can name.
    pub(super) has_media: bool,
}

/// Asks for a plan, checks it and carries it out, within the time of the call.
pub(super) async fn run(
    models: &ModelCalls,
    services: Services<'_>,
    asked: Asked<'_>,
) -> Result<Supplied, Failed> {
    let limit = asked.call.options.timeout_ms;
    let work = planned(models, services, asked);
    let Some(ms) = limit else { return work.await };
    match tokio::time::timeout(Duration::from_millis(ms), work).await {
        Ok(done) => done,
        Err(_) => {
            let message = format!("the plan was not done after {ms} ms; a step may have been");
            Err(HostError::new("timeout", message).with_help("raise `timeout`").into())
        }
    }
}

async fn planned(
    models: &ModelCalls,
    services: Services<'_>,
    asked: Asked<'_>,
) -> Result<Supplied, Failed> {
    let Asked { mut call, model: (model, number, place), fenced, packs, masked, has_media } = asked;
    let Services { run, references, tools, .. } = services;
    trusted(&call)?;
    if has_media {
        run.warn(format!("{}: a plan does not see pictures and sounds", call.site));
    }
    let (inputs, data) = inputs::take(&mut call);
    let callables: Vec<(String, Callable)> = callable::granted(run, tools, &call.options.tools)
        .await?
        .into_iter()
        .map(|callable| (format!("{}.{}", callable.tool, callable.method), callable))
        .collect();
    let (actions, calls) = PlanActions::new(&callables);
    let shape = written::shape_of_plan(actions.names());
    let asking = guide::call_for_plan(&call, &callables, &inputs, shape);
    let mut none = knowledge::show(run, references.packs(), &asking, model)?.packs;
    let about = (&asking, model, number);
    let mut prepared =
        prepare(run, about, &fenced, (&[], &[]), (&mut none, &mut Selections::default())).await?;
    models.look_for_room(run, (&asking, model, place), &prepared).await?;
    let counter = model.provider.tokenizer();
    prepared.manifest.tools = callables.iter().map(|(_, one)| one.record(counter)).collect();
    prepared.manifest.masked =
        masked.into_iter().map(|one| MaskedRecord { item: None, ..one }).collect();
    prepared.manifest.packs = packs.records;
    prepared.manifest.expanded = packs.expanded;
    leave_out(&mut prepared, &data, model)?;
    models.note_call(run, &asking, model, &prepared);
    if run.dry_run {
        return Ok(models.dry_run(run, &call, &mut prepared));
    }
    knowledge::log(run, references.packs(), &packs.found);
    let earlier = outcomes_of(&inputs);
    let (plan, document, own) = {
        let check =
            Check { actions: &actions, inputs: &inputs, earlier: &earlier, limits: &run.limits };
        let verify = |value: &Value| check.plan(value).err().unwrap_or_default();
        let asked = (&asking, model, number, place);
        let asked = models.ask_alone(services, asked, prepared, Some(&verify)).await;
        let (value, own) = match asked {
            // The stand-in for a model knows types alone: it plans an answer of the right one.
            Err(failed) if failed.error.code == UNUSABLE && model.provider.uri() == "mock" => {
                (written::mock(call.shape.as_ref()), Label::default().answered("mock"))
            }
            asked => asked.map_err(|failed| Failed { error: refused(failed.error), ..failed })?,
        };
        let plan = check.plan(&value).map_err(|faults| {
            let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
            refused(HostError::new(UNUSABLE, told.join("; ")))
        })?;
        (plan, written::document(&value), own)
    };
    let described = callables.iter().filter_map(|(_, one)| one.description());
    let own = described.fold(own, |all, label| all.join(&label));
    run.recorder.amend(call.event, json!({ "plan": &document }));
    run.recorder.flush();
    let halt = Halt::default();
    let origins = Arc::new(Origins::of(plan.set(), own.clone(), |_| true));
    let place = journalled(run, &call, &document, &origins).await?;
    let executor = Executor::new(
        (models, services),
        (&call, model),
        (&callables, &inputs),
        (&plan, origins),
        (own, halt.clone()),
    );
    let report = carry_out(run, &call, (plan, actions, calls), (&executor, place), halt).await?;
    let (value, label) = executor.outcome(&report)?;
    Ok(supplied(value, label))
}

/// Refuses an instruction that holds data: it would decide about the steps.
fn trusted(call: &GenerateCall) -> Result<(), HostError> {
    if !call.instruction_label.is_below_user() {
        return Ok(());
    }
    let message =
        format!("the instruction of a plan holds text of trust `{}`", call.instruction_label.trust);
    let help = "show data with `use` instead: the plan knows it by name, and reads it";
    Err(HostError::new("plan_untrusted", message).with_help(help))
}

/// The code of an answer that can't be used.
const UNUSABLE: &str = "unusable_answer";

/// Tells a plan that can't be used from another answer.
fn refused(error: HostError) -> HostError {
    if error.code != UNUSABLE && error.code != "nothing_supports" {
        return error;
    }
    let message = format!("the model made no plan that can be done: {}", error.message);
    let help = "allow more `attempts`, and grant in `tools` what the instruction needs".to_owned();
    HostError { code: "plan_refused".to_owned(), message, help: Some(help), ..error }
}

/// Adds what the planner did not see to the manifest.
fn leave_out(
    prepared: &mut Prepared,
    data: &[DeclaredItem],
    model: &Model,
) -> Result<(), HostError> {
    let counter = model.provider.tokenizer();
    for declared in data {
        let index = prepared.manifest.items.len();
        let item = build_item(index, declared, counter).map_err(super::errors::of_prompt)?;
        let budget = Budget::tokens(0);
        let cut = CutRecord {
            reason: CutReason::PlanData,
            budget,
            removed: item.tokens,
            left_out: true,
            kept: None,
        };
        let value = item.value.as_str().to_owned();
        prepared.blobs.push(Blob { digest: item.value_digest.clone(), text: value });
        prepared.blobs.push(Blob { digest: Digest::of_text(""), text: String::new() });
        let sources = declared.origin.sources.clone();
        prepared.manifest.items.push(ItemRecord {
            sources,
            text: Digest::of_text(""),
            tokens: 0,
            clipped: true,
            cuts: vec![cut],
            ..ItemRecord::from(&item)
        });
    }
    Ok(())
}

/// Returns the inputs as outcomes that ended before the plan.
fn outcomes_of(inputs: &[Input]) -> Earlier {
    let mut earlier = Earlier::default();
    for input in inputs {
        let outcome = Outcome::new(input.id.clone(), Status::Completed);
        earlier.add(&Outcome { result: Some(input.value.clone()), ..outcome });
    }
    earlier
}

/// The place of a plan in a journal, and what holds it.
type Journalled = (String, Arc<dyn Journal>, Option<KeptPlan>);

/// Writes the plan into the journal of the flow that the run is a step of.
async fn journalled(
    run: &RunState,
    call: &GenerateCall,
    document: &Value,
    origins: &Arc<Origins>,
) -> Result<Journalled, HostError> {
    let name = format!("plan of {}", call.site);
    let plans = run.part_of.as_ref().and_then(|step| Some((step, step.plans.as_ref()?)));
    let Some((step, plans)) = plans else { return Ok((name, Arc::new(Unkept), None)) };
    let begun = plans.begin((&step.flow, &step.step), name, document).await;
    let kept = begun.map_err(|error| {
        let message = format!("the plan can't be written down: {error}");
        HostError { help: error.help(), ..HostError::new(error.code(), message) }
    })?;
    let journal = kept.journal(plans, origins);
    Ok((kept.run().to_owned(), journal, Some(kept)))
}

/// Runs the steps; a plan ends with the first that fails.
async fn carry_out(
    run: &RunState,
    call: &GenerateCall,
    (plan, actions, calls): (Plan, PlanActions, UnboundedReceiver<PendingCall>),
    (executor, (name, journal, _kept)): (&Executor<'_>, Journalled),
    halt: Halt,
) -> Result<Report, HostError> {
    run.observer.notify(Progress::Planned {
        event: call.event,
        site: call.site.clone(),
        picture: Picture::plan(plan.set()).text(),
    });
    let bytes = run.limits.file_bytes;
    let seen = halt.clone();
    let options = Options {
        run: name,
        journal,
        concurrency: 1,
        limits: Limits {
            result_bytes: bytes,
            results_bytes: bytes,
            parameter_bytes: bytes,
            ..Limits::default()
        },
        observer: Some(Arc::new(move |notice| {
            if matches!(notice.status, Status::Failed | Status::Timeout) {
                seen.stop();
            }
        })),
        ..Options::default()
    };
    let flow = Run::new(plan, Arc::new(actions), options);
    halt.set_control(flow.control());
    let report = run.unless_cancelled(serve(flow, calls, executor)).await?;
    let outcomes: Vec<Value> =
        report.outcomes().map(|one| json!(Outcome { result: None, ..one })).collect();
    run.recorder.amend(call.event, json!({ "plan_outcomes": outcomes }));
    Ok(report)
}

/// Does what the scheduler hands over, until it has ended.
async fn serve(
    flow: Run,
    mut calls: UnboundedReceiver<PendingCall>,
    executor: &Executor<'_>,
) -> Report {
    let mut running = FuturesUnordered::new();
    let mut flow = pin!(flow.run());
    loop {
        tokio::select! {
            report = &mut flow => return report,
            Some(pending) = calls.recv() => running.push(executor.serve(pending)),
            Some(()) = running.next(), if !running.is_empty() => {}
        }
    }
}
