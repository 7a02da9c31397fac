//! The question that is asked before a pack is read (KN-8).

use contexture_knowledge::Scope;
use contexture_knowledge::approval::{Allowance, Consent};
use std::fmt;
use std::path::PathBuf;

/// A question to a person before a pack is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The pack.
    pub pack: String,
    /// The scope in which it was found.
    pub scope: Scope,
    /// Its folder.
    pub location: PathBuf,
    /// The reasons for the question.
    pub why: Vec<Consent>,
    /// The allowance for the pack in its present state, and in no other.
    pub allowance: Allowance,
    /// An earlier allowance, for another state of the pack.
    pub outdated: Option<Allowance>,
}

impl Question {
    /// Returns how to allow it without being asked.
    #[must_use]
    pub fn help(&self) -> String {
        let (place, allowance) = (self.location.display(), &self.allowance);
        match &self.outdated {
            Some(outdated) => format!(
                "it has changed since `{outdated}`: read it at {place}, then allow it with `--allow-pack {allowance}`"
            ),
            None => format!(
                "read it at {place}, then allow it for good with `contexture knowledge allow {}`, or for this run with `--allow-pack {allowance}`",
                self.pack
            ),
        }
    }
}

impl fmt::Display for Question {
    /// Writes the reasons for the question, as a clause about the pack.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons: Vec<&str> = self.why.iter().map(|why| reason(*why, self.scope)).collect();
        write!(f, "the knowledge pack `{}` {}", self.pack, reasons.join(", and "))
    }
}

const fn reason(why: Consent, scope: Scope) -> &'static str {
    match (why, scope) {
        (Consent::Draft, _) => "is a draft",
        (Consent::Disputed, _) => "is disputed",
        (Consent::Workspace, Scope::Organization) => {
            "comes from the organization, and nobody here has approved what it says now"
        }
        (Consent::Workspace, _) => {
            "comes with the workspace, and nobody here has approved what it says now"
        }
    }
}
