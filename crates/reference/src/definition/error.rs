//! Errors of resolving a reference to a defined protocol.

use super::check::ParameterError;
use super::location::Mismatch;
use crate::codes;
use crate::syntax::SyntaxError;
use contexture_core::reference::LoadError;
use contexture_diagnostic::suggestion;

/// The most ids that an error lists.
const MAX_LISTED: usize = 8;

/// The reason why a reference could not be resolved (REF-16 to REF-18). No variant shows user info.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// The definition has errors.
    #[error("the definition of `{protocol}` in {file}:{line} has errors")]
    Broken {
        /// The reference, canonical and without user info.
        reference: String,
        /// The protocol.
        protocol: String,
        /// The file of the definition.
        file: String,
        /// Its line.
        line: u32,
    },
    /// The path does not follow the rules of the location.
    #[error("the path does not follow the location of `{protocol}` ({file}:{line}): {mismatch}")]
    Location {
        /// The reference.
        reference: String,
        /// The protocol.
        protocol: String,
        /// The mismatch.
        mismatch: Mismatch,
        /// The file of the definition.
        file: String,
        /// The line of the rule `location`.
        line: u32,
    },
    /// A parameter is refused.
    #[error("`{protocol}`: {fault}")]
    Parameter {
        /// The reference.
        reference: String,
        /// The protocol.
        protocol: String,
        /// The fault in it.
        fault: ParameterError,
    },
    /// The protocol has no registry.
    #[error("the protocol `{protocol}` has no registry, so a path names nothing in it")]
    NoRegistry {
        /// The reference.
        reference: String,
        /// The protocol.
        protocol: String,
    },
    /// The id is not registered.
    #[error("`{id}` is not registered for `{protocol}` in {file}")]
    UnknownId {
        /// The reference.
        reference: String,
        /// The protocol.
        protocol: String,
        /// The id.
        id: String,
        /// The file of the registry.
        file: String,
        /// The nearest ids, or those there are.
        help: String,
    },
    /// The row of the id has an error.
    #[error("the row of `{id}` in {file}:{line} has an error")]
    BrokenRow {
        /// The reference.
        reference: String,
        /// The id.
        id: String,
        /// The file of the registry.
        file: String,
        /// The line of the row.
        line: u32,
    },
    /// Registered references lead back to themselves.
    #[error("registered references go round in a circle: {}", path.join(" → "))]
    Cycle {
        /// The reference that was asked for.
        reference: String,
        /// The way, from the first reference of the circle back to it.
        path: Vec<String>,
    },
    /// Too many registries, one after the other.
    #[error("registered references lead on for more than {limit} steps")]
    TooFar {
        /// The reference that was asked for.
        reference: String,
        /// The limit.
        limit: usize,
    },
    /// The target of the registry, with the levels around it, is not a reference.
    #[error("what `{id}` stands for in {file}:{line} can't stand here: {fault}")]
    Composed {
        /// The reference.
        reference: String,
        /// The id.
        id: String,
        /// The file of the registry.
        file: String,
        /// The line of the row.
        line: u32,
        /// Such as too many levels.
        fault: SyntaxError,
    },
}

impl ResolveError {
    /// Reports whether a registry does not have the id: another source of ids may.
    #[must_use]
    pub const fn is_missing(&self) -> bool {
        matches!(self, Self::NoRegistry { .. } | Self::UnknownId { .. })
    }

    /// Returns its stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Broken { .. } => codes::BROKEN_DEFINITION.code,
            Self::Location { mismatch: Mismatch::TooComplex { .. }, .. } => {
                codes::LOCATION_TOO_COMPLEX.code
            }
            Self::Location { .. } => codes::LOCATION_MISMATCH.code,
            Self::Parameter { fault, .. } => fault.code(),
            Self::NoRegistry { .. } => codes::NO_REGISTRY.code,
            Self::UnknownId { .. } => codes::UNKNOWN_ID.code,
            Self::BrokenRow { .. } => codes::BROKEN_ROW.code,
            Self::Cycle { .. } => codes::REGISTRY_CYCLE.code,
            Self::TooFar { .. } | Self::Composed { .. } => codes::REGISTRY_DEPTH.code,
        }
    }

    /// Returns the reference it is about, canonical and without user info.
    #[must_use]
    pub fn reference(&self) -> &str {
        match self {
            Self::Broken { reference, .. }
            | Self::Location { reference, .. }
            | Self::Parameter { reference, .. }
            | Self::NoRegistry { reference, .. }
            | Self::UnknownId { reference, .. }
            | Self::BrokenRow { reference, .. }
            | Self::Cycle { reference, .. }
            | Self::TooFar { reference, .. }
            | Self::Composed { reference, .. } => reference,
        }
    }

    /// Returns how to fix it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Broken { file, .. } => Some(format!("the diagnostics of {file} show them")),
            Self::Location { .. } => None,
            Self::Parameter { fault, .. } => fault.help(),
            Self::NoRegistry { protocol, .. } => {
                Some(format!("put it around another reference: @{protocol}:@file://a.md"))
            }
            Self::UnknownId { help, .. } => Some(help.clone()),
            Self::BrokenRow { file, .. } => Some(format!("the diagnostics of {file} show it")),
            Self::Cycle { .. } => Some("let one of the entries name something else".to_owned()),
            Self::TooFar { .. } => Some("register what the chain ends in directly".to_owned()),
            Self::Composed { fault, .. } => Some(fault.help.to_string()),
        }
    }
}

impl From<ResolveError> for LoadError {
    fn from(error: ResolveError) -> Self {
        let load = Self::new(error.code(), error.reference(), error.to_string());
        match error.help() {
            Some(help) => load.with_help(help),
            None => load,
        }
    }
}

/// Returns the nearest ids, or those there are.
pub(super) fn near_ids<'a>(id: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    if let Some(near) = suggestion(id, known.clone()) {
        return near;
    }
    let count = known.clone().count();
    let listed: Vec<&str> = known.take(MAX_LISTED).collect();
    match count {
        0 => "the registry has no ids".to_owned(),
        count if count > MAX_LISTED => {
            format!("registered are {} and {} more", listed.join(", "), count - MAX_LISTED)
        }
        _ => format!("registered are {}", listed.join(", ")),
    }
}
