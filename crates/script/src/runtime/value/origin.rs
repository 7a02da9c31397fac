//! Where a text or a container comes from: how far it may be believed, and whether it is real.

use crate::host::Standing;
use contexture_context::Trust;

/// The origin of a value; of one made of several it is the least of theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Origin {
    /// How far it may be believed (AS-20).
    pub(crate) trust: Trust,
    /// Whether it is real, or stands for what a dry run did not do (AS-31).
    pub(crate) standing: Standing,
}

impl Origin {
    /// Of what the program itself makes.
    pub(crate) const PROGRAM: Self = Self { trust: Trust::Program, standing: Standing::Real };

    /// The origin of what is made of two.
    pub(crate) fn least(self, other: Self) -> Self {
        Self { trust: self.trust.least(other.trust), standing: self.standing.with(other.standing) }
    }

    /// Whether it stands for something else.
    pub(crate) fn is_placeholder(self) -> bool {
        self.standing != Standing::Real
    }
}

impl From<Trust> for Origin {
    fn from(trust: Trust) -> Self {
        Self { trust, standing: Standing::Real }
    }
}
