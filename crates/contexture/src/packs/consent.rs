//! What is asked before a pack is read (KN-8).

use super::{Packs, PacksError};
use contexture_knowledge::approval::{Allowance, Consent};
use contexture_knowledge::pack::Pack;
use contexture_knowledge::{Scope, Status};
use std::fmt;
use std::path::PathBuf;

/// What is to be asked before a pack is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The pack.
    pub pack: String,
    /// Where it was found.
    pub scope: Scope,
    /// Its folder.
    pub location: PathBuf,
    /// Why it is asked.
    pub why: Vec<Consent>,
    /// What allows it: the pack in the state that it has now, and in no other.
    pub allowance: Allowance,
    /// An allowance that was given, for another state of the pack.
    pub outdated: Option<Allowance>,
}

impl Question {
    /// How to allow it without being asked.
    #[must_use]
    pub fn help(&self) -> String {
        let (place, allowance) = (self.location.display(), &self.allowance);
        match &self.outdated {
            Some(outdated) => format!(
                "it has changed since `{outdated}`: read it at {place}, then allow it with `--allow-pack {allowance}`"
            ),
            None => format!("read it at {place}, then allow it with `--allow-pack {allowance}`"),
        }
    }
}

impl fmt::Display for Question {
    /// Why it is asked, as a clause about the pack.
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

impl Packs {
    /// Allows what was asked: the pack may be read for as long as this value lives, and its state is
    /// remembered as approved.
    ///
    /// # Errors
    /// [`PacksError`] when the approval can't be written down, or the pack has changed meanwhile.
    pub fn allow(&self, question: &Question) -> Result<(), PacksError> {
        let pack = self.found(&question.pack)?;
        if Allowance::of(&pack)? != question.allowance {
            return Err(PacksError::changed(&question.pack));
        }
        Ok(self.gate().remember(&pack)?)
    }

    pub(super) fn question_about(&self, pack: &Pack) -> Result<Option<Question>, PacksError> {
        let (item, scope) = (pack.item(), pack.scope());
        if item.status == Status::Archived && !self.options.archived {
            return Err(PacksError::archived(&item.name));
        }
        let mut why = self.gate().needs(pack)?;
        let approved = self.options.approve_project && scope == Scope::Project;
        if approved || self.options.named.contains(&item.name) {
            why.retain(|why| *why != Consent::Workspace);
        }
        if why.is_empty() {
            return Ok(None);
        }
        let allowance = Allowance::of(pack)?;
        let outdated = self.options.allow.iter().find(|given| given.name == item.name).cloned();
        let (pack, location) = (item.name.clone(), item.pack_root.clone());
        Ok(Some(Question { pack, scope, location, why, allowance, outdated }))
    }

    /// Remembers what the command allowed for later times. That it can't be written down is no
    /// reason to refuse the pack now.
    pub(super) fn remember(&self, pack: &Pack) {
        let name = &pack.item().name;
        let given = self.options.allow.iter().any(|given| given.name == *name);
        if given && !self.options.read_only {
            let _ = self.gate().remember(pack);
        }
    }
}
