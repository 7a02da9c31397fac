//! TOOL_AVAILABILITY_REQUEST and TOOL_AVAILABILITY_RESPONSE.

use crate::record::{record, words};

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
