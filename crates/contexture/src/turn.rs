//! One turn of a conversation: a person's message goes to an agent, whose value is the answer
//! (CP-2, CP-5, CP-8).
//!
//! Decision: a turn is a run like any other, with its trace and its limits, and three additions.
//! The conversation becomes the input of the agent's function, each part with its trust level
//! ([`Conversation`]). Events are reported as [`TurnEvent`]s that a server can pass on: text only
//! when it is certain to be the answer ([below](#which-text-is-streamed)), tool calls of models
//! with their results. And the program can use the tools of a front end, the contexts of an owner
//! and the hints of a caller.
//!
//! # The input of the agent
//! A turn has the fields `text`, `attachments` (`[{type, url, metadata}]`), `messages` (the turns
//! before it, `[{role, text}]`), `state`, `contextId` and `metadata`.
//! - `main func(input)` gets an object of the first five; `main func(question string)` the text.
//! - `main func(input { text string, messages list })` gets the fields that it declares. One
//!   required string of another name, as in `input { question string }`, gets the text.
//! - Several parameters are taken like the fields of such an object.
//!
//! The user's messages, in this turn and before, have the trust level of a run's input, a model's
//! answers that of a model, results of tools that of tools, the state that of memory.
//!
//! # The answer
//! A string is the text itself. For an object with a string `text`, the text is that field, and the
//! object is the value beside it; for any other value, the text is its JSON.
//!
//! # Which text is streamed
//! Text of a `generate` is streamed only when its answer, unchanged, is certain to be the answer of
//! the turn: it has no shape, and it stands where the started function ends, behind a `return`, as
//! the value of a function that is called there and nowhere else, or in a variable that is set once
//! and is the value of the function (or the field `text` of an object that is). All other text may
//! be an intermediate step, so it is not streamed; the answer then comes whole at the end. The text
//! of a model before its tool calls belongs to [`TurnEvent::ToolCalls`].
//!
//! ```
//! use contexture::Runtime;
//! use contexture::run::RunRequest;
//! use contexture::turn::{Conversation, TurnRequest};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! std::fs::write(folder.join("port.as"), r#"
//!     main func(input { text string, state json }) {
//!       use input.state.notes as notes
//!       generate({ input: input.text })
//!     }
//! "#)?;
//!
//! let runtime = Runtime::open(folder)?;
//! let request = TurnRequest {
//!     run: RunRequest { program: folder.join("port.as"), ..RunRequest::default() },
//!     conversation: Conversation {
//!         text: "Which port does the server listen on?".to_owned(),
//!         state: serde_json::json!({ "notes": "The server listens on port 7878." }),
//!         ..Conversation::default()
//!     },
//!     ..TurnRequest::default()
//! };
//! # let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # tokio.block_on(async {
//! let report = runtime.turn(request).await;
//! assert_eq!(report.text, "The server listens on port 7878.");
//! # });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
pub(crate) mod attachment;
mod event;
pub(crate) mod form;
mod input;
pub(crate) mod request;
pub(crate) mod sites;
mod watch;

pub use crate::observe::{Call, Runtime, ToolFailure};
pub use crate::run::request::Contexts;
pub use answer::{TurnError, TurnReport};
pub use attachment::{Attachment, AttachmentKind};
pub use event::{Finish, TurnEvent};
pub use form::{Form, FormCheck};
pub(crate) use input::function;
pub use request::{CallerRound, CallerTools, Conversation, Hints, Past, Role, TurnRequest};

#[cfg(feature = "flow")]
pub(crate) use answer::told;

use crate::durable::Durable;
use crate::observe::Observer;
use crate::project::Project;
use crate::run::{Ready, RunFailure, RunReport, RunRequest, SetupError, Takes};
use attachment::Attachments;
use contexture_llm::CancelToken;
use contexture_script::program::Program;
use std::sync::Arc;
use watch::Watch;

/// Returns why an agent can't answer a conversation: its function needs input that a turn does not
/// have. `None` when it can, as far as that is known before the first message.
#[must_use]
pub fn misfit(program: &Program, agent: Option<&str>) -> Option<SetupError> {
    let run = RunRequest { agent: agent.map(str::to_owned), ..RunRequest::default() };
    let (agent, func) = input::function(program, &run)?;
    let (conversation, attachments) = (Conversation::default(), Attachments::default());
    input::given(&conversation, &attachments, Some(&Takes::of(program, agent.file, func))).err()
}

/// Reports whether an agent can be given attachments.
#[must_use]
pub fn takes_attachments(program: &Program, agent: Option<&str>) -> bool {
    let run = RunRequest { agent: agent.map(str::to_owned), ..RunRequest::default() };
    let func = input::function(program, &run);
    func.is_some_and(|(agent, func)| {
        input::takes_attachments(&Takes::of(program, agent.file, func))
    })
}

/// Runs one turn on this thread; [`Runtime::turn`](crate::Runtime::turn) gives it one. A turn that
/// is cancelled keeps its trace.
pub(crate) async fn turn(
    project: &Project,
    request: TurnRequest,
    events: Arc<dyn Fn(TurnEvent) + Send + Sync>,
    cancel: CancelToken,
) -> TurnReport {
    let watch = Arc::new(Watch::new(events));
    let report = taken(project, request, &watch, cancel).await;
    answer::report(report, &watch)
}

async fn taken(
    project: &Project,
    request: TurnRequest,
    watch: &Arc<Watch>,
    cancel: CancelToken,
) -> Result<RunReport, RunFailure> {
    let TurnRequest { mut run, conversation, hints } = request;
    run.context.clone_from(&conversation.context_id);
    run.private.extend_from_slice(&conversation.private);
    let observer = Arc::clone(watch) as Arc<dyn Observer>;
    let mut ready = Ready::new(project, &run, observer, cancel)?;
    let program = ready.program();
    let takes =
        input::function(program, &run).map(|(agent, func)| Takes::of(program, agent.file, func));
    let places = sites::answers(ready.program(), &run);
    sites::check(&places, &hints)?;
    let attachments = Attachments::of(&conversation.attachments)?;
    let given = input::given(&conversation, &attachments, takes.as_ref())?;
    watch.begin(ready.id(), places.clone(), hints.form.is_some());
    ready.host().take_turn(hints, places, attachments);
    if let Some(Durable::Turn(journal)) = &run.durable {
        journal.holds(conversation);
    }
    Ok(ready.run(run, given).await)
}
