//! Policy: what an effect may do, by its class and by what influenced it (GU-5, GU-6).
//!
//! Decision: the vocabulary stands here, below all doors, so that tools, servers, flows and the
//! checker mean the same by it. It is pure: whoever performs an effect asks it and obeys.

use contexture_context::Label;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The class of an effect on the world, from harmless to worst (GU-5).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Reads, and changes nothing.
    Read,
    /// Changes something on this side: a file, a memory.
    Write,
    /// Hands data to another side, or changes something there.
    Send,
    /// Runs code, or does what nobody declared: the class of an unknown tool.
    Execute,
}

impl Class {
    /// The classes that change something.
    pub const EFFECTS: [Self; 3] = [Self::Write, Self::Send, Self::Execute];

    /// Returns the class of a word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Read, Self::Write, Self::Send, Self::Execute]
            .into_iter()
            .find(|class| class.as_str() == word)
    }

    /// Returns its word in settings, lock files and traces.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Send => "send",
            Self::Execute => "execute",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What had an influence on an effect (GU-5).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Influence {
    /// The label of what decided that it is done: a branch, a loop, or a model's wish.
    pub decision: Label,
    /// The labels of its arguments by name; an argument that the program wrote may be left out.
    pub arguments: Vec<(String, Label)>,
}

impl Influence {
    /// Returns the influence of a model's wish: all of it is as low as what the model saw.
    #[must_use]
    pub fn of_model<'n>(seen: &Label, arguments: impl IntoIterator<Item = &'n String>) -> Self {
        let arguments = arguments.into_iter().map(|name| (name.clone(), seen.clone()));
        Self { decision: seen.clone(), arguments: arguments.collect() }
    }

    /// Returns the influence on an effect whose arguments have one label.
    #[must_use]
    pub fn of_all<'n>(label: &Label, arguments: impl IntoIterator<Item = &'n String>) -> Self {
        Self { decision: Label::default(), ..Self::of_model(label, arguments) }
    }
}

/// The answer of a policy to an effect, from mild to strict (GU-6).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It is done.
    Allow,
    /// A person is asked first; it is not done where nobody can be asked.
    Ask,
    /// It is not done.
    Deny,
}

impl Verdict {
    /// Returns its word in settings and traces.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
