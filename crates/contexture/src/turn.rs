//! One turn of a conversation: what a person says goes to an agent, and its value is the answer
//! (CP-2, CP-5, CP-8).
//!
//! Decision: a turn is a run like any other, with its trace and its limits, and three things more.
//! The conversation becomes the input of the agent's function, each part with the trust it deserves
//! ([`Conversation`]). What happens is reported as [`TurnEvent`]s that a server can pass on: text only
//! when it is certain to be the answer ([below](#which-text-is-told-as-it-comes)), tool calls of
//! models with their results. And the tools of a front end, the contexts of an owner and the
//! wishes of a caller are within reach of the program.
//!
//! # What the agent gets
//! A turn has the fields `text`, `attachments` (`[{type, url, metadata}]`), `messages` (the turns
//! before it, `[{role, text}]`), `state`, `contextId` and `metadata`.
//! - `main func(input)` gets an object of the first five; `main func(question string)` the text.
//! - `main func(input { text string, messages list })` gets the fields that it declares. One required
//!   string of another name, as in `input { question string }`, gets the text.
//! - Several parameters are taken like the fields of such an object.
//!
//! What the user says in this turn and said before has the trust of a run's input, what a model
//! answered that of a model, results of tools that of tools, the state that of memory.
//!
//! # What the answer is
//! A string is the text. Of an object with a string `text` that field is, and the whole is the
//! value beside it; of any other value its JSON is.
//!
//! # Which text is told as it comes
//! Text of a `generate` is told while it comes only when its answer, unchanged, is bound to be the
//! answer of the turn: it has no shape, and it stands where the started function ends, behind a
//! `return`, as the value of a function that is called there and nowhere else, or in a variable that
//! is set once and is what the function ends with (or the field `text` of an object that is). All
//! other text may be a step on the way, so it is not told; the answer then comes whole at the end.
//! What a model says before it calls tools belongs to [`TurnEvent::ToolCalls`].
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
mod input;
pub(crate) mod request;
pub(crate) mod sites;
mod watch;

pub use crate::observe::{Call, Runtime, ToolFailure};
pub use crate::run::request::Contexts;
pub use answer::{TurnError, TurnReport};
pub use attachment::{Attachment, AttachmentKind};
pub use event::{Finish, TurnEvent};
pub use request::{Conversation, Hints, Past, Role, TurnRequest};

#[cfg(feature = "flow")]
pub(crate) use answer::told;

use crate::observe::Observer;
use crate::project::Project;
use crate::run::{Ready, RunFailure, RunReport, RunRequest, SetupError, Takes};
use attachment::Attachments;
use contexture_llm::CancelToken;
use contexture_script::program::Program;
use std::sync::Arc;
use watch::Watch;

/// Returns why an agent can answer no conversation: its function needs what a turn does not have.
/// `None` when it can, as far as that is known before anything is said.
#[must_use]
pub fn misfit(program: &Program, agent: Option<&str>) -> Option<SetupError> {
    let run = RunRequest { agent: agent.map(str::to_owned), ..RunRequest::default() };
    let (_, func) = input::function(program, &run)?;
    let (conversation, attachments) = (Conversation::default(), Attachments::default());
    input::given(&conversation, &attachments, Some(&Takes::of(func))).err()
}

/// Runs one turn on this thread; [`Runtime::turn`](crate::Runtime::turn) gives it one. A turn that is
/// cancelled keeps its trace.
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
    let takes = input::function(ready.program(), &run).map(|(_, func)| Takes::of(func));
    let places = sites::answers(ready.program(), &run);
    let attachments = Attachments::of(&conversation.attachments)?;
    let given = input::given(&conversation, &attachments, takes.as_ref())?;
    watch.begin(ready.id(), places.clone());
    ready.host().take_turn(hints, places, attachments);
    Ok(ready.run(run, given).await)
}
