//! TOOL_AVAILABILITY_REQUEST and TOOL_AVAILABILITY_RESPONSE.

use crate::record::{record, words};

record! {
    /// A question which front-end tools can be called (4.7.2).
    #[derive(Default)]
    pub struct ToolAvailabilityRequest {
        /// The tools asked about.
        required tools: Vec<ToolQuery> = "tools",
    }
}

record! {
    /// One tool that is asked about.
    #[derive(Default)]
    pub struct ToolQuery {
        /// The tool.
        id tool_id: String = "toolId",
        /// The least version that will do.
        optional min_version: Option<String> = "minVersion",
        /// Capabilities that it must have.
        optional required_capabilities: Option<Vec<String>> = "requiredCapabilities",
    }
}

record! {
    /// Which front-end tools can be called (4.7.2).
    #[derive(Default)]
    pub struct ToolAvailabilityResponse {
        /// An answer for each tool, in the order of the question.
        required available_tools: Vec<Availability> = "availableTools",
    }
}

record! {
    /// Whether one tool can be called.
    #[derive(Default)]
    pub struct Availability {
        /// The tool.
        id tool_id: String = "toolId",
        /// Whether it can be called.
        required available: bool = "available",
        /// Its version.
        optional version: Option<String> = "version",
        /// Its capabilities.
        optional capabilities: Option<Vec<String>> = "capabilities",
        /// Why it cannot be called.
        optional reason: Option<UnavailableReason> = "reason",
        /// The same in words.
        optional message: Option<String> = "message",
    }
}

words! {
    /// Why a tool cannot be called.
    pub enum UnavailableReason {
        /// The user does not allow it.
        PermissionDenied = "PERMISSION_DENIED",
        /// No client knows the tool.
        NotSupported = "NOT_SUPPORTED",
        /// The client's version is older than asked for.
        VersionTooLow = "VERSION_TOO_LOW",
        /// The client's tool lacks a capability.
        CapabilityMissing = "CAPABILITY_MISSING",
        /// The client that has it is gone.
        ClientUnavailable = "CLIENT_UNAVAILABLE",
    }
}
