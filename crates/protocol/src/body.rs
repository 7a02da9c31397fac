//! The types of messages, in one table.

use crate::content::{
    Ack, ClientCapabilities, ContextDelta, ContextUpdate, Control, ErrorResponse, Hello,
    InstructionResponse, InstructionSet, ModelResponse, ModelResponseDelta, Progress, Subscribe,
    SystemMessage, ToolAvailabilityRequest, ToolAvailabilityResponse, ToolCallRequest,
    ToolCallResponse, ToolListRequest, ToolListResponse, ToolRegistration, Unsubscribe, UserInput,
    Welcome,
};
use crate::limits::Limits;
use crate::node::Node;
use crate::read::Read;
use crate::refusal::Refusal;
use crate::report::{Place, Report};
use crate::shape::{Pages, Shape};
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

/// The description of a message type.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// The name in `type`.
    pub name: &'static str,
    /// The purpose of the message.
    pub meaning: &'static str,
    /// True if it must name a context (CP-9).
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
        /// The content of a message, by its type.
        ///
        /// Not `non_exhaustive`: when a type is added, a match without a wildcard stops compiling,
        /// so that the compiler names every place that has to handle the type.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Body {
            $(#[doc = $meaning] $Variant($Type),)*
            /// A type that is not part of the protocol (CP-1, CP-4).
            Other {
                /// The name in `type`.
                kind: String,
                /// The content, unchanged.
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
            /// Returns the name in `type`.
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

        /// Writes the content alone.
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
        "The input of a user. Without a `contextId` the server creates a context.";
    ModelResponse(ModelResponse) "MODEL_RESPONSE" in_context
        "The answer of a model, or its request for tool calls.";
    ModelResponseDelta(ModelResponseDelta) "MODEL_RESPONSE_DELTA" anywhere
        "A piece of a model's text while it is written.";
    ToolCallRequest(ToolCallRequest) "TOOL_CALL_REQUEST" in_context
        "A request to call tools: of a client or a tool service by the server, or of the server by a model service.";
    ToolCallResponse(ToolCallResponse) "TOOL_CALL_RESPONSE" in_context
        "The results of the calls.";
    SystemMessage(SystemMessage) "SYSTEM_MESSAGE" anywhere
        "A message from the system.";
    Instruction(InstructionSet) "INSTRUCTION" in_context
        "Instructions that depend on each other.";
    InstructionResponse(InstructionResponse) "INSTRUCTION_RESPONSE" in_context
        "The outcomes of the instructions.";
    Progress(Progress) "PROGRESS" anywhere
        "The progress of something that runs.";
    Control(Control) "CONTROL" anywhere
        "A request to cancel, pause or resume something that runs.";
    ClientCapabilities(ClientCapabilities) "CLIENT_CAPABILITIES" anywhere
        "The capabilities of a client. The last one of a session counts.";
    ToolRegistration(ToolRegistration) "TOOL_REGISTRATION" anywhere
        "The tools that a service runs for others of its owner. The last one of a session counts.";
    ToolAvailabilityRequest(ToolAvailabilityRequest) "TOOL_AVAILABILITY_REQUEST" anywhere
        "A question about the availability of front-end tools.";
    ToolAvailabilityResponse(ToolAvailabilityResponse) "TOOL_AVAILABILITY_RESPONSE" anywhere
        "The availability of front-end tools.";
    ToolListRequest(ToolListRequest) "TOOL_LIST_REQUEST" anywhere
        "A question about all tools and actions that can be called now.";
    ToolListResponse(ToolListResponse) "TOOL_LIST_RESPONSE" anywhere
        "The answer to TOOL_LIST_REQUEST.";
    ContextUpdate(ContextUpdate) "CONTEXT_UPDATE" in_context
        "A change of a context.";
    ContextDelta(ContextDelta) "CONTEXT_DELTA" in_context
        "The changes of a context, for its subscribers.";
    Subscribe(Subscribe) "SUBSCRIBE" anywhere
        "A request for the changes of a context.";
    Unsubscribe(Unsubscribe) "UNSUBSCRIBE" anywhere
        "The end of a subscription.";
    Hello(Hello) "HELLO" anywhere
        "The first message of a client on a connection.";
    Welcome(Welcome) "WELCOME" anywhere
        "The answer to HELLO.";
    Ack(Ack) "ACK" anywhere
        "An acknowledgement: the message has arrived, or is done if there is no other answer.";
    ErrorResponse(ErrorResponse) "ERROR_RESPONSE" anywhere
        "The error of a message.";
}

impl Body {
    /// Reads the content of a message of this type, such as the body of a file.
    ///
    /// # Errors
    /// [`Refusal`] with every fault, its pointers from the top of the content.
    pub fn from_content(kind: &str, content: Value, limits: &Limits) -> Result<Self, Box<Refusal>> {
        let (node, faults) = crate::json::check(content, limits).map_err(Box::new)?;
        let mut report = Report { limits, faults };
        let read = Self::read_content(kind.to_owned(), node, &Place::TOP, &mut report);
        crate::refusal::settle(read, report).map_err(Box::new)
    }

    /// Returns the content as a value.
    #[must_use]
    pub fn content(&self) -> Value {
        // Only texts, numbers and maps by name, which JSON can represent.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Reports whether it is a type of the protocol.
    #[must_use]
    pub fn is_known(&self) -> bool {
        !matches!(self, Self::Other { .. })
    }
}
