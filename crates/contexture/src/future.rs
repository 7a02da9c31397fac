//! Runs and turns as futures that can be sent, spawned and dropped (HO-1).

use crate::driver::{Broken, drive};
use crate::models::StandIn;
use crate::observe::{Observer, Silent};
use crate::project::Project;
use crate::run::{self, Run, RunError, RunFailure, RunReport, RunRequest, SetupError};
use crate::turn::{self, TurnEvent, TurnReport, TurnRequest};
use contexture_core::panics;
use contexture_llm::CancelToken;
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::Semaphore;

/// A run that begins when it is first polled. Later settings have no effect.
pub type RunFuture = Pending<RunRequest>;

/// A turn of a conversation that begins when it is first polled. Later settings have no effect.
pub type TurnFuture = Pending<TurnRequest>;

/// A function that receives the events of a turn.
pub type Events = Arc<dyn Fn(TurnEvent) + Send + Sync>;

/// A run or a turn that begins when it is first polled.
#[must_use = "it begins when its future is polled"]
pub struct Pending<R: Work>(State<R>);

enum State<R: Work> {
    Setup(Option<Box<Setup<R>>>),
    Running(Pin<Box<dyn Future<Output = R::Output> + Send>>),
}

struct Setup<R: Work> {
    project: Arc<Project>,
    permits: Arc<Semaphore>,
    request: R,
    listener: R::Listener,
    cancel: CancelToken,
}

/// A request that is processed on a thread of its own: that of a run, or that of a turn.
pub trait Work: Sized + Send + 'static {
    /// The function or observer that receives the progress.
    type Listener: Send + 'static;
    /// The result.
    type Output: Send + 'static;

    /// Processes it on this thread.
    #[doc(hidden)]
    fn work(
        self,
        project: &Project,
        listener: Self::Listener,
        cancel: CancelToken,
    ) -> impl Future<Output = Self::Output>;

    /// Returns the result of work that could not be done.
    #[doc(hidden)]
    fn refused(error: SetupError) -> Self::Output;
}

impl Work for RunRequest {
    type Listener = Arc<dyn Observer>;
    type Output = Result<Run, RunError>;

    async fn work(
        self,
        project: &Project,
        observer: Arc<dyn Observer>,
        cancel: CancelToken,
    ) -> Self::Output {
        run::run(project, self, observer, cancel).await.into()
    }

    fn refused(error: SetupError) -> Self::Output {
        RunReport::refused(RunFailure::Setup(error)).into()
    }
}

impl Work for TurnRequest {
    type Listener = Events;
    type Output = TurnReport;

    fn work(
        self,
        project: &Project,
        events: Events,
        cancel: CancelToken,
    ) -> impl Future<Output = TurnReport> {
        turn::turn(project, self, events, cancel)
    }

    fn refused(error: SetupError) -> TurnReport {
        TurnReport::refused(error)
    }
}

impl<R: Work> Pending<R> {
    fn new(
        project: Arc<Project>,
        permits: Arc<Semaphore>,
        request: R,
        listener: R::Listener,
    ) -> Self {
        let setup = Setup { project, permits, request, listener, cancel: CancelToken::new() };
        Self(State::Setup(Some(Box::new(setup))))
    }

    fn set(mut self, change: impl FnOnce(&mut Setup<R>)) -> Self {
        if let State::Setup(Some(setup)) = &mut self.0 {
            change(setup);
        }
        self
    }

    /// Changes any part of the request.
    pub fn with(self, change: impl FnOnce(&mut R)) -> Self {
        self.set(|setup| change(&mut setup.request))
    }

    /// Sets the token by which the work can be cancelled while something waits for it.
    pub fn cancel(self, cancel: CancelToken) -> Self {
        self.set(|setup| setup.cancel = cancel)
    }

    /// Does the work on this thread, which has nothing else to do until it ends, such as the main one
    /// of a command. Work that was polled before never completes.
    ///
    /// The allocator of most Linux systems gives a thread of its own memory page by page, each by a
    /// call of the system, which is a tenth of a run that makes many values.
    pub async fn on_this_thread(self) -> R::Output {
        match self.0 {
            State::Setup(Some(setup)) => setup.work().await,
            State::Setup(None) | State::Running(_) => std::future::pending().await,
        }
    }
}

impl RunFuture {
    pub(crate) fn of(project: Arc<Project>, permits: Arc<Semaphore>, request: RunRequest) -> Self {
        Self::new(project, permits, request, Arc::new(Silent))
    }

    /// Sets the input of the program.
    pub fn input(self, input: impl Into<Value>) -> Self {
        let input = input.into();
        self.with(|request| request.input = input.into())
    }

    /// Sets the default model, such as `openai://gpt-4o-mini`, also in place of all models that the
    /// program names.
    pub fn model(self, uri: impl Into<String>) -> Self {
        let uri = uri.into();
        self.with(|request| request.model = Some(uri))
    }

    /// Sets the model in place of the one that the program imports under a name.
    pub fn model_for(self, name: impl Into<String>, uri: impl Into<String>) -> Self {
        let (name, uri) = (name.into(), uri.into());
        self.with(|request| {
            request.models.by_name.insert(name, uri);
        })
    }

    /// Sets the stand-in for the models.
    pub fn stand_in(self, stand_in: StandIn) -> Self {
        self.with(|request| request.stand_in = stand_in)
    }

    /// Sets the observer of the run's progress.
    pub fn observer(self, observer: Arc<dyn Observer>) -> Self {
        self.set(|setup| setup.listener = observer)
    }
}

impl TurnFuture {
    pub(crate) fn of(project: Arc<Project>, permits: Arc<Semaphore>, request: TurnRequest) -> Self {
        Self::new(project, permits, request, Arc::new(|_| {}))
    }

    /// Sets the function that receives each event. It is called from the turn's thread and must not
    /// block for long.
    pub fn events(self, events: impl Fn(TurnEvent) + Send + Sync + 'static) -> Self {
        self.set(|setup| setup.listener = Arc::new(events))
    }
}

impl<R: Work> Future for Pending<R> {
    type Output = R::Output;

    /// Polls the work; after its end it never completes again.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let State::Setup(setup) = &mut self.0 {
            let Some(setup) = setup.take() else { return Poll::Pending };
            self.0 = State::Running(Box::pin(setup.run()));
        }
        let State::Running(running) = &mut self.0 else { return Poll::Pending };
        let polled = running.as_mut().poll(context);
        if polled.is_ready() {
            self.0 = State::Setup(None);
        }
        polled
    }
}

impl<R: Work> Setup<R> {
    async fn run(self) -> R::Output {
        let Self { project, permits, request, listener, cancel } = self;
        // The semaphore is never closed.
        let permit = permits.acquire_owned().await;
        let token = cancel.clone();
        let driven = drive(cancel, move || async move {
            let _permit = permit;
            request.work(&project, listener, token).await
        });
        driven.await.unwrap_or_else(broken::<R>)
    }

    async fn work(self) -> R::Output {
        let Self { project, permits, request, listener, cancel } = self;
        // The semaphore is never closed.
        let _permit = permits.acquire_owned().await;
        let worked = panics::caught(|| request.work(&project, listener, cancel)).await;
        worked.unwrap_or_else(|panic| broken::<R>(Broken::Panicked(panic)))
    }
}

/// Returns the result of work that gave none.
fn broken<R: Work>(why: Broken) -> R::Output {
    R::refused(SetupError::new("run_broken", why, None))
}
