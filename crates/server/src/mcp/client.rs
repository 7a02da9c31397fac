//! The client behind a call: whether it still waits, what it is told meanwhile, and what the person at it
//! is asked (WA-9).

use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, ElicitRequest, ElicitRequestParams, ElicitResult, InputRequest,
};
use rmcp::service::RequestContext;
use rmcp::task_manager::{TaskContext, TaskManager};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::sync::watch;

/// The client that waits for the result of a call.
pub(crate) enum Client {
    /// It waits for the answer to its request.
    Call(Box<RequestContext<RoleServer>>),
    /// It has a task, or asks again when its person has answered.
    Task(Arc<Tasked>),
}

/// A client that may not wait for the answer to its request.
pub(crate) struct Tasked {
    /// The request, which can be cancelled until there is a task.
    pub(crate) request: RequestContext<RoleServer>,
    /// The task, once it is one.
    pub(crate) task: watch::Receiver<Option<TaskContext>>,
    pub(crate) tasks: TaskManager,
    /// Changed before and after each question, for what answers the request with it.
    pub(crate) asks: watch::Sender<()>,
    pub(crate) can_be_asked: bool,
    pub(crate) questions: AtomicU32,
}

impl Client {
    /// Returns when the client does not wait any more.
    pub(crate) async fn gone(&self) {
        match self {
            Self::Call(context) => context.ct.cancelled().await,
            Self::Task(client) => client.gone().await,
        }
    }

    /// Reports whether the person at the client can be asked.
    pub(crate) fn can_be_asked(&self) -> bool {
        match self {
            Self::Call(context) => {
                // Later versions of the protocol have no requests of servers.
                let has_requests = context.protocol_version().is_some_and(|it| it.has_initialize());
                has_requests && has_forms(context.client_capabilities().as_ref())
            }
            Self::Task(client) => client.can_be_asked,
        }
    }

    /// Asks the person at the client; `None` without an answer.
    pub(crate) async fn ask(&self, question: ElicitRequestParams) -> Option<ElicitResult> {
        match self {
            Self::Call(context) => context.peer.create_elicitation(question).await.ok(),
            Self::Task(client) => client.ask(question).await,
        }
    }
}

impl Tasked {
    /// Waits until it is a task; never returns if it becomes none.
    async fn task(&self) -> TaskContext {
        let mut task = self.task.clone();
        let found = task.wait_for(Option::is_some).await.ok().and_then(|task| task.clone());
        match found {
            Some(task) => task,
            None => std::future::pending().await,
        }
    }

    async fn gone(&self) {
        tokio::select! {
            // The request of a task is over, however it ended.
            biased;
            task = self.task() => task.cancelled().await,
            () = self.request.ct.cancelled() => {}
        }
    }

    /// Says how far the call is, if it is a task.
    pub(crate) fn tell(&self, message: String) {
        if let Some(task) = &*self.task.borrow() {
            task.set_status_message(message);
        }
    }

    async fn ask(&self, question: ElicitRequestParams) -> Option<ElicitResult> {
        self.asks.send_replace(());
        let task = self.task().await;
        let key = format!("question-{}", self.questions.fetch_add(1, Ordering::Relaxed) + 1);
        let _taken_back = TakenBack { tasks: &self.tasks, id: task.task_id(), key: key.clone() };
        let request = InputRequest::Elicitation(ElicitRequest::new(question));
        let mut asked = std::pin::pin!(task.request_input(key, request));
        let answer = tokio::select! {
            // The question is there when others learn that there is one.
            biased;
            answer = &mut asked => answer,
            () = std::future::ready(()) => {
                self.asks.send_replace(());
                asked.await
            }
        };
        serde_json::from_value(answer.ok()?).ok()
    }
}

/// A question that is taken back when nobody waits for its answer any more.
struct TakenBack<'c> {
    tasks: &'c TaskManager,
    id: &'c str,
    key: String,
}

impl Drop for TakenBack<'_> {
    fn drop(&mut self) {
        // One that has an answer is gone already.
        let answer = [(std::mem::take(&mut self.key), Value::Null)];
        let _ = self.tasks.update_task(self.id, answer);
    }
}

/// Reports whether a client shows forms to its person.
pub(crate) fn has_forms(capabilities: Option<&ClientCapabilities>) -> bool {
    let elicitation = capabilities.and_then(|can| can.elicitation.as_ref());
    // One that names no kind has forms, as there was nothing else at first.
    elicitation.is_some_and(|it| it.form.is_some() || it.url.is_none())
}
