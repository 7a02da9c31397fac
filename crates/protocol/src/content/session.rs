//! Messages that open and control a connection (CP-2b).

use crate::number::Count;
use crate::record::{record, words};

record! {
    /// The first message of a client. With `sessionId` and `lastSeq` it resumes a session (CP-6).
    #[derive(Default)]
    pub struct Hello {
        /// The version of the protocol that the client speaks.
        required protocol_version: String = "protocolVersion",
        /// The session to resume.
        optional session_id: Option<String> = "sessionId",
        /// The last `metadata.seq` received in it.
        optional last_seq: Option<Count> = "lastSeq",
    }
}

record! {
    /// The answer to HELLO. Its own `metadata.seq` does not take a number: it is that of the
    /// message after which the others follow, `lastSeq` of the HELLO in a resumed session, else 0.
    pub struct Welcome {
        /// The version of the protocol used from now on.
        required protocol_version: String = "protocolVersion",
        /// The session: the requested one, or a new one.
        id session_id: String = "sessionId",
        /// The highest `metadata.seq` of the session so far.
        required last_seq: Count = "lastSeq",
    }
}

record! {
    /// An acknowledgement of a message.
    #[derive(Default)]
    pub struct Ack {
        /// The message.
        id message_id: String = "messageId",
        /// The version of the context after it.
        optional version: Option<Count> = "version",
        /// The ids of the messages that the `changes` of a CONTEXT_UPDATE added, in their order.
        optional message_ids: Option<Vec<String>> = "messageIds",
    }
}

record! {
    /// A request to control something that runs.
    pub struct Control {
        /// The action.
        required action: ControlAction = "action",
        /// The target: a messageId, the id of a run, or the callId or instructionId of a step of a
        /// set, which can be cancelled alone. With a contextId in the envelope, only targets that
        /// run in that context match.
        id target: String = "target",
    }
}

words! {
    /// The action of a control message.
    pub enum ControlAction {
        /// Cancels it.
        Cancel = "CANCEL",
        /// Starts nothing further.
        Pause = "PAUSE",
        /// Resumes it.
        Resume = "RESUME",
    }
}

record! {
    /// A request for the changes of a context (CP-11). Each CONTEXT_DELTA has this message as its
    /// `metadata.inReplyTo`. When the context is deleted, a SYSTEM_MESSAGE whose `data.code` is
    /// `CONTEXT_DELETED` reports it, and nothing follows.
    #[derive(Default)]
    pub struct Subscribe {
        /// The context.
        id context_id: String = "contextId",
        /// The version after which changes are sent; the current one if absent.
        optional since: Option<Count> = "since",
    }
}

record! {
    /// The end of a subscription.
    #[derive(Default)]
    pub struct Unsubscribe {
        /// The context.
        id context_id: String = "contextId",
        /// Without a meaning here; it is accepted as in SUBSCRIBE.
        optional since: Option<Count> = "since",
    }
}
