//! The origin of a text or container: its trust, and whether it is real.

use crate::host::Standing;
use contexture_context::Trust;

/// The origin of a value; that of a value made of several is the least of theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Origin {
    pub(crate) trust: Trust,
    /// Its reality: real, or a placeholder for an effect that a dry run left out (AS-31).
    pub(crate) standing: Standing,
}

impl Origin {
    /// The origin of values that the program itself creates.
    pub(crate) const PROGRAM: Self = Self { trust: Trust::Program, standing: Standing::Real };

    /// Returns the origin of a value made of two.
    pub(crate) fn least(self, other: Self) -> Self {
        Self { trust: self.trust.least(other.trust), standing: self.standing.with(other.standing) }
    }

    pub(crate) fn is_placeholder(self) -> bool {
        self.standing != Standing::Real
    }
}

impl From<Trust> for Origin {
    fn from(trust: Trust) -> Self {
        Self { trust, standing: Standing::Real }
    }
}
