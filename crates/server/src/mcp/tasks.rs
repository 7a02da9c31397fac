//! Calls that outlive their request: tasks, and calls that are made again with a person's answer (WA-9).
//!
//! Decision: both are tasks of the library. Nobody knows before how long a program takes, so that a client
//! that knows tasks gets one when its call is not answered within a moment, or asks its person. One that only
//! knows how to ask its person waits, and gets a question instead of the answer when there is one; the state
//! that it sends back with what the person says is the id of the task, which cannot be guessed.

use super::client::{Client, Tasked, has_forms};
use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, CreateTaskResult,
    ErrorData, InputRequiredResult, InputResponses, Task, TaskPayload,
};
use rmcp::service::RequestContext;
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// The most tasks at a time.
const MOST: usize = 64;
/// The time within which a call is answered, and no task.
const MOMENT: Duration = Duration::from_secs(1);
/// The time that a task may take, and that its result is kept, in milliseconds: a day.
const KEPT: u64 = 24 * 60 * 60 * 1_000;

/// The calls that outlive their requests.
#[derive(Default)]
pub(crate) struct Tasks {
    pub(crate) manager: TaskManager,
    /// The calls whose clients ask again, by the state that they send.
    asked: Mutex<HashMap<String, Asked>>,
}

/// A call whose client asks again.
struct Asked {
    tool: String,
    questions: watch::Receiver<()>,
    result: oneshot::Receiver<CallToolResult>,
}

/// How a client learns the result of a call that may take long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// It waits.
    Waits,
    /// It gets a task when it would have to wait.
    Task,
    /// It waits, and asks again with the answer to a question.
    Asks,
}

impl Way {
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        let can = context.client_capabilities();
        if can.as_ref().is_some_and(ClientCapabilities::supports_tasks) {
            return Self::Task;
        }
        let has_requests = context.protocol_version().is_some_and(|it| it.has_initialize());
        if !has_requests && has_forms(can.as_ref()) { Self::Asks } else { Self::Waits }
    }
}

impl Tasks {
    /// Makes a call whose client need not wait; returns its result, its first question or its task.
    pub(crate) async fn call<F>(
        &self,
        context: &RequestContext<RoleServer>,
        (way, tool): (Way, &str),
        work: impl FnOnce(Client) -> F,
    ) -> Result<CallToolResponse, ErrorData>
    where
        F: Future<Output = CallToolResult> + Send + 'static,
    {
        let (asks, mut questions) = watch::channel(());
        let (begins, begun) = watch::channel(None);
        let client = Tasked {
            request: context.clone(),
            task: begun,
            tasks: self.manager.clone(),
            asks,
            can_be_asked: has_forms(context.client_capabilities().as_ref()),
            questions: AtomicU32::new(0),
        };
        let mut work = Box::pin(work(Client::Task(Arc::new(client))));
        tokio::select! {
            result = &mut work => return Ok(result.into()),
            Ok(()) = questions.changed() => {}
            () = tokio::time::sleep(MOMENT), if way == Way::Task => {}
        }
        let (task, result) = self.spawn(begins, work)?;
        if way == Way::Task {
            return Ok(CreateTaskResult::new(task).into());
        }
        let asked = Asked { tool: tool.to_owned(), questions, result };
        self.next(context, task.task_id, asked).await
    }

    /// Goes on with a call whose client asks again; none if the request is not such a one.
    pub(crate) async fn again(
        &self,
        context: &RequestContext<RoleServer>,
        request: &mut CallToolRequestParams,
    ) -> Option<Result<CallToolResponse, ErrorData>> {
        let id = request.request_state.take()?;
        let answers = request.input_responses.take().unwrap_or_default();
        let asked = {
            let mut all = self.asked.lock();
            let is_its = all.get(&id).is_some_and(|asked| asked.tool == request.name);
            if is_its { all.remove(&id) } else { None }
        };
        let Some(asked) = asked else {
            let message = "no call of this tool waits for this answer";
            return Some(Err(ErrorData::invalid_params(message, None)));
        };
        Some(self.answered(context, id, asked, answers).await)
    }

    async fn answered(
        &self,
        context: &RequestContext<RoleServer>,
        id: String,
        asked: Asked,
        answers: InputResponses,
    ) -> Result<CallToolResponse, ErrorData> {
        self.manager.update_task(&id, answers)?;
        self.next(context, id, asked).await
    }

    /// Waits for the result of a call or for its next question.
    async fn next(
        &self,
        context: &RequestContext<RoleServer>,
        id: String,
        mut asked: Asked,
    ) -> Result<CallToolResponse, ErrorData> {
        loop {
            asked.questions.borrow_and_update();
            if let TaskPayload::InputRequired { input_requests } =
                self.manager.get_task(&id)?.payload
            {
                self.asked.lock().insert(id.clone(), asked);
                return Ok(InputRequiredResult::new(Some(input_requests), Some(id)).into());
            }
            tokio::select! {
                // Without a result, its time is over.
                result = &mut asked.result => return match result {
                    Ok(result) => Ok(result.into()),
                    Err(_) => Err(ErrorData::internal_error("the call has ended", None)),
                },
                Ok(()) = asked.questions.changed() => {}
                () = context.ct.cancelled() => {
                    let _ = self.manager.cancel_task(&id);
                    return Err(ErrorData::internal_error("the call was cancelled", None));
                }
            }
        }
    }

    /// Makes a task of a call under way.
    fn spawn(
        &self,
        begins: watch::Sender<Option<TaskContext>>,
        work: Pin<Box<dyn Future<Output = CallToolResult> + Send>>,
    ) -> Result<(Task, oneshot::Receiver<CallToolResult>), ErrorData> {
        // Calls that nobody came back to are gone after their time.
        self.asked.lock().retain(|id, _| self.manager.get_task(id).is_ok());
        if self.manager.running_task_count() >= MOST {
            let message = format!("there are {MOST} tasks, as many as there may be");
            return Err(ErrorData::internal_error(message, None));
        }
        let (sender, result) = oneshot::channel();
        let task = self.manager.spawn(TaskOptions::new().with_ttl_ms(KEPT), |task| {
            begins.send_replace(Some(task.clone()));
            Box::pin(async move {
                let result = work.await;
                // Nobody may wait for it here.
                let _ = sender.send(result.clone());
                let is_cancelled = task.is_cancel_requested() && result.is_error == Some(true);
                if is_cancelled { Err(TaskExit::Cancelled) } else { Ok(result) }
            })
        });
        Ok((task, result))
    }
}
