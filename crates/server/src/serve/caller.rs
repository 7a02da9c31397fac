//! The sender of a message: owner, permissions and connection.

use super::limits::Meter;
use super::operations::parent::Parent;
use super::session::Session;
use contexture::llm::SpendLimit;
use contexture_protocol::SenderType;
use std::net::IpAddr;
use std::sync::Arc;

/// The owner of requests without a token, on a server that only this machine reaches.
pub(crate) const LOCAL: &str = "local";

/// The rights of a token (CP-19).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) owner: Arc<str>,
    /// The id of the token for the audit log, if any.
    pub(crate) token: Option<Arc<str>>,
    pub(crate) senders: Senders,
    pub(crate) scopes: Scopes,
    /// What its model calls may take together.
    pub(crate) spend: SpendLimit,
}

/// The permitted sender types (CP-1).
pub type Senders = Vec<SenderType>;

/// The permitted operations.
pub type Scopes = Vec<Scope>;

/// A permitted operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Read contexts and subscribe to them.
    Read,
    /// Change contexts.
    Write,
    /// Run agents, tools and instructions.
    Run,
    /// Read the whole records of all runs.
    Inspect,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Run, Self::Inspect];
    /// The scopes of a user.
    pub const OF_USER: [Self; 3] = [Self::Read, Self::Write, Self::Run];

    /// Returns its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Run => "run",
            Self::Inspect => "inspect",
        }
    }
}

impl Grant {
    /// Returns the rights of a local client on a server that only this machine reaches.
    pub(crate) fn local() -> Self {
        let (senders, scopes) = (vec![SenderType::User], Scope::ALL.to_vec());
        Self { owner: LOCAL.into(), token: None, senders, scopes, spend: SpendLimit::default() }
    }
}

/// The sender of a message and its connection.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) grant: Arc<Grant>,
    pub(crate) address: Option<IpAddr>,
    /// The rate limits of the sender.
    pub(crate) meter: Arc<Meter>,
    pub(crate) session: Option<Arc<Session>>,
    /// The trace of an HTTP request.
    pub(crate) trace: Option<Parent>,
}

impl Caller {
    /// Returns the caller of work of an earlier server.
    pub(crate) fn again(owner: Arc<str>, limited: Option<Arc<Grant>>) -> Self {
        let grant = limited.unwrap_or_else(|| {
            let (senders, scopes, spend) = (Vec::new(), Vec::new(), SpendLimit::default());
            Arc::new(Grant { owner, token: None, senders, scopes, spend })
        });
        let meter = Arc::new(Meter::unlimited());
        Self { grant, address: None, meter, session: None, trace: None }
    }

    pub(crate) fn owner(&self) -> &Arc<str> {
        &self.grant.owner
    }

    /// Reports whether it sees the records of all owners.
    pub(crate) fn inspects(&self) -> bool {
        self.grant.scopes.contains(&Scope::Inspect)
    }
}
