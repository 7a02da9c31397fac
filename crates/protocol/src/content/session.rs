//! The messages that open and steer a connection (CP-2b).

use crate::number::Count;
use crate::record::{record, words};

record! {
    /// The first message of a client. With `sessionId` and `lastSeq` it takes a session up again
    /// (CP-6).
    #[derive(Default)]
    pub struct Hello {
        /// The version of the protocol that the client speaks.
        required protocol_version: String = "protocolVersion",
        /// The session to go on with.
        optional session_id: Option<String> = "sessionId",
        /// The last `metadata.seq` that was received in it.
        optional last_seq: Option<Count> = "lastSeq",
    }
}

record! {
    /// The answer to HELLO. Its own `metadata.seq` takes no number: it is that of the message after
    /// which the others follow, `lastSeq` of the HELLO in a session that goes on, else 0.
    pub struct Welcome {
        /// The version of the protocol that is spoken from here on.
        required protocol_version: String = "protocolVersion",
        /// The session: the one asked for, or a new one.
        id session_id: String = "sessionId",
        /// The highest `metadata.seq` that was given in it so far.
        required last_seq: Count = "lastSeq",
    }
}

record! {
    /// A message has arrived.
    #[derive(Default)]
    pub struct Ack {
        /// The message.
        id message_id: String = "messageId",
        /// The version of the context after it.
        optional version: Option<Count> = "version",
    }
}

record! {
    /// Something that runs is steered.
    pub struct Control {
        /// What is to happen.
        required action: ControlAction = "action",
        /// To what: a messageId, the id of a run, or the callId or instructionId of a step of a set, which
        /// can be cancelled alone. With a contextId in the envelope, only what runs in that context is
        /// meant.
        id target: String = "target",
    }
}

words! {
    /// How something that runs is steered.
    pub enum ControlAction {
        /// It ends.
        Cancel = "CANCEL",
        /// Nothing more is started.
        Pause = "PAUSE",
        /// It goes on.
        Resume = "RESUME",
    }
}

record! {
    /// Changes of a context are wanted (CP-11). Each CONTEXT_DELTA has this message as its
    /// `metadata.inReplyTo`. When the context is deleted, a SYSTEM_MESSAGE whose `data.code` is
    /// `CONTEXT_DELETED` says so, and nothing more comes.
    #[derive(Default)]
    pub struct Subscribe {
        /// The context.
        id context_id: String = "contextId",
        /// The version after which; from now on, if absent.
        optional since: Option<Count> = "since",
    }
}

record! {
    /// Changes of a context are wanted no more.
    #[derive(Default)]
    pub struct Unsubscribe {
        /// The context.
        id context_id: String = "contextId",
        /// Of no meaning here; it is accepted as in SUBSCRIBE.
        optional since: Option<Count> = "since",
    }
}
