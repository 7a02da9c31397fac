use crate::action::{ActionCall, ActionFailure};
use crate::journal::{JournalError, Ticket};
use contexture_core::store::flows::Ask;
use contexture_protocol::content::Status;
use serde_json::Value;

/// What has happened.
#[derive(Debug)]
pub enum Input {
    /// An event is durable, or lost.
    Kept {
        /// The [ticket](Output::ticket) of the event.
        ticket: Ticket,
        /// An error if it is lost.
        result: Result<(), JournalError>,
    },
    /// An attempt runs and has not ended; its timeout counts from now.
    Acting {
        /// The step.
        step: u32,
        /// Its attempt.
        attempt: u32,
    },
    /// An attempt has ended.
    Done {
        /// The step.
        step: u32,
        /// Its attempt; the end of an attempt that is no longer awaited has no effect.
        attempt: u32,
        /// Its result with the approximate size in bytes of JSON.
        result: Result<(Value, usize), Box<ActionFailure>>,
    },
    /// The run is paused, resumed or cancelled from outside.
    Asked(Ask),
    /// A step is cancelled from outside.
    CancelStep {
        /// The step.
        step: u32,
    },
}

/// What is to be done.
#[derive(Debug)]
pub enum Output {
    /// Journal that an attempt starts, and keep its call until it [acts](Self::Act) or is
    /// [aborted](Self::Abort).
    Begin {
        /// The step.
        step: u32,
        /// The call, with the number of the attempt.
        call: Box<ActionCall>,
    },
    /// Journal a change.
    Record(Change),
    /// Run an attempt, whose start is durable now.
    Act {
        /// The step.
        step: u32,
        /// Its attempt.
        attempt: u32,
    },
    /// End the attempt of a step, whether it runs or has not begun; nobody waits for it.
    Abort {
        /// The step.
        step: u32,
    },
    /// Tell observers of a step whose event is durable now.
    Tell {
        /// The step.
        step: u32,
        /// True if an attempt of it has started, false if it has ended.
        is_start: bool,
    },
}

impl Output {
    /// Returns the name of the event that is to be journalled, for [`Input::Kept`].
    #[must_use]
    pub fn ticket(&self) -> Option<Ticket> {
        match self {
            Self::Begin { step, call } => {
                Some(Ticket { step: Some((*step, call.attempt)), is_start: true })
            }
            Self::Record(Change::Ended { step, attempt }) => {
                Some(Ticket { step: Some((*step, *attempt)), is_start: false })
            }
            Self::Record(_) => Some(Ticket::default()),
            Self::Act { .. } | Self::Abort { .. } | Self::Tell { .. } => None,
        }
    }
}

/// A change of a run, apart from the start of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// A step has ended.
    Ended {
        /// The step.
        step: u32,
        /// The number of its last attempt; 0 if it was not run.
        attempt: u32,
    },
    /// Nothing new is started.
    Paused,
    /// The run continues.
    Resumed,
    /// The run was cancelled.
    Cancelled,
    /// All steps have ended.
    Finished {
        /// The status of the whole.
        status: Status,
    },
}
