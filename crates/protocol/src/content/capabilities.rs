//! CLIENT_CAPABILITIES and the definition of a front-end tool (CP-13, CP-15).

use super::Runtime;
use crate::number::{Count, Millis};
use crate::record::{record, words};
use serde_json::{Map, Value};

record! {
    /// What a client can do (4.7.1).
    #[derive(Default)]
    pub struct ClientCapabilities {
        /// The client.
        id client_id: String = "clientId",
        /// What kind of device it is, such as `smartphone`.
        optional device_type: Option<String> = "deviceType",
        /// Its platform, such as `iOS`.
        optional platform: Option<String> = "platform",
        /// The platform's version.
        optional version: Option<String> = "version",
        /// The front-end tools it runs.
        optional supported_tools: Option<Vec<ToolDefinition>> = "supportedTools",
        /// What else it can do, such as `background_processing`: an open list.
        optional supported_features: Option<Vec<String>> = "supportedFeatures",
        /// What it cannot do.
        optional limitations: Option<Limitations> = "limitations",
    }
}

record! {
    /// Bounds that a client sets.
    #[derive(Default)]
    pub struct Limitations {
        /// The largest file in bytes.
        optional max_file_size: Option<Count> = "maxFileSize",
        /// The longest that it works on a call.
        optional max_processing_time: Option<Millis> = "maxProcessingTime",
    }
}

record! {
    /// A front-end tool (4.5.1). In `supportedTools` all but `toolId` may be absent; a tool whose
    /// definition is not known is not offered to a model.
    #[derive(Default)]
    pub struct ToolDefinition {
        /// The tool: what a call names.
        id tool_id: String = "toolId",
        /// What it is called where it is shown.
        optional name: Option<String> = "name",
        /// What it does.
        optional description: Option<String> = "description",
        /// Its version.
        optional version: Option<String> = "version",
        /// On which side it runs.
        optional runtime: Option<Runtime> = "runtime",
        /// What it needs and offers: words without a meaning of their own.
        optional capabilities: Option<Vec<String>> = "capabilities",
        /// Its parameters, as JSON Schema.
        optional parameters: Option<Map<String, Value>> = "parameters",
        /// What it gives, as JSON Schema.
        optional returns: Option<Map<String, Value>> = "returns",
        /// When the user is asked.
        optional permission_level: Option<PermissionLevel> = "permissionLevel",
        /// What the user has decided.
        optional permission: Option<Permission> = "permission",
    }
}

words! {
    /// When the user is asked before a tool runs.
    pub enum PermissionLevel {
        /// Never.
        None = "NONE",
        /// The first time.
        UserConsent = "USER_CONSENT",
        /// Every time.
        AlwaysAsk = "ALWAYS_ASK",
    }
}

words! {
    /// What the user has decided about a tool.
    pub enum Permission {
        /// It may run.
        Granted = "granted",
        /// It may not.
        Denied = "denied",
        /// The user will be asked.
        Prompt = "prompt",
    }
}
