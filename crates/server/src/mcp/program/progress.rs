//! The progress of a run as notifications of MCP.

use crate::mcp::client::{Client, Tasked};
use contexture::observe::{Observer, Progress, Silent};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

/// Forwards the progress of a run.
struct Teller {
    sender: UnboundedSender<String>,
    /// True if the names of models, which can hold hosts, are left out.
    is_remote: bool,
}

impl Observer for Teller {
    fn notify(&self, progress: Progress) {
        let told = match progress {
            Progress::GenerateStarted { model, prompt_tokens, is_exact, .. } => {
                let mark = if is_exact { "" } else { "~" };
                let model = if self.is_remote { "a model" } else { &model };
                format!("asking {model} ({mark}{prompt_tokens} tokens)")
            }
            Progress::AttemptStarted { attempt, .. } if attempt > 1 => {
                format!("attempt {attempt}: the answer did not fit")
            }
            Progress::GenerateEnded { usage, ok, .. } => {
                let how = if ok { "answered" } else { "no usable answer" };
                format!("{how} ({} tokens)", usage.completion_tokens)
            }
            Progress::ToolCalled { name } => format!("called {name}"),
            Progress::Planned { picture, .. } => format!("plan:\n{picture}"),
            Progress::Said(text) => text,
            _ => return,
        };
        // After a cancellation nobody listens.
        let _ = self.sender.send(told);
    }
}

/// Creates the observer of a call: silent unless the client requested progress, or has a task, which says
/// how far it is.
///
/// The task ends when the observer is dropped and everything is sent: the answer of the call waits for it,
/// since no progress may follow the answer.
pub(super) fn observer(
    client: &Client,
    is_remote: bool,
) -> (Arc<dyn Observer>, Option<JoinHandle<()>>) {
    let (sender, receiver) = unbounded_channel();
    let telling = match client {
        Client::Task(client) => tokio::spawn(state(receiver, Arc::clone(client))),
        Client::Call(context) => match context.meta.get_progress_token() {
            Some(token) => tokio::spawn(forward(receiver, context.peer.clone(), token)),
            None => return (Arc::new(Silent), None),
        },
    };
    (Arc::new(Teller { sender, is_remote }), Some(telling))
}

async fn state(mut told: UnboundedReceiver<String>, client: Arc<Tasked>) {
    while let Some(message) = told.recv().await {
        client.tell(message);
    }
}

async fn forward(
    mut told: UnboundedReceiver<String>,
    peer: Peer<RoleServer>,
    token: ProgressToken,
) {
    let mut step = 0.0;
    while let Some(message) = told.recv().await {
        step += 1.0;
        let progress = ProgressNotificationParam::new(token.clone(), step).with_message(message);
        if peer.notify_progress(progress).await.is_err() {
            return;
        }
    }
}
