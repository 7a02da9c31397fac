//! `[policy]`: what an effect may do (GU-1, GU-6).

use contexture_context::Trust;
use contexture_core::policy::Verdict;
use contexture_core::policy::paths::PathPolicy;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The policy of a project; what is absent has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PolicySettings {
    /// The verdict on effects that change files or memories. When absent, influenced ones are asked
    /// about.
    pub write: Option<Verdict>,
    /// The verdict on effects that hand data to another side.
    pub send: Option<Verdict>,
    /// The verdict on effects that run code, and on those of unknown tools.
    pub execute: Option<Verdict>,
    /// The trust level of files of the workspace.
    pub workspace: WorkspaceTrust,
    /// Permissions for protected and secret files.
    pub files: PathPolicy,
    /// The handling of what looks like a secret in what a model would see (GU-10).
    pub secrets: SecretsPolicy,
    /// Exceptions for single tools, by the names of permissions: `http.post`, `file.write`,
    /// `mcp:mail/send`.
    pub tools: BTreeMap<String, ToolPolicy>,
}

/// The handling of what looks like a secret in what a model would see.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SecretsPolicy {
    /// It is masked.
    #[default]
    Mask,
    /// It is shown. A warning names it all the same.
    Allow,
}

/// The trust level of files of the workspace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkspaceTrust {
    /// Data that a reader did not write.
    #[default]
    Resource,
    /// The user's own word.
    User,
}

/// The policy of one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolPolicy {
    /// The verdict, in place of that of its class.
    pub default: Option<Verdict>,
    /// The lowest trust level that may influence it: one for all of its arguments and the decision
    /// to call it, or one for each argument by name.
    pub integrity: Option<Integrity>,
    /// Origins that may receive data with restricted readers.
    pub readers: Vec<String>,
}

/// The lowest trust level that a tool accepts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Integrity {
    /// That of all arguments and of the decision.
    All(Trust),
    /// Those of arguments, by name.
    Arguments(BTreeMap<String, Trust>),
}
