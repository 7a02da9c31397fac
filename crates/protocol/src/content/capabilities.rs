//! CLIENT_CAPABILITIES and the definition of a front-end tool (CP-13, CP-15).

use super::Runtime;
use crate::node::{Fields, Node};
use crate::number::{Count, Millis};
use crate::record::{record, words};
use crate::report::{Place, Report, found};
use crate::version::{SEMANTIC, is_semantic};
use serde_json::{Map, Value};
use std::collections::HashSet;

record! {
    /// What a client can do (4.7.1). No two of its tools have the same `toolId`.
    #[derive(Default)]
    pub struct ClientCapabilities, check = tools_are_told_apart {
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
    pub struct ToolDefinition, check = runs_in_front, transform = schema_of_tool {
        /// The tool: what a call names.
        id tool_id: String = "toolId",
        /// What it is called where it is shown.
        optional name: Option<String> = "name",
        /// What it does.
        optional description: Option<String> = "description",
        /// Its version: three numbers as of semantic versioning, such as `1.2.0`.
        optional version: Option<String> = "version",
        /// On which side it runs: always `FRONTEND`.
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

fn tools_are_told_apart(map: &Fields<'_>, at: &Place<'_>, report: &mut Report<'_>) {
    let Some(Node::Array(tools)) = map.get("supportedTools") else { return };
    let at = at.key("supportedTools");
    let mut known = HashSet::new();
    for (index, tool) in tools.iter().enumerate() {
        let Node::Object(fields) = tool else { continue };
        let Some(id) = fields.get("toolId").and_then(Node::as_str) else { continue };
        if !known.insert(id) {
            let found = format!("{} once more", found(&Node::String(id.into())));
            report.add(&at.index(index).key("toolId"), "a toolId that no other tool has", found);
        }
    }
}

fn runs_in_front(map: &Fields<'_>, at: &Place<'_>, report: &mut Report<'_>) {
    if let Some(runtime) = map.get("runtime").filter(|word| word.as_str() == Some("BACKEND")) {
        report.wrong(&at.key("runtime"), "\"FRONTEND\": a client announces what it runs", runtime);
    }
    let version = map.get("version");
    if let Some(version) = version.filter(|word| word.as_str().is_some_and(|w| !is_semantic(w))) {
        report.wrong(&at.key("version"), "a version such as \"1.2.0\" (semver)", version);
    }
}

fn schema_of_tool(schema: &mut schemars::Schema) {
    let Some(Value::Object(fields)) = schema.get_mut("properties") else { return };
    if let Some(Value::Object(version)) = fields.get_mut("version") {
        version.insert("pattern".to_owned(), SEMANTIC.into());
    }
    if let Some(Value::Object(runtime)) = fields.get_mut("runtime") {
        runtime.remove("anyOf");
        runtime.insert("enum".to_owned(), serde_json::json!(["FRONTEND", null]));
    }
}
