//! Runs and turns as futures that can be sent, spawned and dropped (HO-1).

use crate::driver::drive;
use crate::models::StandIn;
use crate::observe::{Observer, Silent};
use crate::project::Project;
use crate::run::{self, Run, RunError, RunFailure, RunReport, RunRequest, SetupError};
use crate::turn::{self, TurnEvent, TurnReport, TurnRequest};
use contexture_llm::CancelToken;
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::Semaphore;

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A run that begins when it is first polled. Settings that are made later have no effect.
#[must_use = "a run begins when its future is polled"]
pub struct RunFuture {
    state: State<RunSetup, Result<Run, RunError>>,
}

enum State<S, T> {
    Setup(Option<Box<S>>),
    Running(Boxed<T>),
}

struct RunSetup {
    project: Arc<Project>,
    permits: Arc<Semaphore>,
    request: RunRequest,
    observer: Arc<dyn Observer>,
    cancel: CancelToken,
}

impl RunFuture {
    pub(super) fn new(project: Arc<Project>, permits: Arc<Semaphore>, request: RunRequest) -> Self {
        let (observer, cancel) = (Arc::new(Silent), CancelToken::new());
        let setup = RunSetup { project, permits, request, observer, cancel };
        Self { state: State::Setup(Some(Box::new(setup))) }
    }

    /// Sets the input of the program.
    pub fn input(self, input: impl Into<Value>) -> Self {
        let input = input.into();
        self.with(|request| request.input = input)
    }

    /// Sets the default model, such as `openai://gpt-4o-mini`; a program's own `model` wins.
    pub fn model(self, uri: impl Into<String>) -> Self {
        let uri = uri.into();
        self.with(|request| request.model = Some(uri))
    }

    /// Sets what answers in place of the models.
    pub fn stand_in(self, stand_in: StandIn) -> Self {
        self.with(|request| request.stand_in = stand_in)
    }

    /// Changes any part of the request.
    pub fn with(mut self, change: impl FnOnce(&mut RunRequest)) -> Self {
        if let State::Setup(Some(setup)) = &mut self.state {
            change(&mut setup.request);
        }
        self
    }

    /// Sets who is told of the progress of the run.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        if let State::Setup(Some(setup)) = &mut self.state {
            setup.observer = observer;
        }
        self
    }

    /// Sets the token by which the run can be cancelled while something waits for it.
    pub fn cancel(mut self, cancel: CancelToken) -> Self {
        if let State::Setup(Some(setup)) = &mut self.state {
            setup.cancel = cancel;
        }
        self
    }
}

impl Future for RunFuture {
    type Output = Result<Run, RunError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.state.poll(context, |setup| Box::pin(running(setup)))
    }
}

impl<S, T> State<S, T> {
    /// Polls what `begin` makes of the setup. After its end it never completes again.
    fn poll(&mut self, context: &mut Context<'_>, begin: impl FnOnce(S) -> Boxed<T>) -> Poll<T> {
        if let Self::Setup(setup) = self {
            let Some(setup) = setup.take() else { return Poll::Pending };
            *self = Self::Running(begin(*setup));
        }
        match self {
            Self::Running(running) => {
                let polled = running.as_mut().poll(context);
                if polled.is_ready() {
                    *self = Self::Setup(None);
                }
                polled
            }
            Self::Setup(_) => Poll::Pending,
        }
    }
}

async fn running(setup: RunSetup) -> Result<Run, RunError> {
    let RunSetup { project, permits, request, observer, cancel } = setup;
    // The semaphore is never closed.
    let permit = permits.acquire_owned().await;
    let token = cancel.clone();
    let driven = drive(cancel, move || async move {
        let _permit = permit;
        run::run(&project, request, observer, token).await
    });
    let report = driven.await.unwrap_or_else(|broken| {
        RunReport::refused(RunFailure::Setup(SetupError::new("run_broken", broken, None)))
    });
    report.into()
}

/// A turn of a conversation that begins when it is first polled. Settings that are made later have
/// no effect.
#[must_use = "a turn begins when its future is polled"]
pub struct TurnFuture {
    state: State<TurnSetup, TurnReport>,
}

/// Hears of the events of a turn.
pub type Events = Arc<dyn Fn(TurnEvent) + Send + Sync>;

struct TurnSetup {
    project: Arc<Project>,
    permits: Arc<Semaphore>,
    request: TurnRequest,
    events: Events,
    cancel: CancelToken,
}

impl TurnFuture {
    pub(super) fn new(
        project: Arc<Project>,
        permits: Arc<Semaphore>,
        request: TurnRequest,
    ) -> Self {
        let (events, cancel): (Events, _) = (Arc::new(|_| {}), CancelToken::new());
        let setup = TurnSetup { project, permits, request, events, cancel };
        Self { state: State::Setup(Some(Box::new(setup))) }
    }

    /// Sets the function that hears of each event. It is called from the turn's thread and must
    /// not block for long.
    pub fn events(mut self, events: impl Fn(TurnEvent) + Send + Sync + 'static) -> Self {
        if let State::Setup(Some(setup)) = &mut self.state {
            setup.events = Arc::new(events);
        }
        self
    }

    /// Sets the token by which the turn can be cancelled while something waits for it.
    pub fn cancel(mut self, cancel: CancelToken) -> Self {
        if let State::Setup(Some(setup)) = &mut self.state {
            setup.cancel = cancel;
        }
        self
    }
}

impl Future for TurnFuture {
    type Output = TurnReport;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.state.poll(context, |setup| Box::pin(turning(setup)))
    }
}

async fn turning(setup: TurnSetup) -> TurnReport {
    let TurnSetup { project, permits, request, events, cancel } = setup;
    let permit = permits.acquire_owned().await;
    let token = cancel.clone();
    let driven = drive(cancel, move || async move {
        let _permit = permit;
        turn::turn(&project, request, events, token).await
    });
    driven
        .await
        .unwrap_or_else(|broken| TurnReport::refused(SetupError::new("run_broken", broken, None)))
}
