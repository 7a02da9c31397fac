//! TOOL_AVAILABILITY_REQUEST, TOOL_LIST_REQUEST and their responses.

use super::call::Runtime;
use super::capabilities::ToolClass;
use crate::record::{record, words};
use serde_json::{Map, Value};

record! {
    /// A question about the availability of front-end tools (4.7.2).
    #[derive(Default)]
    pub struct ToolAvailabilityRequest {
        /// The tools in question.
        required tools: Vec<ToolQuery> = "tools",
    }
}

record! {
    /// One tool in question.
    #[derive(Default)]
    pub struct ToolQuery {
        /// The tool.
        id tool_id: String = "toolId",
        /// The lowest accepted version.
        optional min_version: Option<String> = "minVersion",
        /// The required capabilities.
        optional required_capabilities: Option<Vec<String>> = "requiredCapabilities",
    }
}

record! {
    /// The availability of front-end tools (4.7.2).
    #[derive(Default)]
    pub struct ToolAvailabilityResponse {
        /// An answer for each tool, in the order of the question.
        required available_tools: Vec<Availability> = "availableTools",
    }
}

record! {
    /// The availability of one tool.
    #[derive(Default)]
    pub struct Availability {
        /// The tool.
        id tool_id: String = "toolId",
        /// True if it can be called.
        required available: bool = "available",
        /// Its version.
        optional version: Option<String> = "version",
        /// Its capabilities.
        optional capabilities: Option<Vec<String>> = "capabilities",
        /// The reason why it cannot be called.
        optional reason: Option<UnavailableReason> = "reason",
        /// The reason in words.
        optional message: Option<String> = "message",
    }
}

words! {
    /// The reason why a tool cannot be called.
    pub enum UnavailableReason {
        /// The user denied permission.
        PermissionDenied = "PERMISSION_DENIED",
        /// No client provides the tool.
        NotSupported = "NOT_SUPPORTED",
        /// The client's version is older than required.
        VersionTooLow = "VERSION_TOO_LOW",
        /// The client's tool lacks a capability.
        CapabilityMissing = "CAPABILITY_MISSING",
        /// The client that provides it is disconnected.
        ClientUnavailable = "CLIENT_UNAVAILABLE",
    }
}

record! {
    /// A question about all that can be called now. It has no fields.
    #[derive(Default)]
    pub struct ToolListRequest {}
}

record! {
    /// All that can be called now, by name: what the settings of the server allow, and what clients and
    /// services of the owner offer. `GET /v1/tools` and `GET /v1/actions` have the same lists.
    #[derive(Default)]
    pub struct ToolListResponse {
        /// What tool calls can call.
        required tools: Vec<Callable> = "tools",
        /// What instructions can call.
        required actions: Vec<Callable> = "actions",
    }
}

record! {
    /// A tool or an action that can be called.
    pub struct Callable {
        /// The name to call it by.
        required name: String = "name",
        /// The side that runs it.
        required runtime: Runtime = "runtime",
        /// Its kind: `QUERY`, `OPERATION`, `GENERATION`, `ANALYSIS` or `DECISION`.
        required kind: String = "kind",
        /// What it does to the world.
        required class: ToolClass = "class",
        /// True if calling it twice has the effect of once.
        required idempotent: bool = "idempotent",
        /// The JSON Schema of its parameters.
        required parameters: Map<String, Value> = "parameters",
    }
}
