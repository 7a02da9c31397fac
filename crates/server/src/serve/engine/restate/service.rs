//! The two services that the engine calls: the workflow `Set` of each run, and the attempts of its
//! steps.

use super::Hosts;
use super::drive::{LetterName, drive};
use super::hosted::Hosted;
use super::wire::{Attempt, Begin, End, Letter};
use contexture::store::flows::{FlowStoreError, RunState};
use restate_sdk::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// The name of the workflow of a run.
pub(super) const SET: &str = "Set";
/// The name of the service of attempts.
pub(super) const STEP: &str = "Step";

/// The time after which a call without progress is broken off and done again: it attaches to what
/// goes on here.
const PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);
/// The time after which a workflow that waits costs no connection any more.
const IDLE: Duration = Duration::from_secs(10);

/// The run of a set.
pub(super) struct SetRun(Arc<Hosts>);

#[restate_sdk::workflow(name = "Set")]
impl SetRun {
    #[handler]
    async fn run(&self, ctx: WorkflowContext<'_>, begin: Json<Begin>) -> Result<(), HandlerError> {
        let hosted = hosted(&self.0, ctx.key()).await?;
        let name = LetterName::first();
        drive(&ctx, &name, hosted, begin.into_inner()).await
    }

    /// Takes a letter to the run.
    #[handler]
    async fn tell(
        &self,
        ctx: SharedWorkflowContext<'_>,
        letter: Json<Letter>,
    ) -> Result<(), HandlerError> {
        let first = LetterName::first();
        let mut name = &first;
        while ctx.peek_promise::<Json<Letter>>(name.get()).await?.is_some() {
            name = name.next();
        }
        ctx.resolve_promise(name.get(), letter);
        Ok(())
    }
}

/// An attempt of a step.
pub(super) struct StepRun(Arc<Hosts>);

#[restate_sdk::service(name = "Step")]
impl StepRun {
    #[handler]
    async fn attempt(
        &self,
        _ctx: Context<'_>,
        attempt: Json<Attempt>,
    ) -> Result<Json<End>, HandlerError> {
        let attempt = attempt.into_inner();
        let hosted = hosted(&self.0, &attempt.run).await?;
        let mut end = hosted.attempt(attempt);
        let end = end.wait_for(Option::is_some).await?.clone();
        end.map(|end| Json((*end).clone())).ok_or_else(|| "the attempt has no end".into())
    }
}

/// Returns a run that this server hosts.
///
/// # Errors
/// A terminal error if it has ended or nobody knows it; else another one, since it is hosted later.
async fn hosted(hosts: &Arc<Hosts>, run: &str) -> Result<Arc<Hosted>, HandlerError> {
    if let Some(hosted) = hosts.find(run) {
        return Ok(hosted);
    }
    let (journal, id) = (Arc::clone(&hosts.journal), run.to_owned());
    match tokio::task::spawn_blocking(move || journal.summary(&id)).await? {
        Ok(found) if !matches!(found.state, RunState::Ended(_)) => {
            Err(format!("the run {run} is not hosted yet").into())
        }
        Ok(_) | Err(FlowStoreError::NotFound(_)) => {
            Err(TerminalError::new_with_code(410, format!("the run {run} has ended")).into())
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the endpoint with both.
pub(super) fn endpoint(hosts: &Arc<Hosts>) -> Endpoint {
    // What fails is an answer and not an error: only what did not reach this server is done again.
    let retries = || {
        ServiceOptions::new()
            .retry_policy_initial_interval(Duration::from_millis(50))
            .retry_policy_exponentiation_factor(2.0)
            .retry_policy_max_interval(Duration::from_secs(5))
            .retry_policy_max_attempts(u64::from(u32::MAX))
            .retry_policy_pause_on_max_attempts()
            .abort_timeout(PATIENCE)
    };
    let set = SetRun(Arc::clone(hosts)).into_service_definition();
    let step = StepRun(Arc::clone(hosts)).into_service_definition();
    Endpoint::builder()
        .bind(set.options(retries().inactivity_timeout(IDLE)))
        .bind(
            step.options(retries().inactivity_timeout(PATIENCE).journal_retention(Duration::ZERO)),
        )
        .build()
}
