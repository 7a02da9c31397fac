//! The sender of a message: owner, permissions and connection.

use super::guard::Meter;
use super::operations::parent::Parent;
use super::session::Session;
use contexture_protocol::SenderType;
use std::net::IpAddr;
use std::sync::Arc;

/// The owner of requests without a token, on a server that only this machine reaches.
pub(crate) const LOCAL: &str = "local";

/// The rights of a token (CP-19).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grant {
    /// The owner of the contexts.
    pub(crate) owner: Arc<str>,
    /// The id of the token for the audit log, if any.
    pub(crate) token: Option<Arc<str>>,
    pub(crate) senders: Senders,
    pub(crate) scopes: Scopes,
}

/// The permitted sender types (CP-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Senders {
    user: bool,
    model: bool,
    system: bool,
    tool: bool,
}

/// The permitted operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scopes {
    read: bool,
    write: bool,
    run: bool,
}

/// One of [`Scopes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Read contexts and subscribe to them.
    Read,
    /// Change contexts.
    Write,
    /// Run agents, tools and instructions.
    Run,
}

impl Scope {
    const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Run];

    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Run => "run",
        }
    }

    /// The scope of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }
}

impl Senders {
    /// None.
    pub const NONE: Self = Self { user: false, model: false, system: false, tool: false };
    /// Users alone.
    pub const USER: Self = Self { user: true, ..Self::NONE };

    /// These and one more.
    #[must_use]
    pub const fn and(self, kind: SenderType) -> Self {
        match kind {
            SenderType::User => Self { user: true, ..self },
            SenderType::Model => Self { model: true, ..self },
            SenderType::System => Self { system: true, ..self },
            SenderType::Tool => Self { tool: true, ..self },
        }
    }

    /// Their names.
    #[must_use]
    pub fn names(self) -> Vec<&'static str> {
        let allowed = SenderType::ALL.iter().filter(|kind| self.allow(**kind));
        allowed.map(|kind| kind.as_str()).collect()
    }

    /// Reports whether this one is among them.
    #[must_use]
    pub const fn allow(self, kind: SenderType) -> bool {
        match kind {
            SenderType::User => self.user,
            SenderType::Model => self.model,
            SenderType::System => self.system,
            SenderType::Tool => self.tool,
        }
    }
}

impl Scopes {
    /// None.
    pub const NONE: Self = Self { read: false, write: false, run: false };
    /// All.
    pub const ALL: Self = Self { read: true, write: true, run: true };

    /// These and one more.
    #[must_use]
    pub const fn and(self, scope: Scope) -> Self {
        match scope {
            Scope::Read => Self { read: true, ..self },
            Scope::Write => Self { write: true, ..self },
            Scope::Run => Self { run: true, ..self },
        }
    }

    /// Their names.
    #[must_use]
    pub fn names(self) -> Vec<&'static str> {
        Scope::ALL.into_iter().filter(|scope| self.allow(*scope)).map(Scope::as_str).collect()
    }

    /// Reports whether this one is among them.
    #[must_use]
    pub const fn allow(self, scope: Scope) -> bool {
        match scope {
            Scope::Read => self.read,
            Scope::Write => self.write,
            Scope::Run => self.run,
        }
    }
}

impl Grant {
    /// Returns the rights of a local client on a server that only this machine reaches.
    pub(crate) fn local() -> Self {
        Self { owner: LOCAL.into(), token: None, senders: Senders::USER, scopes: Scopes::ALL }
    }
}

/// The sender of a message and its connection.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) grant: Arc<Grant>,
    pub(crate) address: Option<IpAddr>,
    /// The rate limits of the sender.
    pub(crate) meter: Arc<Meter>,
    /// The session, if any.
    pub(crate) session: Option<Arc<Session>>,
    /// The trace of an HTTP request.
    pub(crate) trace: Option<Parent>,
}

impl Caller {
    pub(crate) fn owner(&self) -> &Arc<str> {
        &self.grant.owner
    }
}
