//! Trust: the credibility of a text, and whether it must be fenced (AS-20).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The source of a text, in falling trust. A text from several sources has the lowest.
///
/// The order is the meaning: `Trust::Program < Trust::Web` reads "is trusted more".
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Trust {
    /// Written in the program, or a file of the workspace that the program imports.
    #[default]
    Program,
    /// From the person or program that started the run.
    User,
    /// From a model in this run.
    Model,
    /// From the memory of earlier runs.
    Memory,
    /// A resource that a reference names (`@file://…`).
    Resource,
    /// From a tool.
    Tool,
    /// A file from outside the workspace.
    External,
    /// A knowledge pack.
    Pack,
    /// From the network.
    Web,
}

impl Trust {
    /// Returns the lower of two trusts: that of a text from both.
    #[must_use]
    pub fn least(self, other: Self) -> Self {
        self.max(other)
    }

    /// Reports whether a text of this trust is data only and must be inside a fence.
    #[must_use]
    pub fn is_fenced(self) -> bool {
        self >= Self::Memory
    }

    /// Returns the word used in fences, manifests and traces.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::User => "user",
            Self::Model => "model",
            Self::Memory => "memory",
            Self::Resource => "resource",
            Self::Tool => "tool",
            Self::External => "external",
            Self::Pack => "pack",
            Self::Web => "web",
        }
    }
}

impl std::fmt::Display for Trust {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
