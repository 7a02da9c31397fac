//! Contents of messages: one type per kind of message, and the parts they share.

mod availability;
mod call;
mod capabilities;
mod context;
mod error_response;
mod instruction;
mod model;
mod session;
mod system;
mod update;
mod user;

pub use availability::{
    Availability, ToolAvailabilityRequest, ToolAvailabilityResponse, ToolQuery, UnavailableReason,
};
pub use call::{
    Call, CallMode, CallResult, CallStatus, Fallback, FallbackBehavior, Runtime, ToolCallRequest,
    ToolCallResponse,
};
pub use capabilities::{
    ClientCapabilities, Limitations, Permission, PermissionLevel, ToolDefinition,
};
pub use context::{Change, Context, ContextDelta};
pub use error_response::{ErrorDetails, ErrorResponse, ErrorSource, SourceKind};
pub use instruction::{
    Failure, Instruction, InstructionMode, InstructionResponse, InstructionSet, Outcome, Progress,
    Reason, Recovery, RecoveryStrategy, Status,
};
pub use model::{FinishReason, ModelResponse, ModelResponseDelta, Usage};
pub use session::{Ack, Control, ControlAction, Hello, Subscribe, Unsubscribe, Welcome};
pub use system::{SystemAction, SystemData, SystemMessage};
pub use update::{ContextUpdate, HistoryFilter, UpdateOperation};
pub use user::{Attachment, AttachmentKind, AttachmentMetadata, UserInput};
