//! Who speaks: whose contexts they reach, and what they may do.

use super::session::Session;
use contexture_protocol::SenderType;
use std::net::IpAddr;
use std::sync::Arc;

/// The owner of what is done without a token, on a server that listens on this machine alone.
pub(crate) const LOCAL: &str = "local";

/// What a token allows (CP-19).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grant {
    /// Whose contexts are reached.
    pub(crate) owner: Arc<str>,
    /// The token's id, for the audit log; none without a token.
    pub(crate) token: Option<Arc<str>>,
    pub(crate) senders: Senders,
    pub(crate) scopes: Scopes,
}

/// The sender types that may be sent (CP-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Senders {
    pub(crate) user: bool,
    pub(crate) model: bool,
    pub(crate) system: bool,
    pub(crate) tool: bool,
}

/// What may be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scopes {
    /// Read contexts and subscribe to them.
    pub(crate) read: bool,
    /// Change contexts.
    pub(crate) write: bool,
    /// Have agents, tools and instructions run.
    pub(crate) run: bool,
}

/// One of [`Scopes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Read,
    Write,
    Run,
}

impl Scope {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Run => "run",
        }
    }
}

impl Senders {
    pub(crate) const USER: Self = Self { user: true, model: false, system: false, tool: false };

    pub(crate) const fn allow(self, kind: SenderType) -> bool {
        match kind {
            SenderType::User => self.user,
            SenderType::Model => self.model,
            SenderType::System => self.system,
            SenderType::Tool => self.tool,
        }
    }
}

impl Scopes {
    pub(crate) const ALL: Self = Self { read: true, write: true, run: true };

    pub(crate) const fn allow(self, scope: Scope) -> bool {
        match scope {
            Scope::Read => self.read,
            Scope::Write => self.write,
            Scope::Run => self.run,
        }
    }
}

impl Grant {
    /// What a program on this machine may do on a server that only this machine reaches.
    pub(crate) fn local() -> Self {
        Self { owner: LOCAL.into(), token: None, senders: Senders::USER, scopes: Scopes::ALL }
    }
}

/// Who sent a message, and on which way.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) grant: Arc<Grant>,
    pub(crate) address: Option<IpAddr>,
    /// The session, when it came in one.
    pub(crate) session: Option<Arc<Session>>,
}

impl Caller {
    pub(crate) fn owner(&self) -> &Arc<str> {
        &self.grant.owner
    }
}
