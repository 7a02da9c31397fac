//! Rate limits and quotas of clients (CP-6, CP-19).
//!
//! Decision: a rate is one number, the time when the next request is due (GCRA): nothing has
//! to run to refill anything, and a client that waits regains its whole burst. A rate limiter
//! library would bring its own clock, map and random numbers for these lines.

mod addresses;
mod bucket;
mod meter;
mod permits;
mod settings;

pub(crate) use addresses::Addresses;
pub(crate) use meter::{Breach, Meter, Pace, Rates};
pub(crate) use permits::{ConnectionLimit, ConnectionPermit, LimitReached};
pub(crate) use settings::{Limits, counted};
