//! Fields without an effect: those of the other kind of set, and near-misses of this kind's. All
//! others are left to their authors (CP-1).

use contexture_diagnostic::nearest;
use contexture_protocol::content::{
    Call, Fallback, Instruction, InstructionSet, Recovery, ToolCallRequest,
};
use serde_json::{Map, Value};

/// A field without effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stray {
    /// The step; `None` for a field of the set.
    pub(crate) step: Option<u32>,
    /// The place in the step: a JSON pointer.
    pub(crate) within: &'static str,
    pub(crate) field: String,
    /// The field to use instead.
    pub(crate) help: Option<String>,
}

/// Names of a field in other systems.
const OTHER_NAMES: [(&str, &[&str]); 8] = [
    ("dependsOn", &["dependencies", "requiredAfter"]),
    ("depends_on", &["dependencies", "requiredAfter"]),
    ("if", &["condition"]),
    ("when", &["condition"]),
    ("params", &["parameters"]),
    ("args", &["parameters"]),
    ("retry", &["recovery"]),
    ("mode", &["executionMode"]),
];

/// Fields of calls, with their counterpart in an instruction.
const OF_CALLS: [(&str, Option<&str>); 3] = [
    ("requiredAfter", Some("instructions name their dependencies in `dependencies`")),
    ("callId", None),
    ("name", None),
];

/// Fields of instructions, with their counterpart in a call.
const OF_INSTRUCTIONS: [(&str, Option<&str>); 4] = [
    ("dependencies", Some("calls name their dependencies in `requiredAfter`")),
    ("condition", Some("calls have no condition; instructions have")),
    ("instructionId", None),
    ("action", None),
];

/// The relevant parts of an object.
struct Object<'o> {
    extra: &'o Map<String, Value>,
    step: Option<u32>,
    within: &'static str,
    foreign: &'static [(&'static str, Option<&'static str>)],
}

#[derive(Debug, Default)]
pub(super) struct Strays {
    pub(super) found: Vec<Stray>,
}

impl Strays {
    pub(super) fn of_set(&mut self, set: &InstructionSet) {
        let absent =
            [("executionMode", set.execution_mode.is_none()), ("timeout", set.timeout.is_none())];
        self.look(&whole(&set.extra), &absent);
    }

    pub(super) fn of_request(&mut self, request: &ToolCallRequest) {
        let absent = [
            ("executionMode", request.execution_mode.is_none()),
            ("timeout", request.timeout.is_none()),
            ("frontendTimeout", request.frontend_timeout.is_none()),
            ("backendTimeout", request.backend_timeout.is_none()),
        ];
        self.look(&whole(&request.extra), &absent);
    }

    pub(super) fn of_instruction(&mut self, step: u32, item: &Instruction) {
        let object =
            Object { extra: &item.extra, step: Some(step), within: "", foreign: &OF_CALLS };
        let absent = [
            ("parameters", item.parameters.is_none()),
            ("dependencies", item.dependencies.is_none()),
            ("condition", item.condition.is_none()),
            ("timeout", item.timeout.is_none()),
            ("recovery", item.recovery.is_none()),
        ];
        self.look(&object, &absent);
        self.of_recovery(step, item.recovery.as_ref());
    }

    pub(super) fn of_call(&mut self, step: u32, call: &Call) {
        let object =
            Object { extra: &call.extra, step: Some(step), within: "", foreign: &OF_INSTRUCTIONS };
        let absent = [
            ("description", call.description.is_none()),
            ("requiredAfter", call.required_after.is_none()),
            ("timeout", call.timeout.is_none()),
            ("runtime", call.runtime.is_none()),
            ("recovery", call.recovery.is_none()),
            ("userPrompt", call.user_prompt.is_none()),
            ("fallbackBehavior", call.fallback_behavior.is_none()),
            ("alternative", call.alternative.is_none()),
            ("uiSettings", call.ui_settings.is_none()),
            ("timeoutClient", call.timeout_client.is_none()),
        ];
        self.look(&object, &absent);
        self.of_fallback(step, "/alternative", call.alternative.as_ref());
        self.of_recovery(step, call.recovery.as_ref());
    }

    fn of_recovery(&mut self, step: u32, recovery: Option<&Recovery>) {
        let Some(recovery) = recovery else { return };
        let object = within(step, "/recovery", &recovery.extra);
        let absent = [
            ("attempts", recovery.attempts.is_none()),
            ("delay", recovery.delay.is_none()),
            ("backoff", recovery.backoff.is_none()),
            ("alternative", recovery.alternative.is_none()),
        ];
        self.look(&object, &absent);
        self.of_fallback(step, "/recovery/alternative", recovery.alternative.as_ref());
    }

    fn of_fallback(&mut self, step: u32, at: &'static str, fallback: Option<&Fallback>) {
        let Some(fallback) = fallback else { return };
        let absent = [("parameters", fallback.parameters.is_none())];
        self.look(&within(step, at, &fallback.extra), &absent);
    }

    fn look(&mut self, object: &Object<'_>, absent: &[(&'static str, bool)]) {
        for field in object.extra.keys() {
            // A known field that is null counts as absent, and is not a stray.
            if absent.iter().any(|(known, _)| known == field) {
                continue;
            }
            let foreign = object.foreign.iter().find(|(name, _)| name == field);
            let help = match foreign {
                Some((_, help)) => help.map(str::to_owned),
                None => match meant(field, absent) {
                    Some(known) => Some(format!("did you mean `{known}`?")),
                    None => continue,
                },
            };
            let (step, within) = (object.step, object.within);
            self.found.push(Stray { step, within, field: field.clone(), help });
        }
    }
}

fn whole(extra: &Map<String, Value>) -> Object<'_> {
    Object { extra, step: None, within: "", foreign: &[] }
}

fn within<'o>(step: u32, within: &'static str, extra: &'o Map<String, Value>) -> Object<'o> {
    Object { extra, step: Some(step), within, foreign: &[] }
}

/// Returns the field that was meant, among the absent ones.
fn meant(field: &str, absent: &[(&'static str, bool)]) -> Option<&'static str> {
    let names = || absent.iter().filter(|(_, is_absent)| *is_absent).map(|(name, _)| *name);
    let others = OTHER_NAMES.iter().find(|(other, _)| *other == field);
    let other = others.and_then(|(_, known)| names().find(|name| known.contains(name)));
    other.or_else(|| nearest(field, names()).filter(|known| is_slip(field, known)))
}

/// Reports whether one differs from the other only in case, or in two characters at one place:
/// `executionId` is not a slip for `executionMode`.
fn is_slip(field: &str, known: &str) -> bool {
    if field.to_lowercase() == known.to_lowercase() {
        return true;
    }
    let before = field.chars().zip(known.chars()).take_while(|(a, b)| a == b).count();
    let behind = field.chars().rev().zip(known.chars().rev()).take_while(|(a, b)| a == b).count();
    let longer = field.chars().count().max(known.chars().count());
    longer <= before + behind + 2
}
