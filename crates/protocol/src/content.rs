//! Contents of messages: one type per kind of message, and the parts they share.

mod availability;
mod call;
mod capabilities;
pub(crate) mod context;
pub(crate) mod error_response;
pub(crate) mod error_source;
mod instruction;
mod model;
mod recovery;
mod session;
mod system;
mod update;
mod user;

pub use availability::{
    Availability, Callable, ToolAvailabilityRequest, ToolAvailabilityResponse, ToolListRequest,
    ToolListResponse, ToolQuery, UnavailableReason,
};
pub use call::{
    Call, CallMode, CallResult, CallStatus, Runtime, ToolCallRequest, ToolCallResponse,
};
pub use capabilities::{
    ClientCapabilities, Limitations, Permission, PermissionLevel, ToolClass, ToolDefinition,
    ToolRegistration,
};
pub use context::{Change, Context, ContextDelta};
pub use error_response::{ErrorDetails, ErrorResponse};
pub use error_source::{ErrorSource, SourceKind};
pub use instruction::{
    Instruction, InstructionMode, InstructionResponse, InstructionSet, Outcome, Progress, Reason,
    Status,
};
pub use model::{FinishReason, ModelResponse, ModelResponseDelta, Usage};
pub use recovery::{Failure, Fallback, FallbackBehavior, Recovery, RecoveryStrategy};
pub use session::{Ack, Control, ControlAction, Hello, Subscribe, Unsubscribe, Welcome};
pub use system::{SystemAction, SystemData, SystemMessage};
pub use update::{ContextUpdate, HistoryFilter, UpdateOperation, UpdateStep};
pub use user::{Attachment, AttachmentKind, AttachmentMetadata, UserInput};
