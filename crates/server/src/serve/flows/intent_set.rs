//! The instruction sets of the settings, which answer intents (CP-5, 9.2).

use crate::fault::Fault;
use crate::serve::agents::Agents;
use crate::serve::codes;
use contexture::Project;
use contexture::flows::{self, FlowError, FlowRequest};
use contexture::tools::Workspace;
use contexture::tools::paths::Door;
use contexture_flow::check::Earlier;
use contexture_protocol::content::{InstructionSet, Outcome, Status};
use contexture_protocol::{Body, Draft, Limits};
use serde_json::{Value, json};
use std::path::Path;

/// The metadata of an INSTRUCTION with the name of its intent.
pub(super) const INTENT: &str = "intent";
/// The id of the user input among the dependencies of a set.
pub(super) const INPUT: &str = "input";
/// The largest file of a set, in bytes.
const BYTES: u64 = 16 << 20;

pub(crate) struct IntentSet {
    pub(super) name: String,
    pub(super) set: InstructionSet,
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
                let workspace = workspace.through(Door::Person);
                let place = workspace.resolve(&path);
                place
                    .and_then(|place| workspace.read_text(&place, BYTES))
                    .map_err(|error| wrong(&error.to_string()))
            })?;
        let set = instructions(&document).map_err(|text| wrong(&text))?;
        let mut earlier = Earlier::default();
        earlier.add(&user_input(&json!({})));
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
                Err(Fault { help: help.or(fault.help), ..fault })
            }
        }
    }
}

/// Returns the user input as an outcome that instructions may depend on.
pub(super) fn user_input(input: &Value) -> Outcome {
    let mut outcome = Outcome::new(INPUT, Status::Completed);
    outcome.result = Some(input.clone());
    outcome
}

/// Reads the set in a file: an INSTRUCTION message, `{type, content}`, or the content alone.
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
