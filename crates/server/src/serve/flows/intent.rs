//! Instruction sets that answer intents (CP-5, 9.2).

use super::accept::set_of;
use super::clients::Clients;
use super::earlier::earlier;
use super::job::{Begins, Job, Tell};
use super::resume::INTENT;
use super::{Entered, Flows};
use crate::fault::Fault;
use crate::serve::agents::Agents;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::codes;
use crate::serve::digest::digest;
use crate::serve::exchange::refusal;
use crate::serve::turn::TurnKey;
use contexture::Project;
use contexture::flows::{self, FlowError, FlowRequest};
use contexture::tools::Workspace;
use contexture_flow::check::Earlier;
use contexture_protocol::content::{InstructionSet, Outcome, Status, UserInput};
use contexture_protocol::{Body, Draft, ErrorCode, Limits, Message, Refusal};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// The id under which a set knows what was said.
const INPUT: &str = "input";
/// The largest file of a set, in bytes.
const BYTES: u64 = 16 << 20;

/// The set of an intent.
pub(crate) struct IntentSet {
    name: String,
    set: InstructionSet,
}

impl IntentSet {
    /// Reads and checks a set.
    ///
    /// # Errors
    /// A [`Fault`] when it can't be read, or has faults: all of them.
    pub(crate) fn read(
        project: &Project,
        agents: &Agents,
        name: &str,
        file: &Path,
    ) -> Result<Self, Fault> {
        let wrong = |text: &str| {
            let message = format!("the intent `{name}`: {}: {text}", file.display());
            Fault::of(codes::BAD_INTENT, message)
        };
        let path = file.to_string_lossy();
        let document = Workspace::open(&project.root)
            .map_err(|error| wrong(&error.to_string()))
            .and_then(|workspace| {
                let place = workspace.resolve(&path);
                place
                    .and_then(|place| workspace.read_text(&place, BYTES))
                    .map_err(|error| wrong(&error.to_string()))
            })?;
        let set = instructions(&document).map_err(|text| wrong(&text))?;
        let mut earlier = Earlier::default();
        earlier.add(&said(&json!({})));
        let request = FlowRequest {
            document: document.into_bytes(),
            programs: agents.programs(),
            earlier,
            ..FlowRequest::default()
        };
        match flows::checked(project, request) {
            Ok(_) => Ok(Self { name: name.to_owned(), set }),
            Err(error) => {
                let fault = wrong(&error.to_string());
                let help = match &error {
                    FlowError::Refused(_) => {
                        Some(format!("`contexture flow check {path}` shows all faults"))
                    }
                    other => other.help(),
                };
                Err(match help {
                    Some(help) => fault.with_help(help),
                    None => fault,
                })
            }
        }
    }

    /// The message that says which instructions answer what was said.
    pub(crate) fn message(&self, app: &App, context: &str, said: &UserInput) -> Message {
        let body = Body::Instruction(self.set.clone());
        let mut message = app.maker.message(Some(context), body);
        message.set_meta(INTENT, self.name.as_str());
        let attachments = said.attachments.as_ref().map(|all| json!(all)).unwrap_or(json!([]));
        message.set_meta(INPUT, json!({ "text": said.text, "attachments": attachments }));
        message
    }

    /// Runs the set of a message that was kept; gives the answer, which is not kept yet.
    pub(crate) async fn answer(
        &self,
        app: &Arc<App>,
        caller: &Caller,
        (key, incarnation): (TurnKey, u64),
        message: Message,
        tell: Tell,
    ) -> Result<Message, Refusal> {
        let context = message.context_id.clone().unwrap_or_default();
        let Entered::New(place) = Flows::enter_again(app, key, digest(&message)) else {
            return Err(Refusal::new(ErrorCode::Internal, "the set runs already"));
        };
        if let Some(set) = set_of(&message) {
            place.running().is_of(&context, &set);
        }
        place.running().is_kept_in(incarnation);
        let job = Job {
            app: Arc::clone(app),
            owner: Arc::clone(caller.owner()),
            origin: caller.session.clone(),
            context,
            incarnation: Some(incarnation),
            message,
            intent: Some(self.name.clone()),
            place,
            tell,
        };
        let answer = job.answer_intent().await;
        job.place.leave();
        answer
    }
}

/// Returns the user input as an outcome that instructions may depend on.
fn said(input: &Value) -> Outcome {
    let mut outcome = Outcome::new(INPUT, Status::Completed);
    outcome.result = Some(input.clone());
    outcome
}

/// The set in a file: an INSTRUCTION message, `{type, content}`, or the content alone.
fn instructions(document: &str) -> Result<InstructionSet, String> {
    let value: Value = serde_json::from_str(document).map_err(|error| error.to_string())?;
    let is_bare = value.get("instructions").is_some() && value.get("type").is_none();
    let value = if is_bare { json!({ "type": "INSTRUCTION", "content": value }) } else { value };
    let draft = Draft::from_value(value, &Limits::FILE).map_err(|refused| refused.to_string())?;
    match draft.body {
        Body::Instruction(set) => Ok(set),
        other => Err(format!("expected an INSTRUCTION, found {}", other.kind())),
    }
}

impl Job {
    async fn answer_intent(&self) -> Result<Message, Refusal> {
        let set = set_of(&self.message);
        let set = set.ok_or_else(|| Refusal::new(ErrorCode::Internal, "the intent has no set"))?;
        let earlier = earlier(&self.app, &self.owner, &self.context, &set).await;
        let mut earlier = earlier.map_err(|error| refusal(error, Some(&self.context)))?;
        self.hear(&mut earlier);
        let run = self.app.maker.id("run");
        let clients = Clients::new(self.forwarder(), &run, &set);
        let checked = self.checked(&set, clients, earlier)?;
        self.work(&run, checked, Begins::default()).await
    }

    /// Adds what was said to what the set of an intent may depend on.
    pub(super) fn hear(&self, earlier: &mut Earlier) {
        if self.intent.is_some()
            && let Some(input) = self.message.meta(INPUT)
        {
            earlier.add(&said(input));
        }
    }
}
