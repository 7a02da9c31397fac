//! The types of messages, in one table.

use crate::Limits;
use crate::content::{
    Ack, ClientCapabilities, ContextDelta, ContextUpdate, Control, ErrorResponse, Hello,
    InstructionResponse, InstructionSet, ModelResponse, ModelResponseDelta, Progress, Subscribe,
    SystemMessage, ToolAvailabilityRequest, ToolAvailabilityResponse, ToolCallRequest,
    ToolCallResponse, Unsubscribe, UserInput, Welcome,
};
use crate::node::Node;
use crate::read::Read;
use crate::reference::{Pages, Shape};
use crate::refusal::Refusal;
use crate::report::{Place, Report};
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

/// What is known of a type of messages.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// The word in `type`.
    pub name: &'static str,
    /// What such a message is for.
    pub meaning: &'static str,
    /// Whether it must name a context (CP-9).
    pub needs_context: bool,
    pub(crate) content_name: &'static str,
    pub(crate) schema: fn(&mut SchemaGenerator) -> Schema,
    pub(crate) enter: fn(&mut Pages),
}

macro_rules! bodies {
    ($(
        $Variant:ident($Type:ident) $name:literal $context:ident
        $meaning:literal;
    )*) => {
        /// What a message says, by its type.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum Body {
            $(#[doc = $meaning] $Variant($Type),)*
            /// A type that the protocol does not know (CP-1, CP-4).
            Other {
                /// The word in `type`.
                kind: String,
                /// The content as it came.
                content: Value,
            },
        }

        /// The types of the protocol.
        pub const KINDS: &[Kind] = &[$(Kind {
            name: $name,
            meaning: $meaning,
            needs_context: needs!($context),
            content_name: stringify!($Type),
            schema: |generator| generator.subschema_for::<$Type>(),
            enter: |pages| <$Type as Shape>::enter(pages),
        },)*];

        impl Body {
            /// The word in `type`.
            #[must_use]
            pub fn kind(&self) -> &str {
                match self {
                    $(Self::$Variant(_) => $name,)*
                    Self::Other { kind, .. } => kind,
                }
            }

            pub(crate) fn needs_context(kind: &str) -> bool {
                match kind {
                    $($name => needs!($context),)*
                    _ => false,
                }
            }

            pub(crate) fn read_content(
                kind: String,
                content: Node<'_>,
                at: &Place<'_>,
                report: &mut Report<'_>,
            ) -> Option<Self> {
                match kind.as_str() {
                    $($name => $Type::read(content, at, report).map(Self::$Variant),)*
                    _ => Some(Self::Other { kind, content: content.into_value() }),
                }
            }
        }

        /// The content alone.
        impl serde::Serialize for Body {
            fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$Variant(content) => content.serialize(out),)*
                    Self::Other { content, .. } => content.serialize(out),
                }
            }
        }

        $(
            impl From<$Type> for Body {
                fn from(content: $Type) -> Self {
                    Self::$Variant(content)
                }
            }
        )*
    };
}

macro_rules! needs {
    (in_context) => {
        true
    };
    (anywhere) => {
        false
    };
}

bodies! {
    UserInput(UserInput) "USER_INPUT" anywhere
        "What a user says to the model. Without a `contextId` the server makes a context.";
    ModelResponse(ModelResponse) "MODEL_RESPONSE" in_context
        "What a model answers, or which tools it wishes to be called.";
    ModelResponseDelta(ModelResponseDelta) "MODEL_RESPONSE_DELTA" anywhere
        "A piece of a model's text while it is written.";
    ToolCallRequest(ToolCallRequest) "TOOL_CALL_REQUEST" in_context
        "Tools are to be called: of the client by the server, or of the server by a model service.";
    ToolCallResponse(ToolCallResponse) "TOOL_CALL_RESPONSE" in_context
        "What became of the calls.";
    SystemMessage(SystemMessage) "SYSTEM_MESSAGE" anywhere
        "Something the system has to say.";
    Instruction(InstructionSet) "INSTRUCTION" in_context
        "Instructions that depend on each other.";
    InstructionResponse(InstructionResponse) "INSTRUCTION_RESPONSE" in_context
        "What became of the instructions.";
    Progress(Progress) "PROGRESS" anywhere
        "News of something that runs.";
    Control(Control) "CONTROL" anywhere
        "Something that runs is cancelled, paused or resumed.";
    ClientCapabilities(ClientCapabilities) "CLIENT_CAPABILITIES" anywhere
        "What a client can do. The last one of a session counts.";
    ToolAvailabilityRequest(ToolAvailabilityRequest) "TOOL_AVAILABILITY_REQUEST" anywhere
        "A question which front-end tools can be called.";
    ToolAvailabilityResponse(ToolAvailabilityResponse) "TOOL_AVAILABILITY_RESPONSE" anywhere
        "Which front-end tools can be called.";
    ContextUpdate(ContextUpdate) "CONTEXT_UPDATE" in_context
        "A change of a context.";
    ContextDelta(ContextDelta) "CONTEXT_DELTA" in_context
        "The changes of a context, for those who subscribed.";
    Subscribe(Subscribe) "SUBSCRIBE" anywhere
        "Changes of a context are wanted.";
    Unsubscribe(Unsubscribe) "UNSUBSCRIBE" anywhere
        "Changes of a context are wanted no more.";
    Hello(Hello) "HELLO" anywhere
        "The first message of a client on a connection.";
    Welcome(Welcome) "WELCOME" anywhere
        "The answer to HELLO.";
    Ack(Ack) "ACK" anywhere
        "A message has arrived, or has been done where there is nothing else to answer.";
    ErrorResponse(ErrorResponse) "ERROR_RESPONSE" anywhere
        "What went wrong with a message.";
}

impl Body {
    /// Reads the content of a message of this type, such as the body of a file.
    ///
    /// # Errors
    /// [`Refusal`] with every fault, its pointers from the top of the content.
    pub fn from_content(kind: &str, content: Value, limits: &Limits) -> Result<Self, Box<Refusal>> {
        let (node, faults) = crate::json::check(content, limits).map_err(Box::new)?;
        let mut report = Report::begin(limits, faults);
        let read = Self::read_content(kind.to_owned(), node, &Place::TOP, &mut report);
        crate::message::settle(read, report).map_err(Box::new)
    }

    /// The content as a value.
    #[must_use]
    pub fn content(&self) -> Value {
        // Of texts, numbers and maps by name alone: nothing that JSON has not.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Whether it is a type of the protocol.
    #[must_use]
    pub fn is_known(&self) -> bool {
        !matches!(self, Self::Other { .. })
    }
}
