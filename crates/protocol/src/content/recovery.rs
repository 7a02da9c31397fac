//! The failure of a call or an instruction, and the recovery from it (CP-14, CP-18).

use crate::node::Fields;
use crate::number::{Count, Factor, Seconds};
use crate::record::{record, words};
use crate::report::{Place, Report};
use serde_json::{Map, Value};

record! {
    /// The error of a call or an instruction.
    #[derive(Default)]
    pub struct Failure {
        /// A code: one of the protocol's, or a tool's own.
        required code: String = "code",
        /// The error in words.
        required message: String = "message",
        /// Further details. A `stackTrace` is included only in debug mode.
        any details: Option<Value> = "details",
    }
}

impl Failure {
    /// Creates a failure from a code and a message.
    #[must_use]
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), ..Self::default() }
    }
}

record! {
    /// The recovery of a failed call or instruction (CP-18, 7.3).
    pub struct Recovery {
        /// The strategy.
        required strategy: RecoveryStrategy = "strategy",
        /// The total number of attempts, with `RETRY`.
        optional attempts: Option<Count> = "attempts",
        /// The delay before the next attempt.
        optional delay: Option<Seconds> = "delay",
        /// The factor by which each delay is longer than the one before.
        optional backoff: Option<Factor> = "backoff",
        /// The replacement, with `DEGRADE`.
        optional alternative: Option<Fallback> = "alternative",
    }
}

words! {
    /// The strategy after a failure (7.3).
    #[derive(Default)]
    pub enum RecoveryStrategy {
        /// Everything that depends on it is skipped, the rest continues.
        #[default]
        Skip = "SKIP",
        /// It is tried again.
        Retry = "RETRY",
        /// The alternative runs.
        Degrade = "DEGRADE",
        /// Its partial result is used.
        Partial = "PARTIAL",
        /// Nothing further is started.
        Abort = "ABORT",
    }
}

words! {
    /// The behaviour if a front-end tool cannot be run (4.5.3).
    #[derive(Default)]
    pub enum FallbackBehavior {
        /// No further call of the request is started.
        #[default]
        Abort = "ABORT",
        /// The remaining calls run.
        Skip = "SKIP",
        /// The alternative runs.
        UseAlternative = "USE_ALTERNATIVE",
    }
}

record! {
    /// The replacement of a call or an instruction.
    #[derive(Default)]
    pub struct Fallback, check = one_name, transform = schema_of_fallback {
        /// The tool.
        optional name: Option<String> = "name",
        /// The action, of an instruction.
        optional action: Option<String> = "action",
        /// The arguments; if absent, those of the original call.
        optional parameters: Option<Map<String, Value>> = "parameters",
    }
}

impl Fallback {
    /// Returns the tool or action.
    #[must_use]
    pub fn target(&self) -> &str {
        self.name.as_deref().or(self.action.as_deref()).unwrap_or_default()
    }
}

fn one_name(map: &Fields<'_>, at: &Place<'_>, report: &mut Report<'_>) {
    match (map.has("name"), map.has("action")) {
        (false, false) => report.missing(at, "name", "a string"),
        (true, true) => {
            let place = at.key("action");
            report.add(&place, "nothing, since name is present", "a second name".to_owned());
        }
        _ => {}
    }
}

fn schema_of_fallback(schema: &mut schemars::Schema) {
    let has = |name: &str| serde_json::json!({"required": [name], "properties": {name: {"type": "string"}}});
    schema.insert("oneOf".to_owned(), Value::from(vec![has("name"), has("action")]));
}
