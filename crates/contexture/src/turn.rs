//! One turn of a conversation: what a person says goes to an agent, and its value is the answer
//! (CP-2, CP-5, CP-8).
//!
//! Decision: a turn is a run like any other, with its trace and its limits, and three things more.
//! The conversation becomes the input of the agent's function, each part with the trust it deserves
//! ([`Conversation`]). What happens is told as [`TurnEvent`]s that a server can pass on: text only
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
//!     program: folder.join("port.as"),
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
mod attachment;
mod event;
mod input;
mod request;
mod sites;
mod watch;

pub use attachment::{Attachment, AttachmentKind};
pub use event::{Call, Finish, Runtime, ToolFailure, TurnEvent};
pub use request::{Contexts, Conversation, Hints, Past, Role, TurnRequest};

pub(crate) use attachment::{Attached, Attachments, base64_of, data_url};
pub(crate) use sites::Places;

use crate::project::Project;
use crate::run::{Ready, RunFailure, RunRequest, SetupError};
use contexture_llm::CancelToken;
use contexture_prompt::Usage;
use contexture_script::program::Program;
use contexture_script::runtime::FailureKind;
use serde_json::Value;
use std::sync::Arc;
use watch::Watch;

/// Why an agent can answer no conversation: its function needs what a turn does not have. `None` when
/// it can, as far as that is known before anything is said.
#[must_use]
pub fn misfit(program: &Program, agent: Option<&str>) -> Option<SetupError> {
    let run = RunRequest { agent: agent.map(str::to_owned), ..RunRequest::default() };
    let entry = input::entry(program, &run)?;
    input::given(&Conversation::default(), &Attachments::default(), Some(&entry)).err()
}

/// What came of a turn.
#[derive(Debug)]
pub struct TurnReport {
    /// The id under which the run is kept.
    pub run: Option<String>,
    /// The agent's value, or why there is none.
    pub outcome: Result<Value, RunFailure>,
    /// The answer; of a turn that failed what was told of it as [`TurnEvent::Delta`] since the last
    /// [`TurnEvent::ToolCalls`].
    pub text: String,
    /// How it ended.
    pub finish: Finish,
    /// The URI of the model that spoke last, if one was asked.
    pub model: Option<String>,
    /// What the models took in all.
    pub usage: Usage,
    /// What is probably not meant, each once.
    pub warnings: Vec<String>,
}

/// Why a turn gave no answer, in one piece.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnError {
    /// A stable code: of the program (`timeout`, `shape_mismatch`), of a front-end tool
    /// (`PERMISSION_DENIED`), or of what the turn needs (`turn_input`).
    pub code: String,
    /// What happened, in one line.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
    /// Further data.
    pub details: Option<Value>,
    /// Whether the turn was cancelled.
    pub cancelled: bool,
}

impl TurnReport {
    /// The report of a turn that could not begin.
    pub(crate) fn refused(error: SetupError) -> Self {
        Self {
            run: None,
            outcome: Err(RunFailure::Setup(error)),
            text: String::new(),
            finish: Finish::Error,
            model: None,
            usage: Usage::default(),
            warnings: Vec::new(),
        }
    }

    /// The value, when it is more than the text: what belongs in `metadata.value`.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        self.outcome.as_ref().ok().filter(|value| !value.is_string() && !value.is_null())
    }

    /// Why there is no answer.
    #[must_use]
    pub fn error(&self) -> Option<TurnError> {
        self.outcome.as_ref().err().map(told)
    }
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

/// What a turn leaves before its text is made of it.
type Taken = Result<crate::run::RunReport, RunFailure>;

async fn taken(
    project: &Project,
    request: TurnRequest,
    watch: &Arc<Watch>,
    cancel: CancelToken,
) -> Taken {
    let TurnRequest { conversation, frontend, permission, contexts, hints, .. } = &request;
    let run = request.run();
    let observer = Arc::clone(watch) as Arc<dyn crate::observe::Observer>;
    let mut ready = Ready::new(project, &run, contexts.as_ref(), observer, cancel)?;
    let entry = input::entry(ready.program(), &run);
    let places = sites::answers(ready.program(), &run);
    let attachments = Attachments::of(&conversation.attachments).map_err(RunFailure::Setup)?;
    let given =
        input::given(conversation, &attachments, entry.as_ref()).map_err(RunFailure::Setup)?;
    watch.begin(ready.id(), places.clone());
    ready.take_turn(crate::host::Turn {
        frontend: frontend.clone(),
        permission: permission.clone(),
        hints: *hints,
        places,
        attachments,
        ..crate::host::Turn::default()
    });
    Ok(ready.run(run, given).await)
}

pub(crate) fn told(failure: &RunFailure) -> TurnError {
    match failure {
        RunFailure::Setup(error) => TurnError {
            code: error.code.clone(),
            message: error.message.clone(),
            help: error.help.clone(),
            details: None,
            cancelled: false,
        },
        RunFailure::Source(checked) => TurnError {
            code: "program_refused".to_owned(),
            message: answer::refused(checked),
            help: Some("`contexture check` shows all faults of the program".to_owned()),
            details: None,
            cancelled: false,
        },
        RunFailure::Program { error, .. } => TurnError {
            code: error.code.clone(),
            message: error.message.clone(),
            help: error.help.clone(),
            details: error.details.clone(),
            cancelled: error.kind == FailureKind::Cancelled,
        },
    }
}
