//! INSTRUCTION, INSTRUCTION_RESPONSE and PROGRESS (FL-4, FL-7, CP-18).

use super::call::CallStatus;
use super::recovery::{Failure, Recovery};
use crate::number::{Millis, Seconds};
use crate::record::{record, words};
use serde_json::{Map, Value};

record! {
    /// A set of instructions (3.6).
    #[derive(Default)]
    pub struct InstructionSet {
        /// The instructions.
        required instructions: Vec<Instruction> = "instructions",
        /// The execution mode; `SEQUENTIAL` if absent.
        optional execution_mode: Option<InstructionMode> = "executionMode",
        /// The timeout of the whole set.
        optional timeout: Option<Seconds> = "timeout",
    }
}

impl InstructionSet {
    /// Returns the execution mode.
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
        /// The action to run.
        required action: String = "action",
        /// The arguments of the action; an empty object if absent.
        optional parameters: Option<Map<String, Value>> = "parameters",
        /// The ids of instructions that must end before it starts.
        optional dependencies: Option<Vec<String>> = "dependencies",
        /// It runs only if this is true (FL-8).
        optional condition: Option<String> = "condition",
        /// The timeout of the instruction.
        optional timeout: Option<Seconds> = "timeout",
        /// The recovery if it fails (CP-18).
        optional recovery: Option<Recovery> = "recovery",
    }
}

words! {
    /// The execution mode of a set (5.3).
    #[derive(Default)]
    pub enum InstructionMode {
        /// One after another.
        #[default]
        Sequential = "SEQUENTIAL",
        /// All whose dependencies have ended, concurrently.
        Parallel = "PARALLEL",
        /// The same as `PARALLEL`.
        Conditional = "CONDITIONAL",
    }
}

words! {
    /// The status of an instruction or a call (5.4).
    pub enum Status {
        /// It waits.
        Pending = "PENDING",
        /// It runs.
        Running = "RUNNING",
        /// It succeeded.
        Completed = "COMPLETED",
        /// It failed.
        Failed = "FAILED",
        /// It was not run, for the given reason.
        Skipped = "SKIPPED",
        /// It timed out.
        Timeout = "TIMEOUT",
    }
}

impl Status {
    /// Reports whether the status is final.
    #[must_use]
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Pending | Self::Running)
    }

    /// Returns the status of a call on the wire (FL-4).
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
    /// The outcome of an instruction (FL-7). `SKIPPED` has a reason, `FAILED` and `TIMEOUT` an
    /// error.
    pub struct Outcome {
        /// The instruction.
        id instruction_id: String = "instructionId",
        /// The status.
        required status: Status = "status",
        /// The result.
        any result: Option<Value> = "result",
        /// The error.
        optional error: Option<Failure> = "error",
        /// The reason why it was not run.
        optional reason: Option<Reason> = "reason",
        /// The execution time.
        optional execution_time: Option<Millis> = "executionTime",
    }
}

impl Outcome {
    /// Creates an outcome with a status only.
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
    /// The reason why something was not run.
    #[derive(Default)]
    pub struct Reason {
        /// A code, such as `CONDITION_FALSE` or `DEPENDENCY_FAILED`.
        required code: String = "code",
        /// The reason in words.
        required message: String = "message",
    }
}

record! {
    /// The outcome of a set of instructions (CP-2b).
    pub struct InstructionResponse {
        /// The status of the set.
        required status: Status = "status",
        /// An outcome for each instruction, in the order of the set.
        required results: Vec<Outcome> = "results",
        /// The ids of the instructions that were run, in the order in which they started.
        optional order: Option<Vec<String>> = "order",
    }
}

record! {
    /// Progress of something that runs (CP-2b, FL-12).
    pub struct Progress {
        /// The instruction, call or request.
        id id: String = "id",
        /// Its status.
        required status: Status = "status",
    }
}
