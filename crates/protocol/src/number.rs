//! Numbers of messages. Each keeps its spelling: `30` stays `30` and `30.0` stays `30.0` (CP-3).

use crate::node::Node;
use crate::read::{Read, wrong};
use crate::report::{Place, Report};
use serde_json::Number;
use std::borrow::Cow;
use std::time::Duration;

/// The longest distinguished timeout: a hundred years.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

macro_rules! number {
    (
        $(#[doc = $doc:literal])*
        $Name:ident, $expected:literal, $schema:literal, $shape:literal, $is:path
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub struct $Name(Number);

        impl $Name {
            /// Returns the number as written; `None` if it is not of this kind.
            #[must_use]
            pub fn of(number: Number) -> Option<Self> {
                $is(&number).then_some(Self(number))
            }
        }

        /// Zero.
        impl Default for $Name {
            fn default() -> Self {
                Self::from(0)
            }
        }

        impl From<u64> for $Name {
            fn from(number: u64) -> Self {
                Self(Number::from(number))
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl Read for $Name {
            fn expected() -> Cow<'static, str> {
                $expected.into()
            }

            fn read(value: Node<'_>, at: &Place<'_>, report: &mut Report<'_>) -> Option<Self> {
                match value {
                    Node::Number(number) if $is(&number) => Some(Self(number)),
                    other => wrong(&other, at, report),
                }
            }
        }

        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                self.0.serialize(out)
            }
        }

        crate::record::deserialized!($Name);
        crate::record::inline_schema!(
            $Name,
            schemars::json_schema!({"type": $schema, "minimum": 0})
        );
        crate::shape::shapes!($Name => $shape);
    };
}

number! {
    /// A count, a version or a size in bytes: an integer from 0.
    Count, "an integer from 0", "integer", "integer", is_count
}

number! {
    /// A timeout or a delay in seconds, from 0, fractions allowed (FL-2).
    Seconds, "a number of seconds from 0", "number", "number (seconds)", is_positive
}

number! {
    /// A duration in milliseconds, from 0.
    Millis, "a number of milliseconds from 0", "number", "number (milliseconds)", is_positive
}

number! {
    /// A factor from 0.
    Factor, "a number from 0", "number", "number", is_positive
}

fn is_positive(number: &Number) -> bool {
    number.as_f64().is_some_and(|number| number >= 0.0)
}

fn is_count(number: &Number) -> bool {
    number.is_u64() || number.as_f64().is_some_and(|n| n >= 0.0 && n.fract() == 0.0)
}

impl Count {
    /// Returns the value; anything above 2⁶⁴ − 1 counts as that.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, from 0")]
    pub fn get(&self) -> u64 {
        self.0.as_u64().unwrap_or_else(|| self.0.as_f64().unwrap_or_default() as u64)
    }
}

impl Seconds {
    /// Returns the duration; anything above a hundred years counts as that, so that it can be added
    /// to a clock.
    #[must_use]
    pub fn duration(&self) -> Duration {
        duration(self.0.as_f64().unwrap_or_default())
    }

    /// Converts a duration.
    #[must_use]
    pub fn from_duration(duration: Duration) -> Self {
        if duration.subsec_nanos() == 0 {
            return Self::from(duration.as_secs());
        }
        Self(Number::from_f64(duration.as_secs_f64()).unwrap_or_else(|| duration.as_secs().into()))
    }
}

impl Millis {
    /// Returns the duration; anything above a hundred years counts as that.
    #[must_use]
    pub fn duration(&self) -> Duration {
        duration(self.0.as_f64().unwrap_or_default() / 1000.0)
    }
}

impl Factor {
    /// Returns the value.
    #[must_use]
    pub fn get(&self) -> f64 {
        self.0.as_f64().unwrap_or_default()
    }
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).map_or(LONGEST, |duration| duration.min(LONGEST))
}
