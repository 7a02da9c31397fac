//! INSTRUCTION, INSTRUCTION_RESPONSE and PROGRESS (FL-4, FL-7, CP-18).

use super::{CallStatus, Fallback};
use crate::number::{Count, Factor, Millis, Seconds};
use crate::record::{record, words};
use serde_json::{Map, Value};

record! {
    /// A set of instructions (3.6).
    #[derive(Default)]
    pub struct InstructionSet {
        /// The instructions.
        required instructions: Vec<Instruction> = "instructions",
        /// How they are run; `SEQUENTIAL` if absent.
        optional execution_mode: Option<InstructionMode> = "executionMode",
        /// How long the whole set may take.
        optional timeout: Option<Seconds> = "timeout",
    }
}

impl InstructionSet {
    /// How they are run.
    #[must_use]
    pub fn mode(&self) -> InstructionMode {
        self.execution_mode.unwrap_or_default()
    }
}

record! {
    /// One instruction (5.1).
    #[derive(Default)]
    pub struct Instruction {
        /// Its id, unique in its set.
        id instruction_id: String = "instructionId",
        /// What is done.
        required action: String = "action",
        /// What it is done with; an empty object if absent.
        optional parameters: Option<Map<String, Value>> = "parameters",
        /// Instructions that must have ended before.
        optional dependencies: Option<Vec<String>> = "dependencies",
        /// It runs only if this is true (FL-8).
        optional condition: Option<String> = "condition",
        /// How long it may take.
        optional timeout: Option<Seconds> = "timeout",
        /// What happens when it fails (CP-18).
        optional recovery: Option<Recovery> = "recovery",
    }
}

words! {
    /// How a set is run (5.3).
    #[derive(Default)]
    pub enum InstructionMode {
        /// One after another.
        #[default]
        Sequential = "SEQUENTIAL",
        /// All whose dependencies have ended, at once.
        Parallel = "PARALLEL",
        /// As `PARALLEL`.
        Conditional = "CONDITIONAL",
    }
}

record! {
    /// What happens when a call or an instruction fails (CP-18, 7.3).
    pub struct Recovery {
        /// What is done.
        required strategy: RecoveryStrategy = "strategy",
        /// How often it is tried in all, with `RETRY`.
        optional attempts: Option<Count> = "attempts",
        /// How long to wait before it is tried again.
        optional delay: Option<Seconds> = "delay",
        /// By how much each wait is longer than the one before.
        optional backoff: Option<Factor> = "backoff",
        /// What runs instead, with `DEGRADE`.
        optional alternative: Option<Fallback> = "alternative",
    }
}

words! {
    /// What is done when something fails (7.3).
    #[derive(Default)]
    pub enum RecoveryStrategy {
        /// What depends on it is skipped, the rest goes on.
        #[default]
        Skip = "SKIP",
        /// It is tried again.
        Retry = "RETRY",
        /// The alternative runs.
        Degrade = "DEGRADE",
        /// What it has done so far is its result.
        Partial = "PARTIAL",
        /// Nothing more is started.
        Abort = "ABORT",
    }
}

words! {
    /// Where an instruction or a call stands (5.4).
    pub enum Status {
        /// It waits.
        Pending = "PENDING",
        /// It runs.
        Running = "RUNNING",
        /// It went well.
        Completed = "COMPLETED",
        /// It failed.
        Failed = "FAILED",
        /// It was not run; the reason says why.
        Skipped = "SKIPPED",
        /// It took too long.
        Timeout = "TIMEOUT",
    }
}

impl Status {
    /// Whether it is over.
    #[must_use]
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Pending | Self::Running)
    }

    /// The status of a call on the wire (FL-4).
    #[must_use]
    pub fn of_call(self) -> CallStatus {
        match self {
            Self::Completed => CallStatus::Success,
            Self::Timeout => CallStatus::Timeout,
            _ => CallStatus::Error,
        }
    }
}

record! {
    /// What became of an instruction (FL-7). `SKIPPED` has a reason, `FAILED` and `TIMEOUT` an error.
    pub struct Outcome {
        /// The instruction.
        id instruction_id: String = "instructionId",
        /// How it ended.
        required status: Status = "status",
        /// What it gave.
        any result: Option<Value> = "result",
        /// What went wrong.
        optional error: Option<Failure> = "error",
        /// Why it was not run.
        optional reason: Option<Reason> = "reason",
        /// How long it took.
        optional execution_time: Option<Millis> = "executionTime",
    }
}

impl Outcome {
    /// An outcome with a status and nothing else.
    #[must_use]
    pub fn new(instruction_id: impl Into<String>, status: Status) -> Self {
        Self {
            instruction_id: instruction_id.into(),
            status,
            result: None,
            error: None,
            reason: None,
            execution_time: None,
            extra: Map::new(),
        }
    }
}

record! {
    /// What went wrong with a call or an instruction.
    #[derive(Default)]
    pub struct Failure {
        /// A code: one of the protocol's, or a tool's own.
        required code: String = "code",
        /// What went wrong, in words.
        required message: String = "message",
        /// More about it. A `stackTrace` is given only in debug mode.
        any details: Option<Value> = "details",
    }
}

impl Failure {
    /// A code and what it means here.
    #[must_use]
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), ..Self::default() }
    }
}

record! {
    /// Why something was not run.
    #[derive(Default)]
    pub struct Reason {
        /// A code, such as `CONDITION_FALSE` or `DEPENDENCY_FAILED`.
        required code: String = "code",
        /// The reason in words.
        required message: String = "message",
    }
}

record! {
    /// What became of a set of instructions (CP-2b).
    pub struct InstructionResponse {
        /// How the set ended.
        required status: Status = "status",
        /// An outcome for each instruction, in the order of the set.
        required results: Vec<Outcome> = "results",
        /// The ids of those that were run, in the order in which they began.
        optional order: Option<Vec<String>> = "order",
    }
}

record! {
    /// News of something that runs (CP-2b, FL-12).
    pub struct Progress {
        /// The instruction, call or request.
        id id: String = "id",
        /// Where it stands.
        required status: Status = "status",
    }
}
