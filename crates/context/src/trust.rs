//! Trust: how far a text may be believed, and whether it must be fenced (AS-20).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a text comes from, in falling trust. A text made of several takes the lowest.
///
/// The order is the meaning: `Trust::Program < Trust::Web` reads "is believed more".
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
    /// Given by the person or program that started the run.
    User,
    /// Said by a model in this run.
    Model,
    /// Remembered from earlier runs.
    Memory,
    /// A resource that a reference names (`@file://…`).
    Resource,
    /// What a tool returned.
    Tool,
    /// A file from outside the workspace.
    External,
    /// A knowledge pack.
    Pack,
    /// Fetched from the network.
    Web,
}

impl Trust {
    /// The lower of two trusts: what a text made of both deserves.
    #[must_use]
    pub fn least(self, other: Self) -> Self {
        self.max(other)
    }

    /// Whether a text of this trust is data only and must stand inside a fence.
    #[must_use]
    pub fn is_fenced(self) -> bool {
        self >= Self::Memory
    }

    /// The word used in fences, manifests and traces.
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
