//! CLIENT_CAPABILITIES, TOOL_REGISTRATION and the definition of a tool (CP-13, CP-15, WA-6).

use super::call::Runtime;
use crate::node::{Fields, Node};
use crate::number::{Count, Millis};
use crate::record::{record, words};
use crate::report::{Place, Report, found};
use crate::version::{SEMANTIC, is_semantic};
use serde_json::{Map, Value};
use std::collections::HashSet;

record! {
    /// The capabilities of a client (4.7.1). No two of its tools have the same `toolId`.
    #[derive(Default)]
    pub struct ClientCapabilities, check = tools_are_told_apart, transform = schema_of_client {
        /// The client.
        id client_id: String = "clientId",
        /// The kind of device, such as `smartphone`.
        optional device_type: Option<String> = "deviceType",
        /// Its platform, such as `iOS`.
        optional platform: Option<String> = "platform",
        /// The platform's version.
        optional version: Option<String> = "version",
        /// The front-end tools it runs.
        optional supported_tools: Option<Vec<ToolDefinition>> = "supportedTools",
        /// Its other features, such as `background_processing`: an open list.
        optional supported_features: Option<Vec<String>> = "supportedFeatures",
        /// Its limitations.
        optional limitations: Option<Limitations> = "limitations",
    }
}

record! {
    /// The tools that a service runs. No two of them have the same `toolId`.
    pub struct ToolRegistration, check = tools_run_behind, transform = schema_of_service {
        /// The service. Processes of one service have the same.
        id client_id: String = "clientId",
        /// The side that runs the tools: always `BACKEND`.
        optional runtime: Option<Runtime> = "runtime",
        /// The tools; those that it registered before and that are not here are taken back.
        required supported_tools: Vec<ToolDefinition> = "supportedTools",
        /// Its version.
        optional version: Option<String> = "version",
        /// Its features: an open list.
        optional supported_features: Option<Vec<String>> = "supportedFeatures",
        /// Its limitations.
        optional limitations: Option<Limitations> = "limitations",
    }
}

record! {
    /// Limits that a client sets.
    #[derive(Default)]
    pub struct Limitations {
        /// The largest file in bytes.
        optional max_file_size: Option<Count> = "maxFileSize",
        /// The longest processing time of a call.
        optional max_processing_time: Option<Millis> = "maxProcessingTime",
    }
}

record! {
    /// A tool of a client (4.5.1) or of a service. In `supportedTools` everything except `toolId` may be
    /// absent; a tool without a known definition is not offered to a model.
    #[derive(Default)]
    pub struct ToolDefinition, check = is_definition, transform = schema_of_tool {
        /// The id by which calls name it.
        id tool_id: String = "toolId",
        /// Its display name.
        optional name: Option<String> = "name",
        /// Its purpose.
        optional description: Option<String> = "description",
        /// Its version: three numbers as of semantic versioning, such as `1.2.0`.
        optional version: Option<String> = "version",
        /// The side that runs it: `FRONTEND` for that of a client, `BACKEND` for that of a service.
        optional runtime: Option<Runtime> = "runtime",
        /// Its capabilities: words without a predefined meaning.
        optional capabilities: Option<Vec<String>> = "capabilities",
        /// Its parameters, as JSON Schema.
        optional parameters: Option<Map<String, Value>> = "parameters",
        /// Its result, as JSON Schema.
        optional returns: Option<Map<String, Value>> = "returns",
        /// What it does to the world; one that does not say counts as `execute`.
        optional class: Option<ToolClass> = "class",
        /// For arguments by name the lowest trust level that may stand in them, such as `web` for
        /// one that takes any text; the user's own by default.
        optional integrity: Option<Map<String, Value>> = "integrity",
        /// When to ask the user for permission.
        optional permission_level: Option<PermissionLevel> = "permissionLevel",
        /// The user's decision.
        optional permission: Option<Permission> = "permission",
    }
}

words! {
    /// What a tool does to the world.
    pub enum ToolClass {
        /// It reads or shows something, and changes nothing that stays.
        Read = "read",
        /// It changes something on the user's side.
        Write = "write",
        /// It hands data to others.
        Send = "send",
        /// It runs code, or something that is not known.
        Execute = "execute",
    }
}

