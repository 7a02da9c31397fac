use std::fmt;

/// Why a path does not follow the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch {
    /// Something else is expected at this place.
    Unexpected {
        /// The first byte that fits no rule; the length at the end.
        offset: usize,
        /// The expected symbols, each with its rule.
        expected: Vec<String>,
        /// The found character; `None` at the end.
        found: Option<char>,
    },
    /// Matching took more steps than the limit.
    TooComplex {
        /// The limit.
        max_steps: usize,
    },
}

impl Mismatch {
    /// Returns the same, counted from behind a prefix; `None` when the prefix itself does not fit.
    pub(super) fn behind(self, prefix: usize) -> Option<Self> {
        match self {
            Self::Unexpected { offset, expected, found } => {
                let offset = offset.checked_sub(prefix)?;
                Some(Self::Unexpected { offset, expected, found })
            }
            complex @ Self::TooComplex { .. } => Some(complex),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unexpected { offset, expected, found } => {
                write!(f, "expected {} at byte {offset} of the path, ", expected.join(" or "))?;
                match found {
                    Some(found) => write!(f, "found `{}`", found.escape_debug()),
                    None => f.write_str("found its end"),
                }
            }
            Self::TooComplex { max_steps } => {
                write!(f, "comparing it with the rules takes more than {max_steps} steps")
            }
        }
    }
}