words! {
    /// When to ask the user before a tool runs.
    #[derive(PartialOrd, Ord)]
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
    /// The user's decision about a tool.
    pub enum Permission {
        /// It may run.
        Granted = "granted",
        /// It may not.
        Denied = "denied",
        /// The user will be asked.
        Prompt = "prompt",
    }
}

/// The trust levels, from the highest to the lowest.
const TRUST: [&str; 9] =
    ["program", "user", "model", "memory", "resource", "tool", "external", "pack", "web"];

fn tools_are_told_apart(map: &Fields<'_>, at: &Place<'_>, report: &mut Report<'_>) {
    let expected = "\"FRONTEND\": a client announces what it runs";
    tools_run_on(("BACKEND", expected), map, at, report);
}

fn tools_run_behind(map: &Fields<'_>, at: &Place<'_>, report: &mut Report<'_>) {
    let wrong = ("FRONTEND", "\"BACKEND\": a service registers what it runs");
    tools_run_on(wrong, map, at, report);
    not_on(wrong, map, at, report);
}

/// Reports a runtime of the other side.
fn not_on(
    (other, expected): (&str, &'static str),
    map: &Fields<'_>,
    at: &Place<'_>,
    report: &mut Report<'_>,
) {
    if let Some(runtime) = map.get("runtime").filter(|word| word.as_str() == Some(other)) {
        report.wrong(&at.key("runtime"), expected, runtime);
    }
}

/// Checks the ids of the tools, and the side that runs them.
fn tools_run_on(
    wrong: (&str, &'static str),
    map: &Fields<'_>,
    at: &Place<'_>,
    report: &mut Report<'_>,
) {
    let Some(Node::Array(tools)) = map.get("supportedTools") else { return };
    let at = at.key("supportedTools");
    let mut known = HashSet::new();
    for (index, tool) in tools.iter().enumerate() {
        let Node::Object(fields) = tool else { continue };
        let id = fields.get("toolId").and_then(Node::as_str);
        if let Some(id) = id.filter(|id| !known.insert(*id)) {
            let found = format!("{} again", found(&Node::String(id.into())));
            report.add(&at.index(index).key("toolId"), "a toolId that no other tool has", found);
        }
        not_on(wrong, fields, &at.index(index), report);
    }
}

fn is_definition(map: &Fields<'_>, at: &Place<'_>, report: &mut Report<'_>) {
    if let Some(Node::Object(Fields(levels))) = map.get("integrity") {
        let at = at.key("integrity");
        for (argument, level) in levels {
            if !level.as_str().is_some_and(|word| TRUST.contains(&word)) {
                report.wrong(&at.key(argument), "a trust level, \"program\" to \"web\"", level);
            }
        }
    }
    let version = map.get("version");
    if let Some(version) = version.filter(|word| word.as_str().is_some_and(|w| !is_semantic(w))) {
        report.wrong(&at.key("version"), "a version such as \"1.2.0\" (semver)", version);
    }
}

fn schema_of_client(schema: &mut schemars::Schema) {
    runs_on("FRONTEND", schema);
}

fn schema_of_service(schema: &mut schemars::Schema) {
    runs_on("BACKEND", schema);
    if let Some(Value::Object(fields)) = schema.get_mut("properties") {
        fields.insert("runtime".to_owned(), serde_json::json!({ "enum": ["BACKEND", null] }));
    }
}

/// Says the side that runs the tools.
fn runs_on(side: &str, schema: &mut schemars::Schema) {
    let tools = schema.get_mut("properties").and_then(|fields| fields.get_mut("supportedTools"));
    if let Some(Value::Object(items)) = tools.and_then(|tools| tools.get_mut("items")) {
        let runtime = serde_json::json!({ "runtime": { "enum": [side, null] } });
        items.insert("properties".to_owned(), runtime);
    }
}

fn schema_of_tool(schema: &mut schemars::Schema) {
    let Some(Value::Object(fields)) = schema.get_mut("properties") else { return };
    if let Some(Value::Object(version)) = fields.get_mut("version") {
        version.insert("pattern".to_owned(), SEMANTIC.into());
    }
}

impl From<ToolRegistration> for ClientCapabilities {
    fn from(service: ToolRegistration) -> Self {
        Self {
            client_id: service.client_id,
            version: service.version,
            supported_tools: Some(service.supported_tools),
            supported_features: service.supported_features,
            limitations: service.limitations,
            extra: service.extra,
            ..Self::default()
        }
    }
}
